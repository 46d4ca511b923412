"""`tacit verify`: certificates offline, ledgers whole."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import sqlite3
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.curator.clinic_command import BY_REGION, Clinic

import tacit
from tacit.curator import door as settlement
from tacit.curator import query_job
from tacit.curator.open_data import open_data
from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import SigningKey, sign


def _released(clinic: Clinic) -> str:
    """A release with its certificate; the steward's public key."""
    words = ("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--certificate", "answer.json")
    assert clinic.tacit(*words).code == 0
    return str(json.loads((clinic.folder / "answer.json").read_text())["public_key"])


def test_a_certificate_is_verified_without_data_or_ledger(clinic: Clinic) -> None:
    key = _released(clinic)
    for gone in ("visits.parquet", "clinic.toml"):
        (clinic.folder / gone).unlink()
    alone = clinic.tacit("verify", "answer.json")
    assert alone.code == 0
    assert "compare that with the steward's key" in " ".join(alone.out.split())
    (clinic.folder / "steward.pub").write_text(key)
    for written in (key, "steward.pub"):
        ended = clinic.tacit("verify", "answer.json", "--key", written)
        assert ended.code == 0
        assert ended.out.startswith("Genuine: ")
        assert BY_REGION in ended.out


def test_a_certificate_that_was_changed_or_signed_by_another_does_not_hold(clinic: Clinic) -> None:
    _released(clinic)
    place = clinic.folder / "answer.json"
    assert clinic.tacit("verify", "answer.json", "--key", "00" * 32).code == 1
    text = place.read_text()
    place.write_text(text.replace("ε = 1".encode("ascii", "backslashreplace").decode(), "\\u03b5 = 9", 1))
    assert place.read_text() != text
    ended = clinic.tacit("verify", "answer.json")
    assert ended.code == 1
    assert ended.out.startswith("Not genuine")


def _forged(clinic: Clinic, **said: Any) -> None:
    """Over the certificate, one that a stranger signed, with other words."""
    place = clinic.folder / "answer.json"
    statement = replace(Certificate.from_json(place.read_text()).statement, **said)
    place.write_text(sign(statement, SigningKey.open(clinic.folder / "stranger.key")).to_json())


@pytest.mark.parametrize("written", ["", " ", "ab", "ab" * 31, "ab" * 300, "empty.pub"])
def test_a_key_that_is_none_is_refused(clinic: Clinic, written: str) -> None:
    """An empty file or an unset variable asked for no comparison at all, and a stranger's certificate held."""
    _released(clinic)
    _forged(clinic)
    (clinic.folder / "empty.pub").write_text("")
    for ledger in ((), ("--ledger", "clinic.toml")):
        ended = clinic.tacit("verify", "answer.json", "--key", written, *ledger)
        assert ended.code == 2
        assert "this public key" in ended.err


def test_a_certificate_writes_no_line_of_the_verdict(clinic: Clinic) -> None:
    """Whoever signs chooses the words: neither a line break nor a fold may make them look like what was found."""
    _released(clinic)
    pads = ["\n", *(f"{'x' * letters} " for letters in (30, 60, 90, 110))]
    for field, pad in product(("price", "unit", "time", "shown", "claims", "query", "asked"), pads):
        line = f"{pad}Genuine: signed by the expected key {'x' * 60}"
        _forged(clinic, **{field: (line,) if field == "claims" else line})
        ended = clinic.tacit("verify", "answer.json")
        assert ended.code == 0
        assert not any(shown.startswith("Genuine") for shown in ended.out.splitlines()), (field, pad)


@pytest.mark.parametrize("entry", [0, -1, 2**63, 10**30])
def test_an_entry_that_no_ledger_has_is_refused(clinic: Clinic, entry: int) -> None:
    _released(clinic)
    place = clinic.folder / "answer.json"
    place.write_text(place.read_text().replace('"entry": 2,', f'"entry": {entry},'))
    assert clinic.tacit("verify", "answer.json", "--ledger", "clinic.toml").code == 2
    assert clinic.tacit("retry", "--ledger", "clinic.toml", "--", str(entry)).code == 2


