"""Attacks on usual and guaranteed intervals: what they promise holds, and reading them never fails.

It has the faults that were found and fixed: releases under an at_most that has changed, joins that leave out rows
within at_most, evidence of other amounts, and readings that failed.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.attack.small_clinic import open_clinic

from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Law
from tacit.query.aggregates.quantile import RankDescent
from tacit.query.aggregates.rank_grid import nodes_of
from tacit.query.plans.limit import IntervalKind

_FILE = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { epsilon = 1000, delta = 1e-3 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.v]
source = "v.parquet"
columns.age = { type = "int", min = 0, max = 110, nullable = false }
columns.cost = { type = "int", min = 0, max = 20000 }
columns.stay = { type = "int", min = 0, max = 30, nullable = true }
columns.rare = { type = "bool" }
columns.ward = { type = "text", keys = ["w0", "w1", "w2"] }
"""
_ROWS = (
    "SELECT pid, i % 90 AS age, 100 AS cost, CASE WHEN i < 2 THEN i END AS stay, i = 0 AS rare, 'w' || i % 3 AS ward "
    "FROM (SELECT p AS pid, unnest(range(1 + 1000 // (1 + p % 1000))) AS i FROM range(20000) t(p))"
)
_JOINED = """
at_most = { rows = 2000 }
[tables.u]
source = "u.parquet"
at_most = { rows = 2000 }
columns.k = { type = "int", min = 0, max = 10 }
"""


def test_a_release_under_another_at_most_answers_nothing(tmp_path: Path) -> None:
    """Where at_most became the limit the answer is called guaranteed: not so once the steward says otherwise."""
    asked = "SELECT COUNT(*) AS n FROM v"
    with open_clinic(tmp_path, f"{_FILE}at_most = {{ rows = 60 }}\n", v=_ROWS) as dataset:
        assert "guaranteed" in str(dataset.query(asked, epsilon=1))
        assert "free" in str(dataset.query(asked, epsilon=1))
    for said in ("at_most = { rows = 100000 }\n", ""):
        (tmp_path / "clinic.toml").write_text(_FILE + said)
        with open_dataset(tmp_path / "clinic.toml") as dataset:
            with pytest.raises(Refused, match="No earlier release"):
                dataset.query(asked)
            assert "guaranteed: they hold" not in str(dataset.query(asked, epsilon=1))


def test_nothing_is_guaranteed_where_a_join_leaves_out_rows_within_at_most(tmp_path: Path) -> None:
    """Four million pairs are within at_most, and a join takes a million: it was called guaranteed, and was wrong."""
    asked = "SELECT COUNT(*) AS n, SUM(k) FROM v JOIN u ON v.pid = u.pid AND v.age = u.k"
    rows = {"v": f"SELECT * REPLACE (5 AS age) FROM ({_ROWS}) WHERE pid = 0", "u": "SELECT 0 AS pid, 5 AS k"}
    with open_clinic(tmp_path, _FILE + _JOINED, **rows) as dataset:
        with pytest.raises(Refused, match="no join leaves any out"):
            dataset.query(asked, epsilon=600, interval="guaranteed")
        with pytest.raises(Refused, match="target error"):
            dataset.query(asked, error=50)
        assert not dataset._planner.bare_plan(dataset._planner.question(asked), IntervalKind.USUAL).at_most
    (tmp_path / "clinic.toml").write_text((_FILE + _JOINED).replace("rows = 2000", "rows = 1024"))
    with open_dataset(tmp_path / "clinic.toml") as dataset:
        assert "guaranteed: they hold" in str(dataset.query(asked, epsilon=300, interval="guaranteed"))


@pytest.mark.parametrize(
    ("asked", "is_known"),
    [
        ("SELECT COUNT(*) FROM v", True),
        ("SELECT SUM(cost) FROM v", True),
        ("SELECT ward, COUNT(*) FROM v GROUP BY ward", True),
        ("SELECT MEDIAN(age) FROM v", True),
        ("SELECT COUNT(*) FILTER (WHERE rare) FROM v", False),
        ("SELECT SUM(cost) FILTER (WHERE rare) FROM v", False),
        ("SELECT ward, COUNT(*) FILTER (WHERE rare) FROM v GROUP BY ward", False),
        ("SELECT ward, COUNT(DISTINCT pid) FILTER (WHERE rare) FROM v GROUP BY ward", False),
        ("SELECT MEDIAN(age) FILTER (WHERE rare) FROM v", False),
        ("SELECT COUNT(stay) FROM v", False),
        ("SELECT MEDIAN(stay) FROM v", False),
    ],
)
def test_a_profile_of_all_rows_is_no_evidence_of_some(tmp_path: Path, asked: str, *, is_known: bool) -> None:
    """Otherwise 10,000 rows of one row per person had an interval as if people had a thousand: 0 to 18,301,387."""
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        dataset.profile(epsilon=5)
        planner = dataset._planner
        question = planner.question(asked)
        plan = planner.plan(question, planner.price(question, 1, None), IntervalKind.USUAL)
    assert plan.binned
    assert set(plan.evidence) == (set(plan.binned) if is_known else set())
    assert plan.is_beside_profile == is_known


