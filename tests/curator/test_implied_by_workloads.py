"""Queries that a released workload implies: free at any price that is no more accurate, true, and said to be so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist

import duckdb
import numpy as np
import pytest

import tacit
from tacit.curator.dataset import Dataset
from tacit.curator.implied_search import find_implied
from tacit.curator.implied_workload import WorkloadAnswer
from tacit.curator.planner import Planner
from tacit.errors import Refused
from tacit.query.plans.limit import IntervalKind
from tacit.query.post_noise.estimates import Estimates
from tacit.release.release import Release
from tacit.workload.linear.counts_plan import CountsPlan

TEXT = """\
[dataset]
name = "visits"
unit = { row = true, hides = "one visit" }
budget = { epsilon = 400, delta = 1e-6 }

[tables.visits]
source = "visits.parquet"

[tables.visits.columns]
pid = { type = "int", min = 0, max = 500, nullable = false }
region = { type = "text", keys = ["north", "south", "east"], nullable = false }
age = { type = "int", min = 0, max = 79, nullable = false }
day = { type = "date", min = 2024-01-01, max = 2024-03-31, nullable = false }
paid = { type = "int", min = 0, max = 100, nullable = false }
"""
BY_PERSON = (
    TEXT.replace("row = true", 'id = "pid"')
    .replace(", min = 0, max = 500, nullable = false", "")
    .replace('.parquet"', '.parquet"\nlimits = { rows = 12 }')
)
ROWS = """\
SELECT (i % 500)::INTEGER AS pid, ['north', 'south', 'east'][1 + (i * 5 // 7) % 3] AS region,
    (i * 7 % 80)::INTEGER AS age, DATE '2024-01-01' + (i * 11 // 3 % 91)::INTEGER AS day, (i % 101)::INTEGER AS paid
FROM range({many}) AS r(i)
"""
RUNNING = "SELECT day, SUM(COUNT(*)) OVER (ORDER BY day) AS total FROM visits GROUP BY day"
LATE = "SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '2024-02-15'"


class Folder:
    """A data set whose description and rows can be changed."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.fill(6000)
        self.describe(TEXT)

    def fill(self, many: int) -> None:
        duckdb.sql(ROWS.format(many=many)).write_parquet(str(self.place / "visits.parquet"))

    def describe(self, text: str) -> None:
        (self.place / "visits.toml").write_text(text, encoding="utf-8")

    def open(self) -> Dataset:
        return tacit.open(self.place / "visits.toml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    return Folder(tmp_path)


@pytest.fixture
def visits(folder: Folder) -> Iterator[Dataset]:
    with folder.open() as dataset:
        yield dataset


def truth(sql: str) -> list[tuple[object, ...]]:
    return duckdb.sql(f"WITH visits AS ({ROWS.format(many=6000)}) {sql}").fetchall()


def numbers(release: Release, column: int = -1) -> Estimates:
    values = release.rendered.columns[column].values
    assert isinstance(values, Estimates)
    return values


@pytest.mark.parametrize(
    "sql",
    [
        LATE,
        "SELECT month(day) AS m, COUNT(*) AS n FROM visits WHERE day >= DATE '2024-02-15' GROUP BY m",
        "SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY m HAVING COUNT(*) > 100 ORDER BY n DESC LIMIT 2",
        "SELECT COUNT(*) - COUNT(*) FILTER (WHERE month(day) = 2) AS n FROM visits",
        "SELECT SUM(CASE WHEN month(day) = 2 THEN 1 ELSE 0 END) AS n FROM visits",
        "SELECT month(day) AS m, COUNT(CASE WHEN day(day) < 9 THEN 1 END) AS n FROM visits GROUP BY m",
        "SELECT v.day, COUNT(*) AS n FROM visits v WHERE v.day < DATE '2024-01-04' GROUP BY v.day",
    ],
)
def test_a_query_with_a_price_is_free_and_true(visits: Dataset, sql: str) -> None:
    """At ε = 100 an answer that joins two totals has a deviation below a person: 4 are five of them."""
    visits.workload(f"{RUNNING} -- for the dashboard", epsilon=100)
    entry = visits.budget().entries[-1].number
    spent = str(visits.budget())
    said = str(visits.explain(sql, epsilon=1))
    assert "No SQL is sent to the engine." in said
    for found in (visits.query(sql, epsilon=1), visits.query(sql)):
        assert found.price.free
        assert f"entry {entry} of the ledger" in found.notes[0]
        counts = [float(value) for value in numbers(found).value if value]
        assert np.allclose(sorted(counts), sorted(int(str(row[-1])) for row in truth(sql)), atol=4)
    assert str(visits.budget()) == spent


SHARES = "SELECT AVG(CASE WHEN day >= DATE '2024-02-15' THEN 1 ELSE 0 END) AS n FROM visits WHERE month(day) < 4"


def test_a_share_is_free_and_its_interval_is_of_both_counts(visits: Dataset) -> None:
    """By the joint law: the deviation of A − r·N, from readings of both; a twin without their covariance differs."""
    visits.workload(RUNNING, epsilon=10)
    found = visits.query(SHARES)
    read = numbers(found)
    assert found.price.free
    assert visits.explain(SHARES, epsilon=0.1).is_stored
    assert not visits.explain(SHARES, epsilon=40).is_stored
    ((true,),) = truth(SHARES)
    assert read.low[0] <= float(str(true)) <= read.high[0]
    planner = Planner.of(visits._opened)
    answer = find_implied(planner, planner.question(SHARES), IntervalKind.USUAL)
    assert isinstance(answer, WorkloadAnswer)
    (name,) = answer.question.aggregates
    top, rows = (answer.readings[list(each)] for each in answer._columns(name))
    counts, share = answer.found.counts, float(read.value[0])
    exact = float(counts.variance) ** 0.5 / float(counts.scale) * float(np.linalg.norm(top - share * rows))
    half = NormalDist().inv_cdf(0.975) * exact / float(counts.read(rows).steps[0])
    assert float((read.high - read.low)[0]) / 2 == pytest.approx(half, rel=0.01)
    apart = np.hypot(np.linalg.norm(top), share * np.linalg.norm(rows))
    assert not np.isclose(np.linalg.norm(top - share * rows), apart, rtol=0.05)


def test_where_a_limit_cuts_a_share_has_bounded_intervals_alone(folder: Folder) -> None:
    folder.describe(BY_PERSON.replace("limits = { rows = 12 }", ""))
    with folder.open() as visits:
        visits.workload(RUNNING, epsilon=10)
        assert visits.query("SELECT COUNT(*) AS n FROM visits").intervals.kind == "usual"
        with pytest.raises(Refused, match="without a price"):
            visits.query(SHARES)
        assert visits.query(SHARES, interval="bounded").price.free


def test_a_query_that_must_be_more_accurate_is_paid_for(visits: Dataset) -> None:
    visits.workload(RUNNING, epsilon=20)
    assert visits.query(LATE, epsilon=2).price.free
    assert "SQL sent to the engine:" in str(visits.explain(LATE, epsilon=60))
    assert not visits.query(LATE, epsilon=60).price.free


def test_its_interval_is_of_the_joint_noise(visits: Dataset) -> None:
    """The same interval as the workload gives to the question itself; not that of two totals added up."""
    found = visits.workload(f"{RUNNING}; {LATE}", epsilon=2)
    one, late = numbers(found.tables[0].release), numbers(visits.query(LATE))
    total = numbers(visits.query("SELECT COUNT(*) AS n FROM visits"))
    assert (one.value[0], one.low[0], one.high[0]) == pytest.approx((late.value[0], late.low[0], late.high[0]))
    days = numbers(found.tables[1].release)
    before = days.value[44]  # until 14 February
    assert float(late.value[0]) == pytest.approx(float(total.value[0]) - float(before), abs=1e-6)
    apart = ((days.high - days.value)[44] ** 2 + float((total.high - total.value)[0]) ** 2) ** 0.5
    assert float((late.high - late.value)[0]) < 0.99 * apart


@pytest.mark.parametrize("text", [TEXT, BY_PERSON])
@pytest.mark.parametrize("sql", [LATE, "SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY m"])
def test_what_is_free_is_no_less_accurate_than_what_is_paid_for(folder: Folder, text: str, sql: str) -> None:
    """The dearest price at which an answer is free: asked afresh at that price, noise is no smaller.

    Where a limit is still to be found, the query's own might be smaller: both are compared at the same one.
    """
    folder.describe(text)
    with folder.open() as visits:
        visits.workload(RUNNING, epsilon=40)
        prices = [2.0 * 1.3**power for power in range(14)]
        free = [price for price in prices if "No SQL is sent" in str(visits.explain(sql, epsilon=str(price)))]
        assert 0 < len(free) < len(prices)
        implied, asked = (
            visits.query(sql, epsilon=str(free[-1]), interval="usual", fresh=is_fresh) for is_fresh in (False, True)
        )
        assert implied.price.free
        assert not asked.price.free
        assert _widest(implied) <= 1.05 * _widest(asked)


def _widest(release: Release) -> float:
    """The widest interval of the noise alone."""
    column = release.rendered.columns[-1]
    found = column.values if column.bounded is None else column.bounded
    assert isinstance(found, Estimates)
    return float((found.high - found.low).max())


def test_people_with_several_rows_are_told_how_much_of_them_counts(folder: Folder) -> None:
    """Usual intervals with the cut; bounded ones are read from the same release; guaranteed ones are not."""
    folder.describe(BY_PERSON)
    with folder.open() as visits:
        visits.workload(RUNNING, epsilon=30)
        found = visits.query(LATE, epsilon="1.5")
        assert found.price.free
        assert found.intervals.kind == "usual"
        assert any("One person counts for at most 12 rows" in note for note in found.notes)
        assert visits.query(LATE, interval="bounded").intervals.kind == "bounded"
        with pytest.raises(Refused):
            visits.query(LATE, interval="guaranteed")


CHANGES = {
    "days": TEXT.replace("2024-03-31", "2024-03-30"),
    "amounts": TEXT.replace("max = 100", "max = 50"),
    "nullable": TEXT.replace("03-31, nullable = false", "03-31"),
}
ASKED = {
    "days": (RUNNING, LATE),
    "amounts": (RUNNING.replace("COUNT(*)", "SUM(paid)"), LATE.replace("COUNT(*)", "SUM(paid)")),
    "nullable": (RUNNING, LATE),
}


def is_answered(folder: Folder, name: str) -> bool:
    """Whether what was released before the description was changed answers a query after it."""
    asked, query = ASKED[name]
    with folder.open() as visits:
        visits.workload(asked, epsilon=100)
        assert visits.query(query).price.free
    folder.describe(CHANGES[name])
    with folder.open() as visits:
        try:
            return visits.query(query).price.free
        except Refused:
            assert not visits.query(query, epsilon=2).price.free
            return False


@pytest.mark.parametrize("name", CHANGES)
def test_a_release_under_another_description_does_not_answer(folder: Folder, name: str) -> None:
    assert not is_answered(folder, name)


def test_the_books_of_one_unit_answer_nothing_of_another(folder: Folder) -> None:
    with folder.open() as visits:
        visits.workload(RUNNING, epsilon=100)
    folder.describe(BY_PERSON)
    with folder.open() as visits, pytest.raises(Refused, match="losses under two units"):
        visits.query(LATE)


def test_a_plan_that_is_not_compared_is_caught(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one digest for all plans, a sum of amounts up to 100 would be read as one of amounts up to 50."""
    monkeypatch.setattr(CountsPlan, "digest", property(lambda _: "one"))
    assert is_answered(folder, "amounts")


def test_a_release_of_other_rows_does_not_answer(folder: Folder) -> None:
    with folder.open() as visits:
        visits.workload(RUNNING, epsilon=100)
        for other in (f"{LATE} AND pid < 250", LATE.replace("COUNT(*)", "SUM(paid)"), f"{LATE} AND region = 'north'"):
            with pytest.raises(Refused, match="without a price"):
                visits.query(other)
            assert not visits.query(other, epsilon=2).price.free
    folder.fill(3000)
    with folder.open() as visits, pytest.raises(Refused, match="without a price"):
        visits.query(LATE)
