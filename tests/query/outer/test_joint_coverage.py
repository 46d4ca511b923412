"""Intervals of sums and ratios of released numbers hold what they estimate, and are no wider than the joint law needs.

The noise is drawn here, of both laws, on known sums; the rest is the outer query as it runs behind the charge.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sqlglot
from sqlglot import exp

from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Law, Measure, NoisySum
from tacit.query.aggregates.clipping_bias import Sign
from tacit.query.aggregates.moments import NoisyTotal, Total
from tacit.query.outer.allowed import total
from tacit.query.outer.outer_query import OuterQuery
from tacit.query.outer.program import OuterProgram, released_source
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.post_noise.estimates import Estimates, Groups, Keys
from tacit.query.sql.clamp import Cut
from tacit.schema.kind import Kind

GROUPS, REPEATS = 40, 3
LEVEL = Fraction(9, 10)
SCALE = Fraction(16)  # units of the law in one step
DEVIATION = 50.0  # of the noise, in steps
LAWS = {
    "gaussian": RoundedGaussian(Fraction(int(DEVIATION * 16) ** 2)),
    "laplace": DiscreteLaplace(Fraction(int(DEVIATION * 16 / 2**0.5))),
}

COLUMNS = {
    "gap": "a0 - LAG(a0) OVER (ORDER BY k0)",
    "running": "SUM(a0) OVER (ORDER BY k0)",
    "share": "100.0 * a0 / SUM(a0) OVER ()",
    "ratio": "a0 / a1",
    "growth": "a0 * 1.0 / LAG(a0) OVER (ORDER BY k0) - 1",
    "smooth": "AVG(a0) OVER (ORDER BY k0 ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)",
    "mixed": "2 * a0 - 3 * a1 + 7",
    "of_means": "a0 - (SELECT AVG(a0) FROM __released)",
}


def asked(select: str) -> OuterQuery:
    """An outer query over the table of groups with one key and two counts."""
    tree = sqlglot.parse_one(select, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    key = KeyColumn("k", "k", Kind.INTEGER, 0, tuple(range(GROUPS)))
    cut = Cut("x", 0, 1)
    counts = {f"COUNT({name})": Total(Measure(cut, Fraction(1), subject=name)) for name in "ab"}
    return OuterQuery(OuterProgram.of(total(tree), released_source("__released", 1, 2)), (key,), counts, {})


def drawn(truth: np.ndarray, law: Law, draws: np.random.Generator, sign: Sign = Sign.ADDS) -> NoisyTotal:
    """Known sums with noise of a law."""
    width = DEVIATION if isinstance(law, RoundedGaussian) else DEVIATION / 2**0.5
    noise = draws.normal(0, width, GROUPS) if isinstance(law, RoundedGaussian) else draws.laplace(0, width, GROUPS)
    steps = truth + np.round(noise * float(SCALE)) / float(SCALE)
    return NoisyTotal(NoisySum(steps, law, SCALE), Fraction(1), sign)


def groups_of(first: NoisyTotal, second: NoisyTotal) -> Groups:
    return Groups({"k": Keys(tuple(range(GROUPS)), Kind.INTEGER)}, {"COUNT(a)": first, "COUNT(b)": second}, GROUPS)


def exactly(values: np.ndarray) -> NoisyTotal:
    return NoisyTotal(NoisySum(values, RoundedGaussian(Fraction(1)), Fraction(10**9)), Fraction(1), Sign.ADDS)


@pytest.mark.parametrize("law", LAWS)
def test_intervals_hold_the_truth_as_often_as_they_say(law: str) -> None:
    """Each column, over 120 rows: chance makes 90% intervals hold fewer than 80% of independent ones once in 1,000."""
    draws = np.random.default_rng(20261119)
    first, second = draws.integers(900, 4_000, (2, GROUPS)).astype(float)
    query = asked("SELECT k0, " + ", ".join(f"{text} AS {name}" for name, text in COLUMNS.items()) + " FROM __released")
    truth = query.render(groups_of(exactly(first), exactly(second)), LEVEL)
    held: dict[str, list[bool]] = {name: [] for name in COLUMNS}
    for _ in range(REPEATS):
        shown = query.render(groups_of(drawn(first, LAWS[law], draws), drawn(second, LAWS[law], draws)), LEVEL)
        for name in COLUMNS:
            values, true = shown[name].values, truth[name].values
            assert isinstance(values, Estimates)
            assert isinstance(true, Estimates)
            known = ~np.isnan(true.value)
            assert np.isfinite(values.low[known]).all()
            inside = (values.low <= true.value) & (true.value <= values.high)
            held[name] += inside[known].tolist()
    rates = {name: float(np.mean(each)) for name, each in held.items() if name != "running"}
    assert min(rates.values()) > 0.80, rates
    assert max(rates.values()) < 0.99, rates


def test_a_difference_is_as_narrow_as_its_noise() -> None:
    """√2 times one interval, not twice: what corner arithmetic gives is 1.4 times as wide."""
    draws = np.random.default_rng(7)
    noisy = drawn(np.full(GROUPS, 2_000.0), LAWS["gaussian"], draws)
    other = drawn(np.full(GROUPS, 2_000.0), LAWS["gaussian"], draws)
    shown = asked("SELECT k0, a0, a0 - a1 AS gap FROM __released").render(groups_of(noisy, other), LEVEL)
    widths = {}
    for name in ("a0", "gap"):
        values = shown[name].values
        assert isinstance(values, Estimates)
        widths[name] = float((values.high - values.low).mean())
    assert widths["gap"] == pytest.approx(2**0.5 * widths["a0"], rel=0.02)


def test_many_small_counts_do_not_add_up_to_too_much() -> None:
    """Counts that are cut at 0 are added up without the cut; with it, the total of empty groups would lie at 800."""
    draws = np.random.default_rng(11)
    empty = np.zeros(GROUPS)
    held = 0
    for _ in range(8):
        groups = groups_of(drawn(empty, LAWS["gaussian"], draws), drawn(empty, LAWS["gaussian"], draws))
        values = asked("SELECT SUM(a0) AS n FROM __released").render(groups, LEVEL)["n"].values
        assert isinstance(values, Estimates)
        held += bool(values.low[0] <= 0 <= values.high[0])
    assert held >= 5


@pytest.mark.parametrize(
    "text",
    [
        "MAX(a0) OVER ()",
        "RANK() OVER (ORDER BY a0)",
        "SUM(a0) OVER (ORDER BY a0)",
        "a0 * a1",
        "CASE WHEN a0 > 1000 THEN a0 ELSE 0 END",
        "SQRT(a0)",
        "(SELECT SUM(a0) FROM __released WHERE a0 > 2000)",
        "(SELECT a0 FROM __released ORDER BY a1 LIMIT 1)",
    ],
)
def test_what_is_no_sum_of_fixed_groups_has_no_interval(text: str) -> None:
    draws = np.random.default_rng(3)
    noisy = drawn(np.arange(GROUPS) * 100.0, LAWS["gaussian"], draws)
    shown = asked(f"SELECT k0, {text} AS x FROM __released").render(groups_of(noisy, noisy), LEVEL)
    values = shown["x"].values
    assert isinstance(values, Estimates)
    assert np.isinf(values.low).all()
    assert np.isinf(values.high).all()
    assert shown.notes[0].startswith("x has no interval")
