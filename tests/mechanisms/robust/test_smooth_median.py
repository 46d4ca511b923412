"""The smooth-sensitivity median: sensitivities by brute force, the constants by enumeration, the law by rehearsal."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.loss.pairs.additive_noise import CauchyPair
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.mechanisms.robust.smooth_median import SmoothMedian
from tacit.noise.ball import ball, down, up
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

FIVE = PublicRange(0, 4, Grid(0))
WIDE = PublicRange(0, 64, Grid(0))
Data = tuple[int, ...]


def replaced(first: Data, second: Data) -> int:
    return len(first) - (Counter(first) & Counter(second)).total()


def median(data: Data) -> int:
    return sorted(data)[(len(data) - 1) // 2]


def law_of(mechanism: SmoothMedian, data: Data) -> Law:
    return {y: float(mechanism.probability(np.array(data), y)) for y in range(mechanism.span.size)}


def test_gaps_are_the_largest_local_sensitivities_nearby() -> None:
    mechanism = SmoothMedian.for_epsilon(1, FIVE, Relation.REPLACE)
    for size in (1, 2, 3, 4):
        sets = list(combinations_with_replacement(range(5), size))
        local = {
            data: max(abs(median(data) - median(other)) for other in sets if replaced(data, other) <= 1)
            for data in sets
        }
        for data in sets:
            for k, gap in enumerate(mechanism.gaps(np.array(data))):
                assert gap == max(local[other] for other in sets if replaced(data, other) <= k)


@pytest.mark.parametrize("beta", ["0.1", "0.5", "0.9"])
def test_the_sensitivity_is_smooth(beta: str) -> None:
    mechanism = SmoothMedian(1, FIVE, Relation.REPLACE, beta)
    limit = math.exp(float(beta)) * (1 + 1e-12)
    sets = list(combinations_with_replacement(range(5), 3))
    sizes = {data: float(mechanism.smooth_sensitivity(np.array(data))) for data in sets}
    for data in sets:
        for other in (other for other in sets if replaced(data, other) == 1):
            assert sizes[data] <= sizes[other] * limit
            assert abs(median(data) - median(other)) <= sizes[data]


def test_a_public_depth_keeps_it_smooth() -> None:
    """A depth of 2, less than the records would need, is still β-smooth and above every local sensitivity."""

    class Shallow(SmoothMedian):
        def _depth(self, people: int) -> int:
            return 2

    mechanism = Shallow(1, FIVE, Relation.REPLACE, Fraction(1, 2))
    sets = list(combinations_with_replacement(range(5), 4))
    sizes = {data: float(mechanism.smooth_sensitivity(np.array(data))) for data in sets}
    for data in sets:
        for other in (other for other in sets if replaced(data, other) == 1):
            assert sizes[data] <= sizes[other] * math.exp(0.5) * (1 + 1e-12)
            assert abs(median(data) - median(other)) <= sizes[data]


@pytest.mark.parametrize(("epsilon", "beta"), [("0.2", "0.1"), (1, "0.5"), (1, "0.9"), (1, "0.05"), (3, "1.5")])
def test_the_loss_holds_between_all_neighbours(epsilon: str | int, beta: str) -> None:
    """All data of three records in 0 … 4, and in three far places of a wider range, where the noise shows finely."""
    for span, places in ((FIVE, range(5)), (WIDE, (0, 16, 64))):
        mechanism = SmoothMedian(epsilon, span, Relation.REPLACE, beta)
        sets = list(combinations_with_replacement(places, 3))
        laws = {data: law_of(mechanism, data) for data in sets}
        pairs = [(laws[a], laws[b]) for i, a in enumerate(sets) for b in sets[:i] if replaced(a, b) == 1]
        assert violations(mechanism.loss, pairs) == []


def test_broken_twins_are_caught() -> None:
    class Local(SmoothMedian):
        """Noise by the local sensitivity: its size tells the data apart."""

        def smooth_sensitivity(self, values: object) -> object:
            return ball(max(1, int(self.gaps(values)[0])))

    class Eager(SmoothMedian):
        """A scale of S over 1.4·α."""

        def alpha(self) -> object:
            return super().alpha() * ball(Fraction(7, 5))

    sets = list(combinations_with_replacement((0, 1, 32, 64), 3))
    for twin in (Local, Eager):
        mechanism = twin(1, WIDE, Relation.REPLACE, Fraction(1, 2))
        laws = {data: law_of(mechanism, data) for data in sets}
        pairs = [(laws[a], laws[b]) for i, a in enumerate(sets) for b in sets[:i] if replaced(a, b) == 1]
        assert violations(Pure(1), pairs)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_the_published_constants_lie_within_ours(epsilon: Fraction) -> None:
    """α = β = ε/6 (Nissim, Raskhodnikova, Smith 2007), and α + β = ε from sliding and dilation apart."""
    for share in (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)):
        ours = SmoothMedian(epsilon, FIVE, Relation.REPLACE, share * epsilon).alpha()
        assert down(ours) >= (1 - share) * epsilon
    least = SmoothMedian(epsilon, FIVE, Relation.REPLACE, epsilon / 6).alpha()
    assert down(least) >= 5 * float(epsilon) / 6
    parts = (Fraction(1, 2), Fraction(1, 10**9))
    half, none = (SmoothMedian(epsilon, FIVE, Relation.REPLACE, epsilon * part) for part in parts)
    assert up(none.alpha() / half.alpha()) <= 1.16


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.75, 0.99])
def test_alpha_is_the_largest_that_keeps_the_distance(epsilon: float, share: float) -> None:
    """The hyperbolic distance at the worst move, f′ = f + S, over all ratios 1 ≤ S′/S ≤ e^β, is ε and no more."""
    beta = epsilon * share
    alpha = float(SmoothMedian(epsilon, FIVE, Relation.REPLACE, beta).alpha())
    ratios = np.exp(np.linspace(0, beta, 1001))
    worst = np.arccosh(1 + (alpha**2 + (ratios - 1) ** 2) / (2 * ratios)).max()
    assert worst == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("data", [(2,), (0, 0, 4), (1, 2, 2, 3), (3, 3, 3, 3, 3, 3, 3)])
def test_the_code_follows_the_law(data: Data) -> None:
    """Chi-square on 1,000 draws, false-alarm rate FALSE_ALARM."""
    mechanism, bits = SmoothMedian.for_epsilon(1, FIVE, Relation.REPLACE), Seeded(len(data))
    draws = Counter(mechanism.rehearse(np.array(data), bits).value for _ in range(1000))
    law = law_of(mechanism, data)
    assert math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
    assert chisquare([draws[y] for y in law], [1000 * p for p in law.values()]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("confidence", ["0.5", "0.9"])
def test_error_covers_where_the_sensitivity_is_known(confidence: str) -> None:
    mechanism = SmoothMedian.for_epsilon(2, PublicRange(0, 1000, Grid(0)), Relation.REPLACE)
    data = tuple(range(480, 521))
    sensitivity = Fraction(up(mechanism.smooth_sensitivity(np.array(data))))
    error = mechanism.error(confidence, sensitivity=sensitivity)
    law = law_of(mechanism, data)
    inside = math.fsum(p for y, p in law.items() if abs(y - 500) <= error)
    assert inside >= float(confidence) - 1e-9
    assert math.fsum(p for y, p in law.items() if abs(y - 500) <= error - 1.5) < float(confidence)
    assert mechanism.error(confidence) == 1000


def test_totality() -> None:
    mechanism = SmoothMedian.for_epsilon("0.01", PublicRange(-1, 1, Grid(-10)), Relation.REPLACE)
    for values in ([], [np.nan], [np.inf, -np.inf], [1e308, -0.0], [0.5] * 1000, [np.nan] * 3):
        assert -1 <= mechanism.rehearse(values, Seeded(1)).value <= 1
    alone = SmoothMedian.for_epsilon(1, PublicRange(2, 2, Grid(0)), Relation.REPLACE)
    assert alone.rehearse([7.0], Seeded(1)).value == 2


def test_many_records() -> None:
    values = np.random.Generator(np.random.PCG64(1)).normal(500, 50, 10**5)
    mechanism = SmoothMedian.for_epsilon("0.1", PublicRange(0, 1000, Grid(-10)), Relation.REPLACE)
    bits, true = Seeded(1), float(np.median(values))
    middle = np.median([mechanism.rehearse(values, bits).value for _ in range(9)])
    scale = up(mechanism.smooth_sensitivity(values) / mechanism.alpha()) * float(mechanism.span.grid.step)
    assert scale < 0.2
    assert abs(middle - true) < 10 * scale  # five of nine beyond it: below 1e-5


def test_the_answer_and_the_loss() -> None:
    mechanism = SmoothMedian.for_epsilon(1, FIVE, Relation.REPLACE)
    assert "ε = 1" in str(mechanism.release([1, 2, 3]))
    assert mechanism.loss == CauchyPair(1)
    assert mechanism.loss.epsilon(0) == 1


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            SmoothMedian.for_epsilon(wrong, FIVE, Relation.REPLACE)
    for beta in (0, 1, 2, -1):
        with pytest.raises(Refused):
            SmoothMedian(1, FIVE, Relation.REPLACE, beta)
    with pytest.raises(Refused):
        SmoothMedian.for_epsilon(1, FIVE, Relation.ADD_REMOVE)
    with pytest.raises(Refused):
        SmoothMedian.for_epsilon(1, FIVE, Relation.REPLACE).rehearse(np.array(["a"]), Seeded(1))


def test_one_odd_record_shows_nowhere() -> None:
    SmoothMedian.for_epsilon(1, FIVE, Relation.REPLACE).rehearse([1.0, None, "a"], Seeded(1))


def test_an_epsilon_below_every_float_still_releases() -> None:
    assert 0 <= SmoothMedian.for_epsilon("1e-400", FIVE, Relation.REPLACE).rehearse([1.0, 2.0], Seeded(1)).value <= 4