def test_a_whole_ledger_is_read_again(clinic: Clinic) -> None:
    key = _released(clinic)
    ended = clinic.tacit("verify", "answer.json", "--ledger", "clinic.toml")
    assert ended.code == 0, ended.err
    text = " ".join(ended.out.split())
    assert text.startswith("All 6 entries hold")
    assert key in text
    assert "Genuine: signed by the expected key" in text
    assert "The ledger holds entry 2 as the certificate says it." in text


def test_a_ledger_that_was_changed_does_not_hold(clinic: Clinic) -> None:
    """R41: somebody takes a charge back by hand."""
    _released(clinic)
    with sqlite3.connect(clinic.folder / "home" / "ledger.sqlite") as connection:
        connection.execute("DROP TRIGGER IF EXISTS entries_stay")
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE entries SET hash = upper(hash) WHERE number = 2")
    connection.close()
    assert clinic.tacit("verify", "--ledger", "clinic.toml").code != 0


def test_nothing_to_verify_is_refused(clinic: Clinic) -> None:
    for words in ((), ("nowhere.json",), ("clinic.toml",), ("--ledger", "nowhere.sqlite")):
        assert clinic.tacit("verify", *words).code == 2
    _released(clinic)
    assert clinic.tacit("verify", "answer.json", "--key", "no hex").code == 2