def test_what_was_asked_at_a_higher_price_is_free_whatever_a_profile_says(tmp_path: Path) -> None:
    """A smaller share finds limits beside a profile that is sharp at a price: the same price was charged again."""
    asked = "SELECT COUNT(*) AS n FROM v"
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        dataset.query(asked, epsilon=1)
        dataset.profile(epsilon=5)
        for epsilon in ("1", "0.98", "0.5"):
            assert dataset.explain(asked, epsilon=epsilon).is_stored
            assert "free" in str(dataset.query(asked, epsilon=epsilon))
        planner = dataset._planner
        question = planner.question(asked)
        rising = [Fraction(tenths, 10) for tenths in range(50, 400)]
        prices = {each: planner.price(question, each, None) for each in rising}
        plans = {each: planner.plan(question, price, IntervalKind.USUAL) for each, price in prices.items()}
        alone = next(each for each in rising if not plans[each].is_beside_profile)
        assert plans[alone - Fraction(1, 10)].is_beside_profile
        assert "free" not in str(dataset.query(asked, epsilon=alone))
        assert "free" in str(dataset.query(asked, epsilon=alone - Fraction(1, 10)))


@pytest.mark.parametrize("declared", ["at_most = { rows = $ }", "limits = { rows = $ }", "limits = { keys = $ }"])
def test_a_number_that_nothing_can_count_is_refused_before_the_charge(tmp_path: Path, declared: str) -> None:
    """10^400 rows made every release fail after its charge."""
    with pytest.raises(Refused, match="more than can be counted"):
        open_clinic(tmp_path, _FILE + declared.replace("$", "1" + "0" * 400), v=_ROWS)


@pytest.mark.parametrize("confidence", ["0.5", "0.999999", "0.99999999999999999", "0.999999999999999999999999"])
def test_any_confidence_is_read_behind_the_charge(tmp_path: Path, confidence: str) -> None:
    """A usual mean failed after its charge where a confidence is 1 as a double."""
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        asked = "SELECT AVG(cost), STDDEV(age), SUM(cost), MEDIAN(age) FROM v"
        assert str(dataset.query(asked, epsilon=1, confidence=confidence))


@pytest.mark.parametrize("law", [RoundedGaussian(Fraction(2**40)), DiscreteLaplace(Fraction(2**20))])
def test_every_tree_of_counts_has_a_quantile(law: Law) -> None:
    """For any noisy counts: a last node far below zero left no node."""
    random, most = np.random.default_rng(7), np.iinfo(np.int64)
    for levels in (1, 2, 3):
        for draw in range(60):
            counts = (random.standard_cauchy(nodes_of(levels)) * 2**21).clip(-(2**62), 2**62).astype(np.int64)
            if draw % 3 == 0:
                counts[random.integers(16)] = random.choice([most.min, most.max])
            for share in (Fraction(1, 200), Fraction(1, 2), Fraction(199, 200), Fraction(99999, 100000)):
                for confidence in (Fraction(1, 2), Fraction(19, 20), Fraction(999999, 1000000)):
                    found = RankDescent(counts, law, levels, 16**levels).between(share, Fraction(1, 50), confidence)
                    assert 0 <= found.first <= found.last < 16**levels


_MANY = (
    "SELECT p % 5000 AS pid, 5 AS age, 100 AS cost, 3 AS stay, true AS rare, 'w' || p % 3 AS ward "
    "FROM range(100000) t(p)"
)


@pytest.mark.parametrize("kind", ["usual", "bounded"])
def test_people_are_all_counted_beside_a_mean_that_is_cut(tmp_path: Path, kind: str) -> None:
    """One factor shrank them with the rows of the mean: 618 ± 16 of 5,000 people, and that was called guaranteed."""
    with open_clinic(tmp_path, f"{_FILE}limits = {{ rows = 2 }}\n", v=_MANY) as dataset:
        dataset.query("SELECT COUNT(DISTINCT pid) AS n, AVG(cost) FROM v", epsilon=1, interval=kind)
        found = dataset.query("SELECT COUNT(DISTINCT pid) AS n FROM v", confidence="0.99999")
    assert "guaranteed" in str(found)
    assert "free" in str(found)
    (row,) = found.to_arrow().to_pylist()
    assert row["n_low"] <= 5000 <= row["n_high"]


def test_a_count_is_not_guaranteed_beside_a_sum_that_is_cut(tmp_path: Path) -> None:
    """Over groups one factor shrinks both: 4,198 ± 254 of 33,333 rows was called guaranteed."""
    said = "limits = { totals = { cost = 100 } }\nat_most = { rows = 20 }\n"
    with open_clinic(tmp_path, _FILE + said, v=_MANY) as dataset:
        found = str(dataset.query("SELECT ward, COUNT(*) AS n, SUM(cost) FROM v GROUP BY ward", epsilon=1))
    assert "is guaranteed" not in found
