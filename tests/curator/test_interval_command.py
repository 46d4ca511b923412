"""`--interval`: three kinds, each paid for by itself, and what is said under a guaranteed one."""

from __future__ import annotations

import json

import pytest
from tests.curator.clinic_command import BY_REGION, DESCRIPTION, Clinic

COUNT = "SELECT COUNT(*) FROM visits"
SUM = "SELECT SUM(cost) FROM visits"
PEOPLE = "SELECT COUNT(DISTINCT patient_id) FROM visits"
AT_MOST = "[tables.visits.at_most]\nrows = 400\ntotals = { cost = 90000 }\n\n[tables.visits.columns]"


@pytest.fixture
def declared(clinic: Clinic) -> Clinic:
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("[tables.visits.columns]", AT_MOST))
    return clinic


def said(clinic: Clinic, *words: str) -> str:
    ended = clinic.tacit(words[0], "clinic.toml", *words[1:])
    assert ended.code == 0, ended.err
    return " ".join(ended.out.split())


def refused(clinic: Clinic, *words: str) -> str:
    ended = clinic.tacit(words[0], "clinic.toml", *words[1:])
    assert ended.code == 2, ended.out
    return " ".join(ended.err.split())


def test_a_guaranteed_answer_says_what_it_was_cut_to(declared: Clinic) -> None:
    words = ("--epsilon", "1", "--interval", "guaranteed", "--certificate", "count.json")
    text = said(declared, "query", COUNT, *words)
    assert "One person counts for at most 400 rows (declared as the most there can be)." in text
    assert "Guaranteed intervals: they hold on all data, for rows cut to at_most." in text
    claims = json.loads((declared.folder / "count.json").read_text())["statement"]["claims"]
    assert sum("the most that one person can have" in claim for claim in claims) == 1
    money = said(declared, "query", SUM, "--epsilon", "0.2", "--interval", "guaranteed")
    assert "at most 90,000 of cost (declared as the most there can be)." in money
    groups = said(declared, "query", BY_REGION, "--epsilon", "0.2", "--interval", "guaranteed")
    assert "Guaranteed intervals" in groups


def test_each_kind_is_paid_for_by_itself(declared: Clinic) -> None:
    """A release of one kind answers no other, where a limit may cut."""
    said(declared, "query", COUNT, "--epsilon", "0.2", "--interval", "bounded")
    assert "No earlier release answers it." in refused(declared, "query", COUNT)
    assert "No earlier release answers it." in refused(declared, "query", COUNT, "--interval", "guaranteed")
    assert "free." in said(declared, "query", COUNT, "--interval", "bounded")
    said(declared, "query", COUNT, "--epsilon", "0.2")
    assert "free." in said(declared, "query", COUNT, "--interval", "usual")


def test_where_nothing_is_cut_all_kinds_are_one(declared: Clinic) -> None:
    said(declared, "query", PEOPLE, "--epsilon", "0.2", "--interval", "bounded")
    assert "free." in said(declared, "query", PEOPLE)
    text = said(declared, "query", PEOPLE, "--interval", "guaranteed")
    assert "free." in text
    assert "Guaranteed intervals: they hold on all data." in text


def test_what_cannot_be_guaranteed_is_refused_and_costs_nothing(clinic: Clinic) -> None:
    for command in ("query", "explain"):
        text = refused(clinic, command, COUNT, "--epsilon", "1", "--interval", "guaranteed")
        assert "Nothing declares the most of COUNT(*) that one person can have." in text
        assert "[tables.visits.at_most] rows = …; or --interval usual." in text
        assert "--interval usual or guaranteed or bounded." in refused(clinic, command, COUNT, "--interval", "sure")
    assert not clinic.entries()


def test_explain_and_error_know_the_kind(declared: Clinic) -> None:
    text = said(declared, "explain", COUNT, "--epsilon", "1", "--interval", "guaranteed", "--brief")
    assert "at most 400 rows (declared as the most there can be)" in text
    assert "Guaranteed intervals" in text
    assert "at most 6 rows (declared)" in said(declared, "explain", COUNT, "--epsilon", "1", "--brief")
    promised = said(declared, "query", COUNT, "--error", "5000", "--interval", "guaranteed")
    assert "The least price that promises ± 5,000." in promised