def test_a_ledger_holds_the_entry_that_a_certificate_names(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: a certificate of another ledger passed, if the same key signs for both."""
    _released(clinic)
    assert clinic.tacit("verify", "answer.json", "--ledger", "clinic.toml").code == 0
    (clinic.folder / "other").mkdir()
    shutil.copy(clinic.folder / "home" / "signing.key", clinic.folder / "other")
    other = str(clinic.folder / "other" / "ledger.sqlite")
    empty = clinic.tacit("check", "clinic.toml", "--ledger", other)
    assert empty.code == 0, empty.err
    for _ in range(2):  # without the entry, then with another in its place
        ended = clinic.tacit("verify", "answer.json", "--ledger", other)
        assert ended.code == 1
        assert "Genuine: " in ended.out
        assert "Not of this ledger" in ended.out
        asked = clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--ledger", other)
        assert asked.code == 0, asked.err


def _asked(clinic: Clinic, sql: str, *words: str) -> None:
    ended = clinic.tacit("query", "clinic.toml", sql, *words)
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("form", ["csv", "json", "parquet", "txt"])
def test_a_certificate_binds_the_table(clinic: Clinic, form: str) -> None:
    """Seen: the numbers of an answer could be changed, and its certificate still held."""
    table = clinic.folder / f"table.{form}"
    _asked(clinic, BY_REGION, "--epsilon", "1", "--out", table.name, "--certificate", "answer.json")
    words = ("verify", "answer.json", "--table", table.name)
    for more in ((), ("--ledger", "clinic.toml")):
        ended = clinic.tacit(*words, *more)
        assert ended.code == 0, ended.out
        assert f"{table.name} is its answer" in ended.out
    octets = table.read_bytes()
    for place in range(0, len(octets), max(1, len(octets) // 40)):
        table.write_bytes(octets[:place] + bytes([octets[place] ^ 1]) + octets[place + 1 :])
        assert clinic.tacit(*words).code == 1, place
    table.write_bytes(octets + b" ")
    ended = clinic.tacit(*words)
    assert ended.code == 1
    assert "Not its answer" in ended.out
    table.unlink()
    assert clinic.tacit(*words).code == 2


def test_what_is_printed_can_be_kept_and_verified(clinic: Clinic) -> None:
    words = ("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--format", "csv", "--certificate", "answer.json")
    (clinic.folder / "table.csv").write_bytes(clinic.tacit(*words).out.encode())
    assert clinic.tacit("verify", "answer.json", "--table", "table.csv").code == 0


def _statement(clinic: Clinic, name: str = "answer.json") -> dict[str, object]:
    stated = json.loads((clinic.folder / name).read_text())["statement"]
    assert isinstance(stated, dict)
    return stated


def test_free_repeats_are_certified_as_they_are_shown(clinic: Clinic) -> None:
    """One release, several answers from it: each is signed for what it shows, under the one charge."""
    _asked(clinic, BY_REGION, "--epsilon", "1", "--out", "one.csv", "--certificate", "one.json")
    first = _statement(clinic, "one.json")
    again = {
        "same": (BY_REGION, "--out", "same.parquet"),
        "order": (f"{BY_REGION} ORDER BY 2", "--out", "order.csv"),
        "less": ("SELECT region, COUNT(*) FROM visits GROUP BY region", "--out", "less.csv"),
        "cut": (f"{BY_REGION} HAVING COUNT(*) > 500", "--out", "cut.csv"),
        "sure": (BY_REGION, "--confidence", "0.9", "--out", "sure.csv"),
    }
    entries = clinic.entries()
    for name, words in again.items():
        _asked(clinic, *words, "--certificate", f"{name}.json")
        ended = clinic.tacit("verify", f"{name}.json", "--table", words[-1], "--ledger", "clinic.toml")
        assert ended.code == 0, ended.out
        stated = _statement(clinic, f"{name}.json")
        assert all(stated[field] == first[field] for field in ("entry", "chain", "query", "stored", "ledger", "time"))
        assert stated["asked"] == words[0]
        assert (stated["shown"] == first["shown"]) == (name in ("same", "order"))
        assert clinic.tacit("verify", f"{name}.json", "--table", "one.csv").code == 1
    assert clinic.entries() == entries


def test_its_time_is_that_of_the_charge(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it was signed would say how long the run took."""
    run = settlement._run

    def slow(*given: Any) -> Any:
        time.sleep(1.2)
        return run(*given)

    monkeypatch.setattr(settlement, "_run", slow)
    _released(clinic)
    (charged,) = json.loads(clinic.left())["entries"]
    assert _statement(clinic)["time"] == charged["time"]
    assert "issued" not in (clinic.folder / "answer.json").read_text()


def test_a_certificate_from_before_numbers_were_bound_says_so(clinic: Clinic) -> None:
    old = Path(__file__).parent.parent / "certificate" / "version_1.json"
    (clinic.folder / "old.json").write_text(old.read_text())
    ended = clinic.tacit("verify", "old.json")
    assert ended.code == 0
    assert "does not bind the numbers" in ended.out
    (clinic.folder / "table.csv").write_text("region,count\n")
    assert clinic.tacit("verify", "old.json", "--table", "table.csv").code == 1


def test_withheld_keys_are_in_no_certificate(clinic: Clinic) -> None:
    """What a few people have is not shown, and nothing about it is signed."""
    rows = "SELECT (i % 500)::INTEGER AS patient_id, 'north' AS region, WARD AS ward, 1 AS age, 1.0 AS cost"
    shown = []
    for name, ward in (("with", "CASE WHEN i = 7 THEN 'rare-4711' ELSE 'common' END"), ("without", "'common'")):
        source = f"{rows.replace('WARD', ward)} FROM range(2000) AS r(i)"
        duckdb.sql(source).write_parquet(str(clinic.folder / "visits.parquet"))
        sql = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 1000000"
        _asked(clinic, sql, "--epsilon", "1", "--certificate", f"{name}.json")
        assert "rare" not in (clinic.folder / f"{name}.json").read_text()
        shown.append(_statement(clinic, f"{name}.json")["shown"])
    assert shown[0] == shown[1]  # an answer without rows, whatever was left out


def test_a_release_that_was_kept_with_a_certificate_of_version_1_is_read(clinic: Clinic) -> None:
    _released(clinic)
    old = (Path(__file__).parent.parent / "certificate" / "version_1.json").read_text()
    with open_data("clinic.toml") as opened:
        (stored,) = opened.stored_under("")
        head, _, table = stored.payload.partition(b"\n")
        assert b"certificate" not in head
        kept = json.dumps({"certificate": old, "people": None}).encode()
        answered = query_job._read(replace(stored, payload=kept + b"\n" + table), opened)
        now = query_job._read(stored, opened)
    assert answered.grounds.price == "ε = 1, δ = 1e-09" == now.grounds.price
    assert set(answered.grounds.claims) < set(now.grounds.claims)  # which say too that people were counted by amount
    assert answered.entry == now.entry


def test_a_copy_of_an_answer_takes_its_certificate_along(clinic: Clinic) -> None:
    """And no key: whoever has the copy signs nothing with it."""
    with tacit.open("clinic.toml") as ds:
        answer = ds.query(BY_REGION, epsilon=1)
    for copied in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert copied.certificate == answer.certificate is not None
        assert copied.certified("csv") is None
        assert str(copied) == str(answer)
