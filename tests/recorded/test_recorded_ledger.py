"""Current code reads the ledger, stored releases and a certificate of earlier code, with the same answers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.recorded.ledgers import ASKED, KIND, accept, ask_all, entries, opened, restore
from tests.recorded.recording import hashed

from tacit.cli.main import app
from tacit.errors import Refused
from tacit.ledger.events import event_from
from tacit.query.bounding.profile import Profile
from tacit.query.execution.noisy_table import NoisyTable

SPELLED = {
    "open": {"time": "t", "unit": "u", "budget": {"pure": {"epsilon": "1/2"}}, "sources": ["a", "b"]},
    "join": {"time": "t", "sources": ["c"]},
    "charge": {
        "time": "t",
        "analyst": "ann",
        "words": "w",
        "note": "query",
        "digest": "d",
        "accuracy": "1/3",
        "loss": {"approx": {"epsilon": "1/10", "delta": "1/1000"}},
    },
    "store": {"charge": 2, "digest": "d", "accuracy": "1/3", "payload": "p"},
    "draw": {"of": 2, "digest": "d", "stage": 1},
    "stage": {"of": 2, "digest": "d", "stage": 1, "payload": "p"},
    "again": {"of": 2, "digest": "d"},
    "fail": {"of": 2, "digest": "d"},
    "reopen": {"time": "t", "of": 2, "digest": "d"},
    "clear": {"time": "t", "running": [2, 3]},
}


def tacit(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The recorded files in a folder of this machine, whose steward has accepted the ledger."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    found = restore(tmp_path)
    accept(tmp_path)
    yield found
    assert entries(tmp_path) == found["entries"], "something was charged"


def test_every_question_is_answered_for_free_and_as_before(record: dict[str, Any], tmp_path: Path) -> None:
    """The request digests are the same, so the releases are found; the stored numbers are read the same."""
    with opened(tmp_path) as dataset:
        assert {sql: dataset.query(sql, interval=KIND).text(120) for sql in ASKED} == record["answers"]
        paid = {sql: dataset.query(sql, epsilon=epsilon, interval=KIND).text(120) for sql, epsilon in ASKED.items()}
        assert paid == record["answers"]


@pytest.mark.usefixtures("record")
def test_what_was_released_as_bounded_is_nothing_else(tmp_path: Path) -> None:
    """An earlier release answers for its own kind of interval alone, where a limit may have cut."""
    with opened(tmp_path) as dataset:
        for sql in ASKED:
            with pytest.raises(Refused, match="No earlier release"):
                dataset.query(sql)


def test_what_is_left_is_the_same(record: dict[str, Any], tmp_path: Path) -> None:
    with opened(tmp_path) as dataset:
        assert hashed(str(dataset.budget())) == record["budget"]


def test_the_certificate_holds(record: dict[str, Any], tmp_path: Path) -> None:
    place = str(tmp_path / "answer.json")
    tacit("verify", place, "--table", str(tmp_path / "answer.csv"), "--ledger", str(tmp_path / "ledger.sqlite"))
    with opened(tmp_path) as dataset:
        answer = dataset.query(next(iter(ASKED)), interval=KIND)
        certificate = answer.certified("csv")
        assert certificate is not None
        assert certificate.to_json() == record["answer.json"]
        assert answer.presented("csv").decode() == record["answer.csv"]


@pytest.mark.usefixtures("record")
def test_stored_releases_are_written_as_they_were(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as connection:
        profile, *releases = [octets for (octets,) in connection.execute("SELECT bytes FROM payloads ORDER BY entry")]
    assert Profile.from_bytes(profile).to_bytes() == profile
    for octets in releases:
        head, _, packed = octets.partition(b"\n")
        assert json.loads(head).keys() == {"grounds", "people"}
        assert NoisyTable.from_bytes(packed).to_bytes() == packed


@pytest.mark.usefixtures("record")
def test_a_new_ledger_gets_the_same_entries(record: dict[str, Any], tmp_path: Path) -> None:
    """Charges, marks and seals of the payloads, in the same order and in the same words."""
    (tmp_path / "new").mkdir()
    ask_all(tmp_path / "new")
    assert entries(tmp_path / "new") == record["written"]


@pytest.mark.parametrize("kind", SPELLED)
def test_every_kind_of_entry_is_spelled_as_it_was(kind: str) -> None:
    event = event_from(kind, dict(SPELLED[kind]))
    assert event.kind == kind
    assert event.fields() == SPELLED[kind]
