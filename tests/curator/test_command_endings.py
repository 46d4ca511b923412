"""The outcomes of a command: refused with nothing spent, failed after the charge, interrupted."""

from __future__ import annotations

import json

import pytest
from tests.curator.clinic_command import BY_REGION, Clinic

from tacit.errors import Refused

COUNT = "SELECT COUNT(*) FROM visits"
CANARY = "canary-4711"
FAILED = "The release failed after it was charged; nothing was released."


REFUSED = [
    ("SELECT * FROM visits", "--epsilon", "1"),
    ("SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id", "--epsilon", "1"),
    ("SELECT COUNT(*) FROM nowhere", "--epsilon", "1"),
    ("SELECT SUM(nothing) FROM visits", "--epsilon", "1"),
    ("DROP TABLE visits", "--epsilon", "1"),
    ("SELEC", "--epsilon", "1"),
    ("", "--epsilon", "1"),
    ("@nowhere.sql", "--epsilon", "1"),
    (COUNT,),
    (COUNT, "--epsilon", "1", "--error", "50"),
    (COUNT, "--epsilon", "nan"),
    (COUNT, "--epsilon", "-1"),
    (COUNT, "--epsilon", "inf"),
    (COUNT, "--epsilon", "1", "--delta", "1"),
    (COUNT, "--epsilon", "1", "--confidence", "1"),
    (COUNT, "--epsilon", "50"),
    (COUNT, "--epsilon", "2", "--as", "alice"),
    (COUNT, "--epsilon", "0.1", "--as", "mallory"),
    (COUNT, "--error", "0"),
    (COUNT, "--error", "many"),
    (COUNT, "--error", "50"),
    (COUNT, "--error", "2%", "--interval", "bounded"),
    ("SELECT AVG(cost) FROM visits", "--error", "5", "--interval", "bounded"),
    (COUNT, "--epsilon", "1", "--format", "parquet"),
    (COUNT, "--epsilon", "1", "--figure", "answer.txt"),
    (COUNT, "--epsilon", "1", "--out", "nowhere/answer.csv"),
    (COUNT, "--epsilon", "1", "--certificate", "."),
]


def test_a_refusal_spends_nothing_and_names_the_cure(clinic: Clinic) -> None:
    """R34, R40: the ledger is as it was; nothing was printed but the refusal."""
    assert clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "0.1").code == 0
    before = clinic.entries()
    for words in REFUSED:
        ended = clinic.tacit("query", "clinic.toml", *words)
        assert (ended.code, ended.out) == (2, ""), words
        assert ended.err.startswith("Refused, nothing spent: "), words
        assert "\nAccepted instead: " in ended.err, words
    assert clinic.entries() == before


def test_a_usage_error_ends_as_a_refusal_does(clinic: Clinic) -> None:
    assert clinic.tacit("query", "clinic.toml", COUNT, "--epsilom", "1").code == 2
    assert clinic.tacit("qery").code == 2
    assert clinic.tacit("query").code == 2


@pytest.mark.parametrize("file", ["nowhere.toml", "visits.parquet"])
def test_a_description_that_cannot_be_read_is_refused(clinic: Clinic, file: str) -> None:
    ended = clinic.tacit("query", file, COUNT, "--epsilon", "1")
    assert ended.code == 2
    assert ended.err.startswith("Refused, nothing spent: ")


@pytest.mark.parametrize(
    ("broken", "code", "says"),
    [
        (ValueError(CANARY), 3, FAILED),
        (MemoryError(CANARY), 3, FAILED),
        (Refused(CANARY, CANARY, CANARY), 3, FAILED),
        (KeyboardInterrupt(), 130, "Interrupted. What was charged stays charged"),
    ],
)
def test_what_breaks_behind_the_charge_has_failed_for_good(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch, broken: BaseException, code: int, says: str
) -> None:
    """R14, R27, R33, R34, R49, R51: asking again gives the failure for free, and runs nothing; --fresh pays."""

    def breaking(*_: object) -> None:
        raise broken

    ask = ("query", "clinic.toml", BY_REGION, "--epsilon", "1")
    with monkeypatch.context() as patch:
        patch.setattr("tacit.curator.door._run", breaking)
        ended = clinic.tacit(*ask)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith(says)
    assert CANARY not in ended.err
    (entry,) = json.loads(clinic.left())["entries"]
    assert entry["share"] > 0
    assert (entry["answered"], entry["failed"]) == (False, True)
    assert "(failed: --fresh pays for another run)" in clinic.tacit("budget", "clinic.toml").out
    for _ in range(3):
        again = clinic.tacit(*ask)
        assert (again.code, again.out) == (3, "")
        assert again.err.startswith(FAILED)
    assert json.loads(clinic.left())["entries"] == [entry]
    assert clinic.tacit(*ask, "--fresh").code == 0
    assert [each["answered"] for each in json.loads(clinic.left())["entries"]] == [False, True]
    assert clinic.tacit(*ask).code == 0


def test_an_answer_that_cannot_be_drawn_is_kept(clinic: Clinic) -> None:
    """Its price is spent, and no message says otherwise."""
    ask = ("query", "clinic.toml", BY_REGION + " HAVING COUNT(*) > 1000000")
    ended = clinic.tacit(*ask, "--epsilon", "1", "--figure", "empty.png")
    assert ended.code == 3
    assert "nothing spent" not in ended.err
    assert "Answered, but not all of it could be written." in ended.err
    again = clinic.tacit(*ask, "--format", "json")
    assert json.loads(again.out)["price"]["free"]
