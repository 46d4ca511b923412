"""A ledger that was restored, replaced or edited is detected: by its witness, its triggers, its chain."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest
from tests.ledger.books import NAME, account_of, opened, places, request, rows
from tests.ledger.kept import InFile, Kept

from tacit.errors import Refused
from tacit.ledger import Charge, Ledger
from tacit.loss import Pure


def fill(folder: Path, digests: str = "abc") -> None:
    """An account with three charges of 0.1, each stored."""
    with opened(folder) as ledger:
        account = ledger.account(NAME, Pure(1))
        for digest in digests:
            charge = account.charge(request(digest, Pure("0.1")))
            assert isinstance(charge, Charge)
            account.store(charge, digest.encode())


def test_a_restored_backup_is_refused(tmp_path: Path, kept_in: Kept) -> None:
    """R41: at opening, with a handle that was open, and for a new ledger in the place of the old."""
    place, witness = places(tmp_path)
    fill(tmp_path, "a")
    backup = kept_in.back_up(tmp_path)
    fill(tmp_path, "bc")
    known = witness.read_bytes()
    kept_in.restore(tmp_path, backup)
    with pytest.raises(Refused, match="restored from a backup"):
        opened(tmp_path)
    with pytest.raises(Refused, match="There is one"):
        Ledger.accept_witness(place, witness)
    kept_in.destroy(tmp_path)
    with pytest.raises(Refused, match="7 entries of one that is gone"):
        opened(tmp_path)
    assert not kept_in.exists(tmp_path)
    Ledger.open(place, tmp_path / "another witness").close()
    with pytest.raises(Refused, match="restored from a backup"):
        opened(tmp_path)
    assert witness.read_bytes() == known


def test_an_open_handle_notices_at_its_next_charge(tmp_path: Path, kept_in: Kept) -> None:
    """R41."""
    fill(tmp_path)
    account = account_of(tmp_path, Pure(1))
    kept_in.edit(tmp_path, "DELETE FROM payloads WHERE entry = 7", "DELETE FROM entries WHERE number = 7")
    before = rows(tmp_path)
    with pytest.raises(Refused, match="restored from a backup"):
        account.charge(request("q", Pure("0.1")))
    assert rows(tmp_path) == before


def test_a_lost_witness_needs_the_stewards_word(tmp_path: Path, kept_in: Kept) -> None:
    """R41."""
    path, witness = places(tmp_path)
    fill(tmp_path)
    witness.unlink()
    with pytest.raises(Refused, match="accept-witness"):
        opened(tmp_path)
    assert not witness.exists()
    assert Ledger.accept_witness(path, witness).holds
    with opened(tmp_path) as ledger:
        assert ledger.account(NAME, Pure(1)).filter().used == (Fraction(3, 10),)
    witness.unlink()
    kept_in.edit(tmp_path, "UPDATE entries SET body = replace(body, '1/10', '1/99') WHERE number = 4")
    found = Ledger.accept_witness(path, witness)
    assert found.first_bad == 4
    assert not witness.exists()


def test_a_witness_torn_while_it_was_written_is_as_good_as_the_one_before(tmp_path: Path) -> None:
    """R33, R41: each half may be torn; both at once are refused."""
    witness = places(tmp_path)[1]
    fill(tmp_path)
    whole = witness.read_bytes()
    assert len(whole) == 2 * 4096
    assert sorted(json.loads(whole[start : start + 4096])["entries"] for start in (0, 4096)) == [6, 7]
    for torn in (whole[:4096] + b"\x00" * 4096, whole[:100] + b"?" * 3900 + whole[4000:], whole[:4096], whole[:5000]):
        witness.write_bytes(torn)
        opened(tmp_path).close()
        assert sorted(witness.read_bytes().split(b"\n"))[-1].startswith(b'{"entries":7,')
    for lost in (b"", b"x" * 8192, whole.replace(b'"entries":', b'"entries":1')):
        witness.write_bytes(lost)
        with pytest.raises(Refused, match="does not say how far"):
            opened(tmp_path)


def test_a_ledger_ahead_of_its_witness_is_accepted(tmp_path: Path) -> None:
    """R33: a crash between the commit and the witness."""
    witness = places(tmp_path)[1]
    fill(tmp_path, "a")
    behind = witness.read_bytes()
    fill(tmp_path, "b")
    ahead = witness.read_bytes()
    witness.write_bytes(behind)
    opened(tmp_path).close()
    assert b'"entries":5,' in witness.read_bytes()
    assert b'"entries":5,' in ahead


CHANGES = [
    "UPDATE entries SET hash = ''",
    "DELETE FROM entries WHERE number = 7",
    "INSERT INTO entries (number, body, hash) VALUES (9, '{}', '')",
    "INSERT INTO entries (number, body, hash) VALUES (0, '{}', '')",
    "INSERT INTO entries (number, body, hash) VALUES (NULL, '{}', '')",
    "INSERT INTO entries (number, body, hash) SELECT 8, body, hash FROM entries WHERE number = 3",
    "INSERT INTO entries (number, body, hash) VALUES (3, '{}', '') ON CONFLICT (number) DO UPDATE SET hash = ''",
    "INSERT INTO payloads SELECT entry, bytes FROM payloads",
    "UPDATE payloads SET entry = entry",
    "DELETE FROM payloads",
    "UPDATE meta SET value = ''",
    "DELETE FROM meta",
]
IN_FILES = [
    "REPLACE INTO entries (number, body, hash) SELECT number, body, '' FROM entries WHERE number = 3",
    "UPDATE payloads SET bytes = x'00'",
    "REPLACE INTO payloads VALUES (3, x'00')",
]
IN_DATABASES = [
    "TRUNCATE entries CASCADE",
    "TRUNCATE payloads",
    "TRUNCATE meta",
    "UPDATE payloads SET bytes = '\\x00'",
    "UPDATE entries SET account = 5",
    "INSERT INTO payloads (entry, bytes) SELECT 3, '' ON CONFLICT (entry) DO UPDATE SET bytes = ''",
]


def test_entries_are_only_added(tmp_path: Path, kept_in: Kept) -> None:
    fill(tmp_path)
    before = rows(tmp_path)
    for statement in [*CHANGES, *(IN_FILES if isinstance(kept_in, InFile) else IN_DATABASES)]:
        with pytest.raises((sqlite3.DatabaseError, psycopg.DatabaseError)):
            kept_in.execute(tmp_path, statement)
    assert rows(tmp_path) == before


@pytest.mark.parametrize(
    ("kept_in", "number"),
    [*(("file", number) for number in range(1, 8)), *(("postgresql", number) for number in (1, 4, 7))],
    indirect=["kept_in"],
)
@pytest.mark.parametrize(
    "change",
    [
        lambda n: f"UPDATE entries SET body = replace(body, '}}', ' }}') WHERE number = {n}",
        lambda n: f"UPDATE entries SET body = '{{}}' WHERE number = {n}",
        lambda n: f"UPDATE entries SET body = '[1.5]' WHERE number = {n}",
        lambda n: f"UPDATE entries SET hash = '{'0' * 64}' WHERE number = {n}",
        lambda n: f"DELETE FROM entries WHERE number = {n}",
    ],
    ids=["space", "empty", "garbage", "hash", "gone"],
)
def test_the_first_bad_entry_is_named(tmp_path: Path, kept_in: Kept, number: int, change: Callable[[int], str]) -> None:
    """R41: whatever entry is changed, and however, reading the ledger again finds it."""
    fill(tmp_path)
    with opened(tmp_path) as ledger:
        assert ledger.verify().holds
        indexes = ("entries_by_kind", "entries_by_account", "entries_by_digest", "one_release_a_charge")
        kept_in.edit(tmp_path, *(f"DROP INDEX {name}" for name in indexes), change(number))
        found = ledger.verify()
    assert not found.holds
    assert found.entries == number - 1
    gone = "DELETE" in change(number)
    assert found.first_bad == (number + 1 if gone and number < 7 else number)
    assert str(found).startswith(f"Entry {found.first_bad}")


def test_a_forged_chain_does_not_pass_its_witness(tmp_path: Path, kept_in: Kept) -> None:
    """R41: an entry changed and every later hash made to match: the chain alone would hold, but is not witnessed."""
    fill(tmp_path)
    kept = kept_in.found(tmp_path, "SELECT number, body, hash FROM entries ORDER BY number")
    statements, old, new = [], "", ""
    for number, body, stated in kept:
        forged = (body.replace(old, new) if old else body).replace('"1/10"', '"1/100"')
        old, new = stated, hashlib.sha256(forged.encode()).hexdigest()
        statements.append(f"UPDATE entries SET body = '{forged}', hash = '{new}' WHERE number = {number}")
    kept_in.edit(tmp_path, *statements)
    with pytest.raises(Refused, match="restored from a backup, replaced or edited"):
        opened(tmp_path)
    places(tmp_path)[1].unlink()
    assert Ledger.accept_witness(*places(tmp_path)).holds


def test_a_changed_release_is_not_handed_out(tmp_path: Path, kept_in: Kept) -> None:
    fill(tmp_path)
    zero = "x'00'" if isinstance(kept_in, InFile) else "'\\x00'"
    kept_in.edit(tmp_path, f"UPDATE payloads SET bytes = {zero} WHERE entry = 5")
    with opened(tmp_path) as ledger:
        assert ledger.verify().first_bad == 5
        account = ledger.account(NAME, Pure(1))
        with pytest.raises(Refused, match="not what was stored"):
            account.find("b", Fraction(1))
