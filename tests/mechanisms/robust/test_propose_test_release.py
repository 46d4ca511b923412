"""Propose–test–release: distances by brute force, the threshold to the last unit (R06), the claim by enumeration."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.divergence import Law, hockey_stick, violations
from tests.goodness import FALSE_ALARM

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.robust.propose_test_release import ProposeTestRelease, Stable, stable_median
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.mechanisms.statistics.bounded_mean import BoundedMean
from tacit.noise.ball import precision
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

FIVE = PublicRange(0, 4, Grid(0))
Data = tuple[int, ...]
WINDOW = range(-60, 65)


def replaced(first: Data, second: Data) -> int:
    return len(first) - (Counter(first) & Counter(second)).total()


def median(data: Data) -> int:
    return sorted(data)[(len(data) - 1) // 2]


def mechanism_for(epsilon: str, delta: str, proposed: int = 1) -> ProposeTestRelease:
    inner = Laplace.for_epsilon(epsilon, proposed, Relation.REPLACE, grid=Grid(0))
    return ProposeTestRelease(inner, Relation.REPLACE, epsilon, delta)


@cache
def law_of(mechanism: ProposeTestRelease, value: Stable) -> Law:
    assert isinstance(mechanism.inner, Laplace | Gaussian)
    with precision(128):
        passing = mechanism.passing(value.distance)
        law = {y: float(passing * mechanism.inner.law.mass(y - int(value.answer))) for y in WINDOW}
        return {**law, None: float(1 - passing)}


def neighbouring_laws(mechanism: ProposeTestRelease, proposed: int, twist: int = 1) -> list[tuple[Law, Law]]:
    """The output laws of all neighbours of three records; what two pairs of data have in common is listed once."""
    sets = list(combinations_with_replacement(range(5), 3))
    stable = {}
    for data in sets:
        answer, distance = stable_median(np.array(data), FIVE, proposed)
        stable[data] = Stable(answer, twist * distance)
    pairs = {(stable[a], stable[b]) for i, a in enumerate(sets) for b in sets[:i] if replaced(a, b) == 1}
    return [(law_of(mechanism, a), law_of(mechanism, b)) for a, b in pairs]


@pytest.mark.parametrize("proposed", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_distance_of_the_median_by_brute_force(proposed: int, size: int) -> None:
    sets = list(combinations_with_replacement(range(5), size))
    unstable = [
        data
        for data in sets
        if any(abs(median(data) - median(other)) > proposed for other in sets if replaced(data, other) == 1)
    ]
    for data in sets:
        answer, distance = stable_median(np.array(data), FIVE, proposed)
        assert answer == median(data)
        assert distance == min((replaced(data, other) for other in unstable), default=size + 1)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.1"), ("0.5", "0.01"), ("2", "0.3")])
@pytest.mark.parametrize("proposed", [1, 2])
def test_the_loss_holds_between_all_neighbours(epsilon: str, delta: str, proposed: int) -> None:
    mechanism = mechanism_for(epsilon, delta, proposed)
    pairs = neighbouring_laws(mechanism, proposed)
    assert violations(mechanism.loss, pairs) == []
    assert violations(Approx(2 * Fraction(epsilon), delta), pairs) == []


def test_the_loss_holds_with_gaussian_noise() -> None:
    inner = Gaussian.for_loss(Gdp(1), 1, Relation.REPLACE, grid=Grid(0))
    mechanism = ProposeTestRelease(inner, Relation.REPLACE, 1, "0.05")
    assert violations(mechanism.loss, neighbouring_laws(mechanism, 1)) == []


def test_broken_twins_are_caught() -> None:
    """≥ for >, a distance that jumps, and no test at all."""

    class Lenient(ProposeTestRelease):
        def passing(self, distance: int) -> object:
            return self.noise.tail(self.threshold - distance)

    sound = mechanism_for("1", "0.1")
    lenient = Lenient(sound.inner, Relation.REPLACE, 1, "0.1")
    assert violations(sound.loss, neighbouring_laws(sound, 1)) == []
    assert violations(sound.loss, neighbouring_laws(lenient, 1))
    assert violations(sound.loss, neighbouring_laws(sound, 1, twist=20))
    untested = [(law_of(sound, Stable(a, 100)), law_of(sound, Stable(b, 100))) for a, b in ((0, 2), (0, 4))]
    assert violations(sound.loss, untested)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("delta", ["0.2", "1e-3", "1e-9"])
def test_the_threshold_is_the_least(epsilon: str, delta: str) -> None:
    """R06: the predicate that withholds is the one that is priced; and it is Dwork and Lei's ln(1/2δ)/ε to a unit."""
    mechanism = mechanism_for(epsilon, delta)
    with precision(128):
        assert float(mechanism.noise.tail(mechanism.threshold + 1)) <= float(delta)
        assert mechanism.threshold == 0 or float(mechanism.noise.tail(mechanism.threshold)) > float(delta)
    assert abs(mechanism.threshold - math.log(1 / (2 * float(delta))) / float(epsilon)) <= 1


