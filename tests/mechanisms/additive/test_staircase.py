"""The staircase mechanism: private by enumeration, never worse than Laplace, and for one number only."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, fit

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.staircase import Staircase
from tacit.noise import staircase_law as noise
from tacit.noise.ball import less
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid

LAWS = [
    noise.StaircaseLaw(epsilon, period, width) for epsilon in ("0.5", 2) for period in (1, 3) for width in (1, period)
]


def law_at(law: noise.StaircaseLaw, centre: int) -> dict[int, float]:
    reach = math.ceil(32 * law.period / law.epsilon) + 2 * law.period
    return {output: float(law.mass(output - centre)) for output in range(-reach, reach + 1)}


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_masses_add_up_to_the_tails(law: noise.StaircaseLaw) -> None:
    reach = math.ceil(40 * law.period / law.epsilon)
    masses = [float(law.mass(x)) for x in range(-reach, reach + 1)]
    assert math.fsum(masses) == pytest.approx(1, abs=1e-12)
    for value in range(-3 * law.period, 3 * law.period + 1):
        assert float(law.tail(value)) == pytest.approx(math.fsum(masses[value + reach :]), abs=1e-12)
    places = range(-reach, reach + 1)
    assert float(law.magnitude()) == pytest.approx(math.fsum(abs(x) * p for x, p in zip(places, masses, strict=True)))
    assert float(law.square()) == pytest.approx(math.fsum(x * x * p for x, p in zip(places, masses, strict=True)))


@pytest.mark.parametrize("epsilon", ["0.5", 1, 3])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_the_loss_holds(epsilon: str | int, sensitivity: int) -> None:
    for width in range(1, sensitivity + 1):
        mechanism = Staircase(sensitivity, Relation.REPLACE, epsilon=epsilon, width=width)
        still = law_at(mechanism.law, 0)
        pairs = [(still, law_at(mechanism.law, shift)) for shift in range(1, sensitivity + 1)]
        assert violations(mechanism.loss, pairs) == []


def test_broken_twins_are_caught() -> None:
    law = noise.StaircaseLaw(1, 3, 2)
    assert violations(Pure(1), [(law_at(law, 0), law_at(law, 4))])  # a move of more than one period
    assert violations(Pure("1/2"), [(law_at(law, 0), law_at(law, 3))])  # halved scale


def test_a_vector_would_pay_more_than_its_l1_distance() -> None:
    """Sensitivity 2 spread over two coordinates: each crosses the edge of a stair and pays ε of its own."""
    law = noise.StaircaseLaw(1, 2, 1)
    near, far = law_at(law, 0), law_at(law, 1)
    still = {(a, b): p * q for (a, p), (b, q) in product(near.items(), near.items())}
    moved = {(a, b): p * q for (a, p), (b, q) in product(far.items(), far.items())}
    assert violations(Pure(1), [(still, moved)])
    with pytest.raises(Refused):
        Staircase.for_epsilon(1, 2, Relation.REPLACE).rehearse([1, 2], Seeded(1))


@pytest.mark.parametrize("epsilon", ["1/10", "1/2", 1, 2, 5])
@pytest.mark.parametrize("period", [1, 2, 7, 100])
def test_never_worse_than_laplace(epsilon: str | int, period: int) -> None:
    staircase, laplace = noise.StaircaseLaw.best(epsilon, period), DiscreteLaplace(period / Fraction(epsilon))
    rate = Fraction(epsilon) / period
    magnitude = 1 / math.sinh(rate)
    variance = 1 / (2 * math.sinh(rate / 2) ** 2)
    assert float(staircase.magnitude()) <= magnitude * (1 + 1e-12)
    assert float(noise.StaircaseLaw.best(epsilon, period, "square").square()) <= variance * (1 + 1e-12)
    if period == 1:
        assert all(staircase.mass(x).overlaps(laplace.mass(x)) for x in range(-9, 10))
    elif Fraction(epsilon) >= 2:
        assert float(staircase.magnitude()) < magnitude


@pytest.mark.parametrize(("epsilon", "period"), list(product(("1/2", 2, 4), (2, 3, 8))))
@pytest.mark.parametrize("aim", ["magnitude", "square"])
def test_the_width_is_the_best_of_all(epsilon: str | int, period: int, aim: noise.Aim) -> None:
    values = [getattr(noise.StaircaseLaw(epsilon, period, width), aim) for width in range(1, period + 1)]
    best = noise.StaircaseLaw.best(epsilon, period, aim).width - 1
    assert all(less(values[best], value) for width, value in enumerate(values) if width != best)


@pytest.mark.parametrize("epsilon", ["1/2", 1, 3])
def test_fine_grids_approach_the_continuous_optimum(epsilon: str | int) -> None:
    """γ = 1/(1 + e^{ε/2}) and E|X| = Δ·e^{ε/2}/(e^ε − 1) (Geng and Viswanath 2014)."""
    period, power = 100_000, float(Fraction(epsilon))
    best = noise.StaircaseLaw.best(epsilon, period)
    assert best.width / period == pytest.approx(1 / (1 + math.exp(power / 2)), abs=1e-4)
    assert float(best.magnitude()) / period == pytest.approx(math.exp(power / 2) / math.expm1(power), rel=1e-4)


def test_no_private_noise_is_smaller() -> None:
    """Linear programming over all ε-private noise on −40 … 40 with sensitivity 2 finds the same least E|X|.

    Its variables are the masses over e^{−ε|x|/2}, so that the solver's tolerance counts alike in the middle and far
    out.
    """
    epsilon, reach, period = 1, 40, 2
    places = np.arange(-reach, reach + 1)
    weights = np.exp(-epsilon * np.abs(places) / period)
    rows = []
    for x, shift in product(range(places.size), (-2, -1, 1, 2)):
        if 0 <= x + shift < places.size:
            row = np.zeros(places.size)
            row[x], row[x + shift] = 1, -math.exp(epsilon) * weights[x + shift] / weights[x]
            rows.append(row)
    none = np.zeros(len(rows))
    program = linprog(np.abs(places) * weights, np.array(rows), none, A_eq=weights[None, :], b_eq=[1])
    assert float(noise.StaircaseLaw.best(epsilon, period).magnitude()) == pytest.approx(program.fun, rel=1e-6)


@pytest.mark.parametrize("law", [*LAWS, noise.StaircaseLaw(1, 50, 20)], ids=str)
def test_the_sampler_follows_the_law(law: noise.StaircaseLaw) -> None:
    """Chi-square, false-alarm rate FALSE_ALARM."""
    draws = law.draw(40_000, Seeded(1))
    reach = math.ceil(3 * law.period / law.epsilon) + 1
    assert fit(draws, law, -reach, reach) > FALSE_ALARM
    assert fit(law.add(np.full(40_000, 5), Seeded(2)) - 5, law, -reach, reach) > FALSE_ALARM


def test_a_sampler_that_keeps_minus_zero_is_caught() -> None:
    law = noise.StaircaseLaw(2, 3, 1)
    draws = law.draw(40_000, Seeded(3))
    twin = np.where(law.draw(40_000, Seeded(4)) == 0, 0, draws)  # 0 twice as likely as it should be
    assert fit(twin, law, -6, 6) < FALSE_ALARM


def test_error_is_the_exact_quantile() -> None:
    for epsilon, sensitivity, confidence in product(("1/2", 3), (1, 7), ("0.5", "0.95", "0.999")):
        mechanism = Staircase.for_epsilon(epsilon, sensitivity, Relation.REPLACE)
        error = int(mechanism.error(confidence))
        assert float(1 - 2 * mechanism.law.tail(error + 1)) >= float(confidence)
        assert error == 0 or float(1 - 2 * mechanism.law.tail(error)) < float(confidence)
    on_grid = Staircase.for_epsilon(1, "0.7", Relation.REPLACE, grid=Grid(-4))
    assert on_grid.error() == (on_grid.law.spread("0.95") + 0.5) / 16


def test_on_a_grid_every_output_is_a_multiple_of_the_step() -> None:
    """R02; rounding counts into the period."""
    mechanism = Staircase.for_epsilon(1, "0.7", Relation.REPLACE, grid=Grid(-4))
    assert mechanism.period == 12
    for value in (0.0, 1 / 3, 2.0**40, -(2.0**-20), float("nan"), float("inf"), 7):
        outputs = [mechanism.rehearse(value, Seeded(seed)).value for seed in range(20)]
        assert all((Fraction(output) / mechanism.step).denominator == 1 for output in outputs)
    assert Staircase.for_epsilon(1, 1, Relation.REPLACE).rehearse(10**30, Seeded(1)).value <= 2**63 - 1


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            Staircase.for_epsilon(wrong, 1, Relation.REPLACE)
        with pytest.raises(Refused):
            Staircase.for_epsilon(1, wrong, Relation.REPLACE)
    for width in (0, 3, True):
        with pytest.raises(Refused):
            Staircase(2, Relation.REPLACE, epsilon=1, width=width)
    for value in (1.5, True, "x", None):
        with pytest.raises(Refused):
            Staircase.for_epsilon(1, 1, Relation.REPLACE).rehearse(value, Seeded(1))


def test_noise_beyond_64_bits_is_cut_only_after_it_was_added() -> None:
    """Cut before, the noise would have an atom, and the atom would tell value from value with certainty (ε = ∞)."""
    law = noise.StaircaseLaw("1e-25", 1, 1)
    found = set(law.add(np.full(64, -7), Seeded(1)).tolist())
    assert found == {-(2**63), 2**63 - 1}


def test_aims_and_relations_are_refused_by_name() -> None:
    with pytest.raises(Refused):
        Staircase.for_epsilon(1, 5, Relation.REPLACE, aim="x")
    with pytest.raises(Refused):
        Staircase.for_epsilon(1, 5, "replace")
