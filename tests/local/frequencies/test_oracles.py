"""Frequency oracles: exact ratios over the whole alphabet (R45), exact support rates, draws, broken twins."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.goodness import FALSE_ALARM
from tests.local.frequencies.oracle_laws import fit_of_draws, support_rates
from tests.local.randomizers.laws import is_private, totals, worst_ratio

from tacit.errors import Refused
from tacit.local.frequencies.kary import KaryOracle
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.subset import SubsetOracle
from tacit.noise.ball import ball, less
from tacit.noise.entropy import ENTROPY
from tacit.noise.rehearsal import Seeded

EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(8)]
KINDS: list[Callable[[Any, int], Oracle]] = [KaryOracle.within, SubsetOracle.within]
SMALL = [kind(epsilon, options) for kind in KINDS for epsilon in EPSILONS for options in (2, 5, 8)]
DRAWN: list[Oracle] = [
    KaryOracle(5, Fraction(7, 2)),
    SubsetOracle(7, 3, Fraction(3)),
    SubsetOracle(6, 5, Fraction(5, 2)),
    SubsetOracle(66, 2, Fraction(9)),
    SubsetOracle(130, 2, Fraction(99)),
]


@pytest.mark.parametrize("oracle", SMALL, ids=str)
def test_every_report_is_private_over_the_whole_alphabet(oracle: Oracle) -> None:
    assert totals(oracle) == [1] * oracle.options  # type: ignore[arg-type]
    assert worst_ratio(oracle) == oracle.odds  # type: ignore[arg-type]
    epsilon = next(each for each in EPSILONS if less(lambda: ball(oracle.odds), lambda e=each: ball(e).exp()))
    assert is_private(oracle, epsilon)  # type: ignore[arg-type]
    assert oracle.loss.epsilon(0) <= epsilon
    assert oracle.loss.epsilon(0) == pytest.approx(float(epsilon), rel=1e-8)


@pytest.mark.parametrize("oracle", SMALL, ids=str)
def test_estimates_are_unbiased_by_enumeration(oracle: Oracle) -> None:
    """Decoding each report by itself: every option has the stated rates, so (count/n − stray)/(hit − stray) is
    unbiased, and its variance for one report is that of a coin."""
    assert support_rates(oracle) == ({oracle.hit}, {oracle.stray})
    assert oracle.variance_given(0, 1) == oracle.stray * (1 - oracle.stray) / (oracle.hit - oracle.stray) ** 2
    assert oracle.variance(1, 5) == oracle.variance_given(1, 5)


@pytest.mark.parametrize("oracle", DRAWN, ids=str)
def test_many_rows_have_the_stated_law(oracle: Oracle) -> None:
    """Chi-square over the whole alphabet; false-alarm rate FALSE_ALARM for each answer."""
    for answer in {0, oracle.options // 2, oracle.options - 1}:
        assert fit_of_draws(oracle, answer, 60_000, answer) > FALSE_ALARM


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_refused_without_being_named(kind: Callable[[Any, int], Oracle]) -> None:
    oracle = kind(1, 9)
    for answers in ([1234], [-1], [], [0.5], [[1]]):
        with pytest.raises(Refused) as caught:
            oracle.report(answers)
        assert "1234" not in str(caught.value)
    rows = oracle.rehearse([3, 4], Seeded(1))
    for bad in (rows[:0], rows[0], rows.astype(float), rows + rows.dtype.type(1 << 40), -rows.astype(np.int64)):
        with pytest.raises(Refused):
            oracle.estimate(bad)
    with pytest.raises(Refused, match="rehearsal"):
        oracle.rehearse([1], ENTROPY)  # type: ignore[arg-type]
    for options in (1, 1 << 25):
        with pytest.raises(Refused):
            kind(1, options)


def test_sets_of_another_size_are_refused() -> None:
    with pytest.raises(Refused, match="size"):
        SubsetOracle(9, 3, Fraction(2)).estimate([[0b1111]])
    with pytest.raises(Refused, match="size"):
        SubsetOracle(200, 2, Fraction(2)).estimate([[4, 4]])
    with pytest.raises(Refused):
        SubsetOracle(9, 9, Fraction(2))
    with pytest.raises(Refused):
        KaryOracle(9, Fraction(1))


OPTIMUM = {(1, 4): 1.889, (1, 8): 2.717, (1, 16): 3.186, (1, 256): 3.650, (2, 8): 0.4454, (2, 64): 0.6867}


@pytest.mark.parametrize(("epsilon", "options"), OPTIMUM)
def test_the_published_optimum_is_reached(epsilon: int, options: int) -> None:
    """n·Var for given people, averaged over the options."""
    assert float(SubsetOracle.within(epsilon, options).mean_variance) == pytest.approx(
        OPTIMUM[epsilon, options], rel=2e-4
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("options", [2, 3, 7, 40, 301])
def test_the_size_is_the_best_of_all(epsilon: Fraction, options: int) -> None:
    chosen = SubsetOracle.within(epsilon, options)
    every = [SubsetOracle(options, size, chosen.odds).mean_variance for size in range(1, options)]
    assert chosen.mean_variance == min(every)
