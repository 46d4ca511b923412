"""Limits from at_most: no person within it is cut, and unbounded parts are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.laws.databases import engine_session

from tacit.errors import Refused
from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.execution.program import program
from tacit.query.plans.limit import IntervalKind, Origin
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import price_of
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import AtMost, Column, Description, Limits, Lookup, OwnColumn, Source, Table, Unit
from tacit.schema.kind import Kind

GUARANTEED = IntervalKind.GUARANTEED
_NOWHERE = Source("parquet", Path("nowhere.parquet"))
VISITS = {
    "area": Column("area", Kind.TEXT, keys=("a", "b", "c")),
    "cost": Column("cost", Kind.INTEGER, Fraction(-50), Fraction(50)),
    "huge": Column("huge", Kind.INTEGER, Fraction(0), Fraction(2**50)),
}
CALLS = {
    "topic": Column("topic", Kind.TEXT, keys=("a", "b")),
    "cost": Column("cost", Kind.INTEGER, Fraction(0), Fraction(9)),
}
MINUTES = {
    "area": Column("area", Kind.TEXT, keys=("a", "b", "c")),
    "minutes": Column("minutes", Kind.INTEGER, Fraction(0), Fraction(9)),
}
WARDS = {"area": Column("area", Kind.TEXT), "floor": Column("floor", Kind.INTEGER, Fraction(0), Fraction(9))}
ROWS = """
CREATE TABLE visits AS SELECT * FROM (VALUES (1, 'a', 50, 9), (1, 'a', -50, 2), (1, 'b', 50, 1), (1, 'c', 0, 4),
    (2, 'a', 3, 8), (2, 'b', -50, 0), (3, 'a', 7, 1)) AS v(pid, area, cost, huge);
CREATE TABLE calls AS SELECT * FROM (VALUES (1, 'a', 9), (1, 'b', 9), (2, 'a', 1)) AS v(pid, topic, cost);
CREATE TABLE minutes AS SELECT * FROM (VALUES (1, 'a', 9), (1, 'a', 8), (1, 'b', 9), (2, 'a', 7), (9, 'c', 7))
    AS v(pid, area, minutes);
