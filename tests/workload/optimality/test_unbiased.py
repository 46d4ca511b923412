"""The least variance of unbiased ρ-zCDP releases: below the optimum over all laws, and below real mechanisms."""

from __future__ import annotations

from fractions import Fraction
from math import exp, expm1

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.least_error import LeastVariance
from tacit.noise.gaussian_law import DiscreteGaussianLaw, RoundedGaussian
from tacit.workload.optimality.unbiased import factor_up, least_unbiased, unbiased_variance_down

Floats = NDArray[np.float64]


def variance(law: DiscreteGaussianLaw | RoundedGaussian, reach: int = 60) -> float:
    return sum(2 * value**2 * float(law.mass(value)) for value in range(1, reach))


def least_over_all_laws(rho: float, at: int = 1, rows: int = 1, worlds: int = 3, reach: int = 4) -> float:
    """The least variance at one world of unbiased releases of a count in 0 … worlds−1, over laws on a grid.

    One person may have up to `rows` rows.
    """
    outputs = np.arange(-reach, worlds + reach, dtype=float)
    counts = np.arange(worlds, dtype=float)

    def laws(flat: Floats) -> Floats:
        table = np.exp(np.clip(flat, -30, 30).reshape(worlds, len(outputs)))
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def divergences(flat: Floats) -> Floats:
        table = laws(flat)
        pairs = [(i, j) for i in range(worlds) for j in range(worlds) if 0 < abs(i - j) <= rows]
        return np.array([exp(2 * rho) - (table[j] ** 2 / table[i]).sum() for i, j in pairs])

    def bias(flat: Floats) -> Floats:
        return np.asarray(laws(flat) @ outputs - counts)

    def spread(flat: Floats) -> float:
        return float((laws(flat)[at] * (outputs - counts[at]) ** 2).sum())

    start = -((outputs[None, :] - counts[:, None]) ** 2) * rho / 1.5 / rows**2
    rules = [{"type": "ineq", "fun": divergences}, {"type": "eq", "fun": bias}]
    found = minimize(spread, start.ravel(), constraints=rules, method="SLSQP", options={"maxiter": 400})
    assert np.abs(bias(found.x)).max() < 1e-6
    assert divergences(found.x).min() > -1e-6
    return float(found.fun)


@pytest.mark.parametrize("rho", [0.7, 1.0])
def test_no_law_that_a_program_finds_is_below_it(rho: float) -> None:
    bound, found = float(unbiased_variance_down(1, rho)), least_over_all_laws(rho)
    assert bound <= found * (1 + 1e-4)
    assert found < 1 / (2 * rho)  # so the Gaussian optimum, 1/2ρ, is no lower bound: taken for one, it is caught here
    assert not 2 * bound <= found


def test_no_law_is_below_it_where_a_person_may_have_two_rows() -> None:
    bound = float(unbiased_variance_down(1, 1, rows=2))
    found = least_over_all_laws(1.0, at=0, rows=2)
    assert bound <= found * (1 + 1e-4)
    assert not 2 * bound <= found


@pytest.mark.parametrize("rho", ["0.01", "0.5", "2"])
def test_of_two_worlds_it_is_attained(rho: str) -> None:
    """A coin with D₂ = 2ρ both ways round, read without bias: an e^{2ρ} for e^{2ρ} − 1 is caught."""
    chi = expm1(2 * float(rho))
    rare = (1 - (chi / (chi + 4)) ** 0.5) / 2
    world, other = np.array([1 - rare, rare]), np.array([rare, 1 - rare])
    assert np.log((other**2 / world).sum()) == pytest.approx(2 * float(rho))
    estimate = (other / world - 1) / chi
    assert world @ estimate == pytest.approx(0, abs=1e-12)
    assert other @ estimate == pytest.approx(1)
    assert float(world @ estimate**2) == pytest.approx(float(unbiased_variance_down(1, rho)))


@pytest.mark.parametrize("rho", [Fraction(1, 100), Fraction(1, 2), Fraction(2)])
def test_gaussian_noise_is_above_it(rho: Fraction) -> None:
    """The discrete Gaussian is unbiased and ρ-zCDP: a 2ρ for e^{2ρ} − 1 would forbid it."""
    bound = float(unbiased_variance_down(1, rho))
    noise = variance(DiscreteGaussianLaw(1 / (2 * rho)))
    assert bound <= noise
    assert bound <= variance(RoundedGaussian(1 / (2 * rho)))
    if rho == 2:
        assert not 1 / float(2 * rho) <= noise


def test_the_bound_is_rounded_down_and_the_factor_up() -> None:
    for rho in (1e-9, 0.015, 0.05, 0.26, 3.0):
        exact = 1 / expm1(2 * rho)
        assert float(unbiased_variance_down(1, rho)) == pytest.approx(exact, rel=1e-12)
        factor = factor_up(1 / (2 * Fraction(repr(rho))), 1, rho)
        assert factor >= expm1(2 * rho) / (2 * rho) * (1 - 1e-15)
    assert [round(factor_up(1 / (2 * Fraction(rho)), 1, rho), 3) for rho in ("0.015", "0.05", "0.26")] == [
        1.015,
        1.052,
        1.312,
    ]


def test_several_rows_a_person_scale_the_bound_as_they_scale_the_noise() -> None:
    assert unbiased_variance_down(7, "0.1", rows=3) == pytest.approx(9 * unbiased_variance_down(7, "0.1"))
    assert factor_up(9 * 35, 7, "0.1", rows=3) == pytest.approx(factor_up(35, 7, "0.1"))


def test_the_words_name_the_class() -> None:
    among = "any release could have at this ρ, if it is unbiased whatever the counts are"
    rho = Fraction("0.015")
    least = least_unbiased(1, rho, of="counts", charge=Zcdp(rho))
    assert least.words(1 / Fraction("0.03")) == f"The noise is within 1.008 of the least that {among}."
    assert least.words(2 * least.variance_down, " of n") == f"The noise of n is within 1.42 of the least that {among}."
    assert least.words(least.variance_down) == f"The noise is the least that {among}."
    for charge, price in ((Zcdp("0.03"), "at its share of ρ"), (Approx(1, "1e-9"), "at ρ = 0.015")):
        assert f"could have {price}, if" in least_unbiased(1, rho, of="counts", charge=charge).among
    assert least.words(least.variance_down * (1 + Fraction(1, 10**30))).startswith("The noise is within 1.001")


@pytest.mark.parametrize("given", [(0, 1), (1, 0), (float("nan"), 1), (1, float("nan")), (1, 2000)])
def test_what_bounds_nothing_is_refused(given: tuple[float, float]) -> None:
    with pytest.raises(Refused):
        unbiased_variance_down(*given)


def test_a_least_variance_of_zero_is_refused() -> None:
    with pytest.raises(Refused):
        LeastVariance(Fraction(0), "anything")


def test_an_approximate_promise_has_no_such_bound() -> None:
    """Says 0, or with probability δ x/δ: unbiased, (0, δ)-private, and without any variance where x = 0."""
    delta = Fraction(1, 10)

    def release(count: int) -> dict[Fraction, Fraction]:
        return {Fraction(0): Fraction(1)} if count == 0 else {Fraction(0): 1 - delta, count / delta: delta}

    for count in range(4):
        law = release(count)
        assert sum(value * chance for value, chance in law.items()) == count
        other = release(count + 1)
        assert sum(max(Fraction(0), chance - law.get(value, Fraction(0))) for value, chance in other.items()) <= delta
    assert sum(value**2 * chance for value, chance in release(0).items()) == 0
