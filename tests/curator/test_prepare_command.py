"""`tacit prepare` as a steward types it."""

from __future__ import annotations

import pytest
from tests.curator.clinic_command import BY_REGION, DESCRIPTION, Clinic


def prepared(clinic: Clinic) -> list[str]:
    return sorted(path.name for path in (clinic.folder / "home" / "prepared").glob("*.duckdb"))


def test_a_steward_prepares_once(clinic: Clinic) -> None:
    """R42: it is said that it holds personal data; nothing is charged."""
    before = clinic.entries()
    ended = clinic.tacit("prepare", "clinic.toml")
    assert ended.code == 0, ended.err
    assert "It holds personal data, and only you can read it." in " ".join(ended.out.split())
    assert ended.out.startswith("Prepared: ")
    assert prepared(clinic)[0] in "".join(ended.out.split())
    again = clinic.tacit("prepare", "clinic.toml")
    assert again.out.startswith("Prepared already: ")
    assert clinic.entries() == before
    assert len(prepared(clinic)) == 1


def test_an_analyst_asks_as_before(clinic: Clinic) -> None:
    """R39: the answer costs what it cost, and says nothing of the form."""
    told = "answered from the prepared form"
    unprepared = clinic.tacit("explain", "clinic.toml", BY_REGION, "--epsilon", "0.5").out
    assert told not in unprepared
    clinic.tacit("prepare", "clinic.toml")
    explained = clinic.tacit("explain", "clinic.toml", BY_REGION, "--epsilon", "0.5").out
    assert told in " ".join(explained.split())
    assert explained.splitlines()[0] == unprepared.splitlines()[0]
    ended = clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "0.5", "--as", "alice")
    assert ended.code == 0, ended.err
    assert "prepared" not in ended.out + ended.err
    filtered = "SELECT ward, COUNT(*) FROM visits WHERE age < 50 GROUP BY ward"
    assert clinic.tacit("query", "clinic.toml", filtered, "--epsilon", "0.1", "--as", "alice").code == 0


def test_a_form_is_renewed_and_dropped(clinic: Clinic) -> None:
    clinic.tacit("prepare", "clinic.toml")
    first = prepared(clinic)
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("max = 110", "max = 100"))
    told = " ".join(clinic.tacit("explain", "clinic.toml", BY_REGION).out.split())
    assert (
        "A prepared form is there, but the data or their description changed since: `tacit prepare` renews it." in told
    )
    clinic.tacit("prepare", "clinic.toml")
    assert len(prepared(clinic)) == 1
    assert prepared(clinic) != first
    assert "is removed" in clinic.tacit("prepare", "clinic.toml", "--drop").out
    assert prepared(clinic) == []
    assert "There was no prepared form." in clinic.tacit("prepare", "clinic.toml", "--drop").out


@pytest.mark.parametrize("words", [("nowhere.toml",), ("visits.parquet",)])
def test_what_is_no_description_is_refused(clinic: Clinic, words: tuple[str, ...]) -> None:
    ended = clinic.tacit("prepare", *words)
    assert ended.code == 2
    assert ended.err.startswith("Refused, nothing spent: ")


def test_people_of_one_row_are_refused_with_the_cure(clinic: Clinic) -> None:
    rows = DESCRIPTION.replace('{ id = "patient_id", hides', "{ row = true, hides").replace("limits = { rows = 6 }", "")
    (clinic.folder / "clinic.toml").write_text(rows)
    ended = clinic.tacit("prepare", "clinic.toml")
    assert ended.code == 2
    assert "Each row is a person" in ended.err
    assert "Accepted instead: queries as they are." in ended.err