CREATE TABLE wards AS SELECT * FROM (VALUES ('a', 1), ('b', 2)) AS v(area, floor);
"""
MOST = {
    "visits": AtMost(4, {"cost": Fraction(150), "huge": Fraction(16)}),
    "calls": AtMost(2, {"cost": Fraction(18)}),
    "minutes": AtMost(3, {"minutes": Fraction(26)}),
}
UNCUT = (
    "SELECT COUNT(*), SUM(cost), SUM(huge) FROM visits",
    "SELECT area, COUNT(*), SUM(cost) FROM visits GROUP BY area",
    "SELECT area, SUM(huge) FROM visits GROUP BY area",
    "SELECT area, COUNT(DISTINCT pid) FROM visits GROUP BY area",
    "SELECT SUM(cost) FILTER (WHERE cost > 0), COUNT(cost), SUM(cost * cost) FROM visits WHERE area <> 'c'",
    "SELECT COUNT(*), SUM(minutes), SUM(huge) FROM visits AS v JOIN minutes AS m ON v.pid = m.pid AND v.area = m.area",
    "SELECT v.area, COUNT(*), SUM(minutes) FROM visits AS v LEFT JOIN minutes AS m ON v.pid = m.pid GROUP BY v.area",
    "SELECT COUNT(*), SUM(v.cost) FROM visits AS v JOIN visits AS w ON v.pid = w.pid",
    "SELECT COUNT(*), SUM(v.cost), SUM(c.cost) FROM visits AS v JOIN calls AS c ON v.pid = c.pid",
    "SELECT COUNT(*), SUM(floor), SUM(cost) FROM visits AS v JOIN wards AS w ON v.area = w.area",
    "SELECT SUM(cost) FROM (SELECT pid, area, MAX(cost) * 40 AS cost FROM visits GROUP BY pid, area) AS q",
    "SELECT SUM(cost), COUNT(*) FROM (SELECT pid, area, cost * 7 AS cost FROM visits) AS q",
    "WITH visits AS (SELECT pid, area, cost * 9 AS cost FROM visits) SELECT SUM(cost) FROM visits",
    "SELECT SUM(cost) FROM visits AS v JOIN (SELECT pid, COUNT(*) AS n FROM visits GROUP BY pid) AS q ON v.pid = q.pid",
)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        opened.connection.execute("USE memory.main")
        opened.connection.execute(ROWS)
        yield opened


def described(is_pure: bool = False, **more: Any) -> Catalogue:
    """The clinic, in which no person has more than `MOST`, and some person attains each part of it."""
    budget = Pure(4) if is_pure else budget_from(4, Fraction(1, 10**5))
    columns = {"visits": VISITS, "calls": CALLS, "minutes": MINUTES}
    tables = {
        name: Table(name, _NOWHERE, each, OwnColumn("pid"), Limits(), MOST[name]) for name, each in columns.items()
    }
    tables |= {name: replace(tables[name], at_most=at_most) for name, at_most in more.items()}
    lookups = {"wards": Lookup("wards", _NOWHERE, WARDS, "area")}
    unit = Unit(Relation.ADD_REMOVE, "one person", "pid")
    return Catalogue(Description("clinic", Path("clinic.toml"), unit, budget, budget, tables, lookups))


def plan_of(sql: str, catalogue: Catalogue, interval: IntervalKind = GUARANTEED) -> Plan:
    is_gaussian = not isinstance(catalogue.description.budget, Pure)
    return make_plan(read_question(sql, catalogue), catalogue, is_gaussian, interval)


def norms(sql: str, **more: AtMost) -> list[Fraction | None]:
    plan = plan_of(sql, described(**more))
    return [limit.norm for limit in plan.limits.values()]


@pytest.mark.parametrize("is_pure", [False, True])
@pytest.mark.parametrize("sql", UNCUT)
def test_nobody_within_at_most_is_cut(sql: str, is_pure: bool, session: DuckDBSession) -> None:
    """Sums are those of plain SQL, though some people have all that anybody can have."""
    catalogue = described(is_pure)
    plan = plan_of(sql, catalogue)
    description = catalogue.description
    price = price_of(description.budget, description.promise, 1, None, False)
    tally, keys = program(plan, price).tally, len(plan.question.keys)
    assert tally is not None
    found = {row[:keys]: row[keys:] for row in session.connection.execute(tally.sql()).fetchall()}
    for row in session.connection.execute(sql).fetchall():
        steps = [Fraction(y) / each.scale for y, each in zip(found[row[:keys]], tally.scalings, strict=True)]
        assert steps == [value or 0 for value in row[keys:]], sql


def test_quantiles_and_values_are_not_cut(session: DuckDBSession) -> None:
    plan = plan_of("SELECT MEDIAN(cost), COUNT(DISTINCT cost) FROM visits", catalogue := described())
    price = price_of(catalogue.description.budget, catalogue.description.promise, 1, None, False)
    blocks = program(plan, price)
    (ranks,), (distinct,) = blocks.ranks, blocks.distincts
    assert sum(row[-1] for row in session.connection.execute(ranks.sql()).fetchall()) == 7 * ranks.unit
    assert session.connection.execute(distinct.sql()).fetchall() == [(5,)]


def test_a_little_less_cuts(session: DuckDBSession) -> None:
    """The twin: what is declared is what is enforced."""
    less = described(visits=AtMost(3))
    sql = "SELECT COUNT(*) FROM visits"
    price = price_of(less.description.budget, less.description.promise, 1, None, False)
    tally = program(plan_of(sql, less), price).tally
    assert tally is not None
    ((counted,),) = session.connection.execute(tally.sql()).fetchall()
    assert Fraction(counted) / tally.scalings[0].scale == 6


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT COUNT(*) FROM visits", [4]),
        ("SELECT SUM(cost) FROM visits", [150]),
        ("SELECT SUM(huge) FROM visits", [16]),
        ("SELECT SUM(cost) FROM visits AS v JOIN wards AS w ON v.area = w.area", [150]),
        ("SELECT COUNT(*), SUM(minutes), SUM(huge) FROM visits AS v JOIN minutes AS m ON v.pid = m.pid", [12, 104, 48]),
        ("SELECT COUNT(*), SUM(v.cost) FROM visits AS v JOIN visits AS w ON v.pid = w.pid", [16, 16 * 50]),
        ("SELECT SUM(v.cost) FROM visits AS v JOIN calls AS c ON v.pid = c.pid", [8 * 50]),  # both have a cost
        ("SELECT SUM(cost) FROM (SELECT pid, area, cost FROM visits) AS q", [4 * 50]),
        ("SELECT SUM(floor) FROM visits AS v JOIN wards AS w ON v.area = w.area", [4 * 9]),
    ],
)
def test_norms_are_those_of_the_tables(sql: str, expected: list[int]) -> None:
    """A total is that of a table's own column alone; in joins rows multiply."""
    assert norms(sql) == expected