def test_the_failure_probability_is_attained() -> None:
    """Two unstable neighbours: their total variation is exactly the δ of the claim, at every ε."""
    mechanism = mechanism_for("1", "0.1")
    far = {**dict.fromkeys(WINDOW, 0.0), **law_of(mechanism, Stable(40, 0))}
    near = law_of(mechanism, Stable(-40, 0))
    slip = float(mechanism.passing(0))
    assert hockey_stick(near, far, 0.0) == pytest.approx(slip, rel=1e-6)
    assert mechanism.loss.delta(5) == pytest.approx(slip, rel=1e-12)


@pytest.mark.parametrize("distance", [0, 2, 5])
def test_the_code_follows_the_law(distance: int) -> None:
    """Chi-square on 2,000 draws, false-alarm rate FALSE_ALARM."""
    mechanism, bits, value = mechanism_for("1", "0.1"), Seeded(distance), Stable(3.0, distance)
    draws = Counter(mechanism.rehearse(value, bits).value for _ in range(2000))
    law = {y: 2000 * p for y, p in law_of(mechanism, value).items()}
    likely = [y for y, expected in law.items() if expected >= 5]
    rare = 2000 - math.fsum(law[y] for y in likely)
    observed = [draws[y] for y in likely] + [2000 - sum(draws[y] for y in likely)]
    assert chisquare(observed, [law[y] for y in likely] + [rare]).pvalue > FALSE_ALARM


def test_error_and_the_distance_needed() -> None:
    mechanism = mechanism_for("1", "1e-3")
    assert mechanism.error("0.9") == mechanism.inner.error("0.9")
    needed = mechanism.distance_needed("0.99")
    assert float(mechanism.passing(needed)) >= 0.99 > float(mechanism.passing(needed - 1))


def test_the_answer_says_when_it_is_withheld() -> None:
    mechanism = mechanism_for("1", "1e-6")
    withheld, given = mechanism.rehearse(Stable(3.0, 0), Seeded(1)), mechanism.rehearse(Stable(3.0, 10**6), Seeded(1))
    assert withheld.withheld
    assert "withheld" in str(withheld)
    assert withheld.interval() == (-math.inf, math.inf)
    assert not given.withheld
    assert "±" in str(given)


def test_totality() -> None:
    mechanism = mechanism_for("1", "0.1")
    for distance in (-5, 0, 2**200):
        mechanism.rehearse(Stable(float("nan"), distance), Seeded(1))
    for values in ([], [np.nan], [np.inf, -np.inf], [1e308]):
        answer, distance = stable_median(values, FIVE, 1)
        assert 0 <= answer <= 4
        assert distance >= 0


def test_refusals() -> None:
    inner = Laplace.for_epsilon(1, 1, Relation.REPLACE)
    for wrong in (0, -1, float("nan"), True, "x", None):
        with pytest.raises(Refused):
            ProposeTestRelease(inner, Relation.REPLACE, wrong, "0.1")
    for wrong in (0, 1, 2, float("nan"), True):
        with pytest.raises(Refused):
            ProposeTestRelease(inner, Relation.REPLACE, 1, wrong)
    with pytest.raises(Refused):
        ProposeTestRelease(inner, Relation.ADD_REMOVE, 1, "0.1")
    for distance in (1.5, True, "x"):
        with pytest.raises(Refused):
            ProposeTestRelease(inner, Relation.REPLACE, 1, "0.1").rehearse(Stable(1, distance), Seeded(1))
    with pytest.raises(Refused):
        stable_median([1.0], FIVE, 0)


def test_what_is_no_mechanism_or_no_stable_answer_is_refused() -> None:
    with pytest.raises(Refused):
        ProposeTestRelease(5, Relation.REPLACE, 1, "0.1")
    with pytest.raises(Refused):
        ProposeTestRelease(Laplace.for_epsilon(1, 1, Relation.REPLACE), Relation.REPLACE, 1, "0.1").rehearse(
            5, Seeded(1)
        )


@pytest.mark.parametrize("proposed", [1, 2, 3, 4, 5])
def test_the_median_keeps_its_promises_under_add_remove(proposed: int) -> None:
    """Every data set of up to five records, none among them, against every one with a record more."""
    for size in range(6):
        for data in combinations_with_replacement(range(5), size):
            here = stable_median(list(data), FIVE, proposed)
            for newcomer in range(5):
                there = stable_median([*data, newcomer], FIVE, proposed)
                assert abs(here.distance - there.distance) <= 1
                assert abs(here.answer - there.answer) <= proposed or here.distance == there.distance == 0


def test_only_a_noisy_number_may_stand_behind_the_test() -> None:
    """A mean answers with more than one number, and its parts are no answer."""
    mean = BoundedMean(Pure(1), Relation.ADD_REMOVE, 0, 10)
    with pytest.raises(Refused, match="BoundedMean behind a test"):
        ProposeTestRelease(mean, Relation.ADD_REMOVE, Fraction(1), Fraction(1, 100))  # type: ignore[arg-type]
