"""`tacit` on a shared ledger, as two people on two machines type it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.curator.clinic_command import BY_REGION, DESCRIPTION, Clinic, make_clinic
from tests.ledger.books import FILE_ONLY, SHARED_ONLY
from tests.ledger.kept import Kept

QUERY = ("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--format", "csv")
Machine = Callable[[str], None]


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clinic:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return make_clinic(tmp_path)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """From now on what is typed is typed on this machine; all see the same files."""

    def sit_at(name: str) -> None:
        monkeypatch.setenv("TACIT_HOME", str(tmp_path / name / "home"))
        monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / name / "elsewhere" / "witness"))

    sit_at("first")
    return sit_at


def words(text: str) -> str:
    return " ".join(text.split())


@SHARED_ONLY
def test_two_machines_share_one_budget(clinic: Clinic, machine: Machine, kept_in: Kept) -> None:
    """R41, R43: the second joins by the steward's word, reads for free what the first paid for, pays for the rest."""
    place = str(kept_in.place(clinic.folder))
    named = DESCRIPTION.replace('name = "clinic"', f'name = "clinic"\nledger = "{place}"')
    (clinic.folder / "clinic.toml").write_text(named)
    first = clinic.tacit(*QUERY, "--certificate", "first.json")
    assert first.code == 0, first.err
    assert not (clinic.folder / "first" / "home" / "ledger.sqlite").exists()
    whole = clinic.tacit("verify", "first.json", "--ledger", "clinic.toml")
    assert whole.code == 0, whole.err
    seal = words(whole.out).split("The last seal is ")[1][:16]

    machine("second")
    refused = clinic.tacit(*QUERY)
    assert refused.code != 0
    assert "--accept-witness" in words(refused.err)
    joined = clinic.tacit("verify", "--ledger", "clinic.toml", "--accept-witness")
    assert joined.code == 0, joined.err
    assert "Accepted as the newest" in words(joined.out)
    assert seal in joined.out
    again = clinic.tacit(*QUERY)
    assert again.code == 0, again.err
    assert again.out == first.out
    before = clinic.left()
    paid = clinic.tacit("query", "clinic.toml", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--ledger", place)
    assert paid.code == 0, paid.err
    assert clinic.tacit("verify", "--ledger", place, "--accept-witness").code != 0  # there is a witness by now

    machine("first")
    assert clinic.left() != before
    assert "All 11 entries hold" in words(clinic.tacit("verify", "--ledger", place).out)


@FILE_ONLY
def test_a_file_whose_witness_was_lost_is_accepted_by_the_stewards_word(clinic: Clinic, machine: Machine) -> None:
    """R41: for a ledger in a file too; one that does not hold is not accepted, and nothing is accepted unnamed."""
    witness = clinic.folder / "first" / "elsewhere" / "witness"
    assert clinic.tacit(*QUERY).code == 0
    witness.unlink()
    assert clinic.tacit(*QUERY).code != 0
    accepted = clinic.tacit("verify", "--ledger", "clinic.toml", "--accept-witness")
    assert accepted.code == 0, accepted.err
    assert witness.exists()
    assert clinic.tacit(*QUERY).code == 0
    assert clinic.tacit("verify", "--accept-witness").code != 0
    witness.unlink()
    with closing(sqlite3.connect(clinic.folder / "first" / "home" / "ledger.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER entries_stay")
        connection.execute("UPDATE entries SET body = replace(body, '}', ' }') WHERE number = 2")
    ended = clinic.tacit("verify", "--ledger", "clinic.toml", "--accept-witness")
    assert ended.code == 1
    assert "It was not accepted" in words(ended.out)
    assert not witness.exists()


@SHARED_ONLY
def test_verifying_makes_no_ledger(clinic: Clinic, machine: Machine, kept_in: Kept) -> None:
    ended = clinic.tacit("verify", "--ledger", str(kept_in.place(clinic.folder)))
    assert ended.code != 0
    assert "It is not there" in words(ended.err)
    assert not kept_in.exists(clinic.folder)


@SHARED_ONLY
def test_a_password_is_not_repeated(clinic: Clinic, machine: Machine) -> None:
    for line in ("postgresql://ann:s3cret@host/books", "postgresql://host/books?password=s3cret"):
        named = DESCRIPTION.replace('name = "clinic"', f'name = "clinic"\nledger = "{line}"')
        (clinic.folder / "clinic.toml").write_text(named)
        ended = clinic.tacit("budget", "clinic.toml")
        assert ended.code != 0
        assert "PGPASSWORD" in ended.err
        assert "s3cret" not in ended.out + ended.err
