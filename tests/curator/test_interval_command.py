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
    assert "95% intervals, guaranteed: they hold on all data, for rows cut to at_most." in text
    assert "Not counted: rows without an owner." in text
    assert "Bounded" not in text
    claims = json.loads((declared.folder / "count.json").read_text())["statement"]["claims"]
    assert sum("the most that one person can have" in claim for claim in claims) == 1
    money = said(declared, "query", SUM, "--epsilon", "0.2", "--interval", "guaranteed")
    assert "at most 90,000 of cost (declared as the most there can be)." in money
    groups = said(declared, "query", BY_REGION, "--epsilon", "0.2", "--interval", "guaranteed")
    assert "95% intervals, guaranteed" in groups


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
    assert "95% intervals, guaranteed: they hold on all data." in text


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
    assert "95% intervals, guaranteed: they hold on all data, for rows cut to at_most." in text
    usual = said(declared, "explain", COUNT, "--epsilon", "1", "--brief")
    assert "at most 6 rows (declared; two fifths of this query's price tells what that cuts off)" in usual
    assert "Expected error of the noise, 95%; what limits cut off is added when it is known: COUNT(*) ± " in usual
    bounded = said(declared, "explain", COUNT, "--epsilon", "1", "--interval", "bounded", "--brief")
    assert "at most 6 rows (declared). Expected error, 95%: COUNT(*) ± " in bounded
    promised = said(declared, "query", COUNT, "--error", "5000", "--interval", "guaranteed")
    assert "The least price that promises ± 5,000." in promised


def test_a_target_error_is_promised_where_its_width_is_known(declared: Clinic) -> None:
    """A usual question is answered with at_most as the limit, and says so; of the noise alone with `bounded`."""
    why = "For a target error the limit is at_most, which cuts nobody who keeps to it."
    assert why in said(declared, "explain", COUNT, "--error", "5000", "--brief")
    text = said(declared, "query", COUNT, "--error", "5000")
    assert f"for rows cut to at_most. The least price that promises ± 5,000. {why}" in text
    assert "Keeps the target ± 6,000." in said(declared, "query", COUNT, "--error", "6000")
    assert "free." in said(declared, "query", COUNT, "--interval", "guaranteed")
    assert "The least price that promises ± 60." in said(declared, "query", PEOPLE, "--error", "60")


def test_a_target_error_that_nobody_can_promise_is_refused_with_its_cures(clinic: Clinic) -> None:
    for command in ("query", "explain"):
        text = refused(clinic, command, COUNT, "--error", "200")
        assert "What limits cut off is not known before the query is paid for." in text
        assert "--interval bounded, which promises the noise alone; at_most, declared for the table; or" in text
    assert not clinic.entries()
    promised = said(clinic, "query", COUNT, "--error", "200", "--interval", "bounded")
    assert "95% intervals for rows cut to the limits: the noise alone, not what limits cut off." in promised
    assert "The least price that promises ± 200." in promised


def test_an_earlier_answer_that_keeps_a_target_is_free(clinic: Clinic) -> None:
    """Its intervals are known: what could not be promised of them is seen."""
    said(clinic, "query", COUNT, "--epsilon", "1")
    before = clinic.entries()
    assert "Keeps the target ± 5,000." in said(clinic, "query", COUNT, "--error", "5000")
    assert "asking is free" in said(clinic, "explain", COUNT, "--error", "5000")
    (row,) = json.loads(clinic.tacit("query", "clinic.toml", COUNT, "--format", "json").out)["rows"]
    longer = max(row["count_high"] - row["count"], row["count"] - row["count_low"])  # upwards, mostly
    assert "Keeps the target" in said(clinic, "query", COUNT, "--error", f"{longer:.0f}")
    refused(clinic, "query", COUNT, "--error", f"{longer - 2:.0f}")
    assert "What limits cut off is not known" in refused(clinic, "query", COUNT, "--error", "5")
    assert "What limits cut off is not known" in refused(clinic, "query", COUNT, "--error", "5000", "--fresh")
    assert clinic.entries() == before
