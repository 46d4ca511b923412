"""Coverage of CORR, COVAR and REGR: intervals hold the bounded question as often as they say, where they say anything.

Of n releases fewer than the binomial limit `least_covered(n)` hold the truth with probability at most 1e-4 if each
does with 95%. Measured with 2,000 releases: 93.8–97.5%. A release without a value has an interval of all that is
possible, and so holds the truth; of the large group nearly every release must have a value.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
from tests.query.coverage.releases import BUDGETS, CONFIDENCE, Exact, Floats, Town, covered, least_covered

from tacit.query.aggregates.aggregate import NoisySum
from tacit.query.aggregates.comoments import Comoment, NoisyComoment

_CALLS = [
    *("COVAR_POP(cost, place)", "COVAR_SAMP(score, score + weight)", "CORR(score + place % 50, place % 50)"),
    *("CORR(cost * 0.5 + weight * 100, cost)", "REGR_SLOPE(cost + score, cost)", "REGR_SLOPE(place, weight)"),
    *("REGR_INTERCEPT(place + cost, place)", "REGR_R2(weight, weight + score / 100)"),
]
_NOISES = pytest.mark.parametrize("noise", BUDGETS)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    return Town.made(tmp_path_factory.mktemp("town"))


def truth_of(exact: Exact, aggregate: Comoment) -> Floats:
    """The statistic of the exact sums."""
    sums = {part: exact.column(part) for part in aggregate.sums}
    read = aggregate.read({part: NoisySum(exact.true(part), each.law, each.scale) for part, each in sums.items()})
    assert isinstance(read, NoisyComoment)
    with np.errstate(all="ignore"):
        return read.of([noisy.steps * unit for noisy, unit in zip(read.sums, read.units, strict=True)])


def asked(town: Town, noise: str, call: str) -> tuple[Exact, Comoment]:
    exact = Exact.of(town.described(noise), f"SELECT district, {call} FROM people GROUP BY district", "2")
    (aggregate,) = exact.plan.question.aggregates.values()
    assert isinstance(aggregate, Comoment)
    return exact, aggregate


@_NOISES
@pytest.mark.parametrize("releases", [300, pytest.param(4000, marks=pytest.mark.long)])
@pytest.mark.parametrize("call", _CALLS)
def test_coverage(town: Town, noise: str, releases: int, call: str) -> None:
    exact, aggregate = asked(town, noise, call)
    (found,) = exact.estimates(releases, seed=releases).values()
    assert (covered(found, truth_of(exact, aggregate)) >= least_covered(releases)).all()
    assert np.isfinite(found.value.reshape(releases, -1)[:, 0]).mean() > 0.9


@_NOISES
@pytest.mark.parametrize("call", ["COVAR_POP(cost, place)", "REGR_SLOPE(place, weight)"])
def test_twin_that_claims_half_the_noise_is_caught(town: Town, noise: str, call: str) -> None:
    """R46: releases with twice the noise that is claimed fall below the limit."""
    exact, aggregate = asked(town, noise, call)
    doubled = {}
    for part, noisy in exact.releases(300, 1).items():
        assert isinstance(noisy, NoisySum)
        doubled[part] = NoisySum(2 * noisy.steps - np.tile(exact.true(part), 300), noisy.law, noisy.scale)
    found = aggregate.read(doubled).at(CONFIDENCE)
    assert covered(found, truth_of(exact, aggregate))[0] < least_covered(300)


@pytest.mark.parametrize("call", _CALLS)
def test_truths_are_those_of_the_rows(town: Town, call: str) -> None:
    """With one row a person and every limit wide enough, the bounded question is the question."""
    exact, aggregate = asked(town, "gaussian", call)
    sql = f"SELECT {call} FROM '{town.folder}/people.parquet' GROUP BY district ORDER BY district"
    plain = dict(zip(("large", "middle", "small"), duckdb.connect().execute(sql).fetchall(), strict=True))
    assert truth_of(exact, aggregate) == pytest.approx([found for (found,) in plain.values()], rel=2e-3, abs=2e-3)
