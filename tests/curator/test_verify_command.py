"""`tacit verify`: certificates offline, ledgers whole."""

from __future__ import annotations

import json
import sqlite3

from tests.curator.clinic_command import BY_REGION, Clinic


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


def test_a_whole_ledger_is_read_again(clinic: Clinic) -> None:
    key = _released(clinic)
    ended = clinic.tacit("verify", "answer.json", "--ledger", "clinic.toml")
    assert ended.code == 0, ended.err
    text = " ".join(ended.out.split())
    assert text.startswith("All 3 entries hold")
    assert key in text
    assert "Genuine: signed by the expected key" in text


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
