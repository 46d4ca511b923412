"""Quantiles of dates and timestamps, groups that may be empty, values without scale, and other spellings.

Of n releases fewer than `least_covered(n)` intervals hold the truth with probability at most 1e-4 if each does with
95%.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from sqlglot import exp
from tests.query.coverage.releases import CONFIDENCE, ENGINE, Exact, least_covered

import tacit
from tacit.errors import Refused
from tacit.query.aggregates.spellings import respelled
from tacit.query.post_noise.estimates import Estimates, Groups, Keys
from tacit.query.post_noise.post_processing import read_post_processing
from tacit.release.cells import TOO_FEW, cells
from tacit.release.export import arrow_table
from tacit.schema.description import Description
from tacit.schema.kind import Kind
from tacit.schema.reader import read_description

_DESCRIPTION = """
[dataset]
name = "stays"
unit = { id = "person", hides = "one person" }
budget = { epsilon = 100, delta = 1e-5 }
floor = 0
[tables.stays]
source = "stays.parquet"
limits = { rows = 1, keys = 1 }
[tables.stays.columns]
ward = { type = "text", keys = ["a", "b", "nowhere"], nullable = false }
day = { type = "date", min = 2020-01-01, max = 2029-12-31 }
moment = { type = "timestamp", min = 2020-01-01T00:00:00, max = 2029-12-31T23:59:59 }
amount = { type = "int" }
size = { type = "int", min = 0, max = 100 }
"""
_MANY = 4_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("stays")
    generator = np.random.default_rng(3)
    days = [date(2023, 1, 1) + timedelta(days=int(each)) for each in generator.gamma(4, 60, _MANY)]
    table = pa.table(
        {
            "person": np.arange(_MANY),
            "ward": generator.choice(["a", "b"], _MANY),
            "day": days,
            "moment": [datetime(day.year, day.month, day.day, 7, 30) for day in days],
            "amount": generator.integers(0, 500, _MANY),
            "size": [int(each) if each < 95 else None for each in generator.integers(0, 100, _MANY)],
        }
    )
    pq.write_table(table, made / "stays.parquet")
    (made / "stays.toml").write_text(_DESCRIPTION)
    return made


@pytest.fixture(scope="module")
def described(folder: Path) -> Description:
    return read_description(folder / "stays.toml", ENGINE.public_values)


@pytest.mark.parametrize(("column", "unit", "releases"), [("day", "days", 200), ("moment", "seconds", 30)])
def test_a_median_of_times_is_a_time(
    folder: Path, described: Description, column: str, unit: str, releases: int
) -> None:
    exact = Exact.of(described, f"SELECT MEDIAN({column}) FROM stays")
    (found,) = exact.estimates(releases, seed=3).values()
    sql = f"SELECT quantile_disc({column}, 0.5) FROM '{folder}/stays.parquet'"
    (truth,) = duckdb.connect().execute(sql).fetchone() or ()
    number = (truth - type(truth)(1970, 1, 1)) // timedelta(**{unit: 1})
    assert ((found.low <= number) & (number <= found.high)).sum() >= least_covered(releases)
    shown, low, high = found.times
    assert found.time is shown.type is (Kind.DATE if column == "day" else Kind.TIMESTAMP)
    assert all(isinstance(each, type(truth)) for each in (*shown.values, *low.values, *high.values))


@pytest.mark.parametrize("kind", [Kind.DATE, Kind.TIMESTAMP])
def test_an_end_beyond_the_calendar_is_its_first_or_last_time(kind: Kind) -> None:
    """R26: a cell of the grid may reach beyond, and a release that is paid for is shown."""
    steps = kind.time_scale.steps_a_second if kind.has_clock else 1
    first, last = (number // steps for number in kind.time_scale.limits)
    points = np.array([float(first), float(last)])
    value, low, high = Estimates(points, points - 2, points + 2, time=kind).times
    assert (value.values[0], low.values[0]) == (kind.time_scale.first,) * 2
    assert high.values[1] == kind.time_scale.last


def test_a_time_is_shown_exported_and_not_computed_with(described: Description) -> None:
    exact = Exact.of(described, "SELECT ward, MAX(day) AS last FROM stays GROUP BY ward ORDER BY last DESC", "20")
    question = exact.plan.question
    noisy = exact.releases(1, seed=1)
    aggregates = {name: each.read(noisy) for name, each in question.aggregates.items()}
    rendered = question.above.render(
        Groups({"ward": Keys(("a", "b", "nowhere"), Kind.TEXT)}, aggregates, 3), CONFIDENCE
    )
    texts = [str(cell) for cell in cells(rendered["last"])]
    assert texts[-1].startswith(TOO_FEW)
    assert texts[0].startswith("202")
    assert " to 202" in texts[0]
    table = arrow_table(rendered)
    assert [table.schema.field(f"last{end}").type for end in ("", "_low", "_high")] == [pa.date32()] * 3
    for asked in ("MAX(day) - MIN(day)", "MAX(day) > DATE '2024-01-01'", "COALESCE(MAX(day), MIN(day))"):
        with pytest.raises(Refused):
            Exact.of(described, f"SELECT {asked} FROM stays")


def test_a_group_that_may_be_empty_has_no_median(described: Description) -> None:
    """Without rows every value is possible; an honest interval alone would say otherwise 1 time in 20."""
    exact = Exact.of(described, "SELECT ward, MEDIAN(size) FROM stays GROUP BY ward")
    (found,) = exact.estimates(300, seed=4).values()
    value, low, high = (end.reshape(300, 3) for end in (found.value, found.low, found.high))
    assert np.isfinite(value[:, :2]).all()
    assert np.isnan(value[:, 2]).mean() > 0.9
    assert ((low[:, 2] == 0) & (high[:, 2] == 100))[np.isnan(value[:, 2])].all()


_PER_PERSON = "(SELECT person, COUNT(*) AS n, SUM(size) AS total FROM stays GROUP BY person)"


def test_a_value_without_bounds_has_no_quantile(folder: Path) -> None:
    """What a person has may be any number: refused before the charge, with what would be answered."""
    opened = tacit.open(folder / "stays.toml", ledger=folder / "ledger.sqlite")
    for call, inside in (
        ("MEDIAN(n)", "n"),
        ("MIN(n + 1)", "n + 1"),
        ("QUANTILE_CONT(n, 0.9) FILTER(WHERE n > 3)", "n"),
    ):
        with pytest.raises(Refused, match="have no bounds") as caught:
            opened.explain(f"SELECT {call} FROM {_PER_PERSON}", epsilon=1)
        assert f"LEAST(GREATEST({inside}, 0), 1000)" in caught.value.accepted
    opened.explain(f"SELECT MEDIAN(LEAST(n, 1000)) FROM {_PER_PERSON}", epsilon=1)


def test_a_count_of_a_person_is_bounded_by_what_is_declared(folder: Path) -> None:
    text = (folder / "stays.toml").read_text().replace("limits = { rows = 1, keys = 1 }", "at_most = { rows = 40 }")
    (folder / "most.toml").write_text(text)
    exact = Exact.of(
        read_description(folder / "most.toml", ENGINE.public_values), f"SELECT MEDIAN(n) FROM {_PER_PERSON}"
    )
    (ranks,) = exact.plan.ranks
    assert (ranks.low, ranks.high, ranks.width) == (0, 40, 1)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("MEAN(size)", "AVG(size)"),
        ("COUNT_IF(size > 3)", "COUNT(*) FILTER(WHERE size > 3)"),
        ("COUNTIF(size > 3) FILTER (WHERE ward = 'a')", "COUNT(*) FILTER(WHERE size > 3 AND ward = 'a')"),
        ("approx_count_distinct(size)", "COUNT(DISTINCT size)"),
        ("approx_quantile(size, 0.9)", "QUANTILE(size, 0.9)"),
        ("approx_percentile(size, 0.9)", "QUANTILE(size, 0.9)"),
        ("approx_median(size)", "MEDIAN(size)"),
        ("STD(size)", "STDDEV(size)"),
        ("REGR_AVGX(size, amount)", "AVG(amount) FILTER(WHERE NOT (size) IS NULL)"),
    ],
)
def test_a_spelling_is_what_it_means_under_its_own_name(written: str, meant: str) -> None:
    select = sqlglot.parse_one(f"SELECT {written} FROM stays", dialect="duckdb")
    assert isinstance(select, exp.Select)
    (item,) = respelled(select).expressions
    assert item.this.sql("duckdb") == meant
    assert item.alias == select.expressions[0].sql("duckdb").lower()
    assert read_post_processing(respelled(select), [], [meant]).items[0].name == item.alias


@pytest.mark.parametrize(
    "call",
    [
        *(
            "COUNT(DISTINCT (ward, size))",
            "COUNT(DISTINCT ward, size)",
            "COUNT(DISTINCT size) FILTER (WHERE ward = 'a')",
        ),
        "COUNT(DISTINCT (CASE WHEN amount % 2 = 0 THEN 7 END, CASE WHEN amount % 2 = 1 THEN 7 END))",
    ],
)
def test_several_values_are_counted_together(folder: Path, described: Description, call: str) -> None:
    """A row of values that has a NULL counts in brackets, and not without."""
    exact = Exact.of(described, f"SELECT {call} FROM stays")
    (aggregate,) = exact.plan.question.aggregates.values()
    plain = call.replace("DISTINCT ward, size)", "DISTINCT (ward, size)) FILTER (WHERE size IS NOT NULL)")
    (truth,) = duckdb.connect().execute(f"SELECT {plain} FROM '{folder}/stays.parquet'").fetchone() or ()
    assert exact.true(aggregate.parts[0])[0] == truth


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        ("BOOL_OR(size > 3)", "COUNT(*) FILTER (WHERE p)"),
        ("BOOL_AND(size > 3)", "WHERE NOT p"),
        ("EVERY(size > 3)", "WHERE NOT p"),
        ("MODE(ward)", "GROUP BY x"),
        ("HISTOGRAM(ward)", "GROUP BY x"),
        ("ARG_MAX(size, amount)", "GROUP BY"),
        ("QUANTILE_CONT(size, [0.25, 0.5])", "one call for each share"),
        ("COUN(*)", "COUNT."),
        ("MEDAIN(size)", "MEDIAN"),
    ],
)
def test_an_aggregate_without_a_private_form_names_its_cure(described: Description, call: str, cure: str) -> None:
    with pytest.raises(Refused) as caught:
        Exact.of(described, f"SELECT {call} FROM stays")
    assert cure in caught.value.accepted
