"""Frequency oracles: exact ratios over the whole alphabet (R45), exact support rates, draws, broken twins."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.goodness import FALSE_ALARM
from tests.local.frequencies.oracle_laws import fit_of_draws, support_rates
from tests.local.randomizers.laws import is_private, totals, worst_ratio

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import KaryOracle
from tacit.local.frequencies.hadamard import HadamardOracle
from tacit.local.frequencies.hashing import HashingOracle
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.oracle_choice import KINDS, best
from tacit.local.frequencies.projective import AffineOracle, ProjectiveOracle
from tacit.local.frequencies.set_reports import SubsetOracle, UnaryOracle
from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.noise.ball import ball, less
from tacit.noise.bits import ENTROPY, Seeded

EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(8)]
SMALL = [kind.within(epsilon, options) for kind in KINDS for epsilon in EPSILONS for options in (2, 6)]
DRAWN: list[Oracle] = [
    KaryOracle(5, Fraction(7, 2)),
    SubsetOracle(7, 3, Fraction(3)),
    SubsetOracle(6, 5, Fraction(5, 2)),
    SubsetOracle(66, 2, Fraction(9)),
    SubsetOracle(130, 2, Fraction(9)),
    UnaryOracle(5, Fraction(7, 3)),
    HashingOracle(4, 3, Fraction(5, 2)),
    HashingOracle(6, 2, Fraction(3, 2)),
    HadamardOracle(5, Fraction(3)),
    HadamardOracle(40, Fraction(5, 4)),
    ProjectiveOracle(20, 3, Fraction(5)),
    ProjectiveOracle(10, 4, Fraction(4)),
    ProjectiveOracle(7, 9, Fraction(8)),
    AffineOracle(12, 5, 2, Fraction(3, 2)),
    AffineOracle(7, 7, 3, Fraction(4, 3)),
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
    for answer in (0, oracle.options * 2 // 3):
        assert fit_of_draws(oracle, answer, 50_000, answer) > FALSE_ALARM


@pytest.mark.parametrize("oracle", SMALL, ids=str)
def test_one_device_reports_one_value(oracle: Oracle) -> None:
    """Its row is that of a list of one, from the same bits; rows of many devices are a list of reports."""
    row = oracle.report(1)
    assert row.shape == (len(oracle.ceilings),)
    assert tuple(row.tolist()) in set(oracle.alphabet())
    assert np.array_equal(oracle.rehearse(1, Seeded(4)), oracle.rehearse([1], Seeded(4))[0])
    assert oracle.estimate([oracle.report(0) for _ in range(20)]).people == 20
    for answer in (-1, 1234, 0.5, "secret", True, None):
        with pytest.raises(Refused) as caught:
            oracle.report(answer)  # type: ignore[arg-type]
        assert "1234" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_refused_without_being_named(kind: Any) -> None:
    oracle = kind.within(1, 9)
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
            kind.within(1, options)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(Refused, match="size"):
        SubsetOracle(9, 3, Fraction(2)).estimate([[0b1111]])
    with pytest.raises(Refused, match="size"):
        SubsetOracle(200, 2, Fraction(2)).estimate([[4, 4]])
    with pytest.raises(Refused):
        SubsetOracle(9, 9, Fraction(2))
    with pytest.raises(Refused):
        KaryOracle(9, Fraction(1))
    with pytest.raises(Refused):
        AffineOracle(9, 4, 2, Fraction(2))
    with pytest.raises(Refused):
        HashingOracle(5, 6, Fraction(2))
    with pytest.raises(Refused):
        ProjectiveOracle(5, 6, Fraction(2))


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


@frozen
class NeverFlipped(UnaryOracle):
    """The twin of pure-ldp's client: the true bit is always sent."""

    @property
    def hit(self) -> Fraction:
        return Fraction(1)


@frozen
class OneTooMany(SubsetOracle):
    """The twin that fills up a set of one option more than it says."""

    def randomize(self, answers: Any, bits: Any) -> Any:
        return SubsetOracle(self.options, self.size + 1, self.odds).randomize(answers, bits)


@frozen
class OneBucketMore(HashingOracle):
    """The twin whose options go to one bucket more than its response knows."""

    @property
    def response(self) -> KaryResponse:  # type: ignore[override]
        return KaryResponse(self.buckets - 1, self.odds)


@frozen
class RoundHash(HashingOracle):
    """The twin that takes two options to share a bucket once in g times, as an ideal hash would."""

    @property
    def together(self) -> Fraction:  # type: ignore[override]
        return Fraction(1, self.buckets)


def test_broken_twins_are_caught() -> None:
    assert worst_ratio(NeverFlipped(4, Fraction(3))) is None  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="outside the alphabet"):
        fit_of_draws(OneTooMany(6, 2, Fraction(3)), 1, 100, 1)
    twin = OneTooMany(6, 2, Fraction(3))
    with pytest.raises(Refused, match="size"):
        twin.estimate(twin.rehearse([1, 2, 3], Seeded(1)))
    assert totals(OneBucketMore(4, 3, Fraction(3))) != [1] * 4  # type: ignore[arg-type]
    assert support_rates(RoundHash(4, 3, Fraction(3))) != ({RoundHash(4, 3, Fraction(3)).hit}, {Fraction(1, 3)})


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_choice_is_within_two_percent_of_the_optimum(epsilon: Fraction) -> None:
    for options in (2, 3, 4, 8, 16, 50, 64, 256, 1000, 1024, 4096, 5000, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6):
        choice = best(epsilon, options)
        assert 1 <= choice.excess <= 1.02
        assert choice.affords(choice.oracle)
        assert choice.oracle.loss.epsilon(0) <= epsilon


@pytest.mark.parametrize("epsilon", ["0.05", "0.2", "0.28", "0.35", "0.55", "0.9", "1.3", "3", "6", "10", "12"])
def test_the_choice_is_never_far_from_the_optimum(epsilon: str) -> None:
    for options in (5000, 10**5, 10**6):
        assert best(epsilon, options).excess <= 1.012


def test_the_choice_says_why() -> None:
    choice = best(1, 10**5)
    assert isinstance(choice.oracle, ProjectiveOracle)
    assert "beyond a limit" in str(choice)
    assert "← chosen" in str(choice)
    assert isinstance(best(1, 4).oracle, KaryOracle)
    assert isinstance(best(1, 8).oracle, SubsetOracle)
    assert isinstance(best(1, 10**5, most_steps=10**11, most_bits=10**5).oracle, SubsetOracle)
    with pytest.raises(Refused, match="none"):
        best(1, 100, most_bits=3)


def test_nobody_is_better_than_the_optimum() -> None:
    """Each at its own best parameters, for many ε and K: none has a mean variance below subset selection's."""
    for epsilon in EPSILONS:
        for options in (2, 3, 5, 9, 17, 40, 130):
            weighed = best(epsilon, options).weighed
            assert (
                min(oracle.mean_variance for oracle in weighed) == SubsetOracle.within(epsilon, options).mean_variance
            )