def test_a_column_of_a_public_table_has_no_total() -> None:
    assert norms("SELECT SUM(floor) FROM visits AS v JOIN wards AS w ON v.area = w.area") == [36]


@pytest.mark.parametrize(
    ("sql", "more", "accepted"),
    [
        ("SELECT COUNT(*) FROM visits", {"visits": AtMost()}, "[tables.visits.at_most] rows = …; or --interval usual."),
        (
            "SELECT AVG(cost) FROM visits",
            {"visits": AtMost(None, {"cost": Fraction(9)})},
            "[tables.visits.at_most] rows",
        ),
        ("SELECT SUM(huge) FROM visits", {"visits": AtMost(4)}, "[tables.visits.at_most] totals = { huge = … }; or"),
        (
            "SELECT SUM(huge) FROM visits AS v JOIN minutes AS m ON v.pid = m.pid",
            {"visits": AtMost(), "minutes": AtMost()},
            "[tables.visits.at_most] totals = { huge = … } and [tables.minutes.at_most] rows = …; or",
        ),
        (
            "SELECT COUNT(*) FROM visits AS v JOIN minutes AS m ON v.pid = m.pid",
            {"minutes": AtMost()},
            "[tables.minutes.at_most] rows = …; or --interval usual.",
        ),
        ("SELECT SUM(s) FROM (SELECT pid, SUM(cost) AS s FROM visits GROUP BY pid) AS q", {}, "closer bounds; or"),
    ],
)
def test_what_is_not_bounded_is_refused_with_what_to_declare(sql: str, more: dict[str, AtMost], accepted: str) -> None:
    with pytest.raises(Refused) as caught:
        plan_of(sql, described(**more))
    assert caught.value.asked == "--interval guaranteed"
    assert accepted in caught.value.accepted


def test_what_was_declared_is_enough() -> None:
    """The cure of a refusal cures."""
    assert norms("SELECT SUM(huge) FROM visits", visits=AtMost(None, {"huge": Fraction(7)})) == [7]
    assert norms("SELECT SUM(cost) FROM visits", visits=AtMost(None, {"cost": Fraction(9)})) == [9]


def test_other_intervals_take_no_limit_from_it() -> None:
    """Usual and bounded have the limits that there were; what could be is known to both."""
    for interval in (IntervalKind.USUAL, IntervalKind.BOUNDED):
        plan = plan_of("SELECT COUNT(*), COUNT(DISTINCT pid) FROM visits", described(), interval)
        rows, people = plan.question.parts
        assert plan.interval is interval
        assert [limit.origin for limit in plan.limits.values()] == [Origin.FOUND, Origin.CONSTRUCTION]
        assert plan.at_most == {rows: 4}
        assert plan.limits[people].norm == 1


def test_a_kind_of_interval_is_a_part_of_what_is_counted_where_a_limit_cuts() -> None:
    sql = "SELECT COUNT(*), COUNT(DISTINCT pid) FROM visits"
    plans = {kind: plan_of(sql, described(), kind) for kind in IntervalKind}
    names = {kind: [plan.identity(part) for part in plan.question.parts] for kind, plan in plans.items()}
    assert len({rows for rows, _ in names.values()}) == 3
    assert len({people for _, people in names.values()}) == 1
    assert len({plan.family for plan in plans.values()}) == 1
    plain = plan_of(sql, described(visits=AtMost()), IntervalKind.BOUNDED)
    assert plain.digest == plans[IntervalKind.BOUNDED].digest


def test_an_unknown_kind_is_refused_with_all_there_are() -> None:
    with pytest.raises(Refused) as caught:
        IntervalKind.named("sure")
    assert caught.value.accepted == "--interval usual or guaranteed or bounded."
