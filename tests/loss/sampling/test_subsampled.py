"""Sub-sampled releases: the exact curve of one step, against enumeration; the false combinations refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from tests.divergence import hockey_stick

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, LaplacePair, Pure, Rdp, Relation, Zcdp, binary_response
from tacit.loss.accountant import account
from tacit.loss.sampling.amplification import Sampling, amplified
from tacit.loss.sampling.subsampled import Subsampled, fixed_size, poisson

EPSILONS = (0.0, 0.05, 0.2, 0.5, 0.9, 1.4)


def noisy_count(size: int, epsilon: float) -> dict[int, float]:
    """Discrete Laplace noise on a count, cut where nothing is left."""
    a = math.exp(-epsilon)
    return {size + z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-60, 61)}


def mixture(laws: list[tuple[float, dict[int, float]]]) -> dict[int, float]:
    found: dict[int, float] = {}
    for weight, law in laws:
        for output, mass in law.items():
            found[output] = found.get(output, 0.0) + weight * mass
    return found


def poisson_law(ones: int, rate: float) -> dict[int, float]:
    """A noisy count of the ones in a Poisson sample."""
    return mixture(
        [(math.comb(ones, k) * rate**k * (1 - rate) ** (ones - k), noisy_count(k, 1.0)) for k in range(ones + 1)]
    )


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_poisson_samples_under_add_remove_by_enumeration(rate: float) -> None:
    """One more person among up to three: never above the claim; with nobody else it is attained."""
    loss = poisson(Pure(1), Fraction(str(rate)))
    for ones in range(4):
        p, q = poisson_law(ones + 1, rate), poisson_law(ones, rate)
        for epsilon in EPSILONS:
            worst = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
            assert worst <= loss.delta(epsilon) + 1e-12
            if ones == 0 and epsilon < 0.1:
                assert worst >= 0.99 * loss.delta(epsilon) * (1 - math.exp(-1.0)) / 1.5  # a geometric is not the coin


def subset_law(people: tuple[int, ...], size: int) -> dict[int, float]:
    """A noisy count of the ones in a sample of fixed size."""
    subsets = list(combinations(people, size))
    return mixture([(1 / len(subsets), noisy_count(sum(chosen), 1.0)) for chosen in subsets])


def test_fixed_size_samples_under_replace_by_enumeration() -> None:
    loss = fixed_size(Pure(1), Fraction(2, 5))
    for others in product((0, 1), repeat=4):
        p, q = subset_law((1, *others), 2), subset_law((0, *others), 2)
        for epsilon in EPSILONS:
            assert max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) <= loss.delta(epsilon) + 1e-12


def test_it_is_the_amplification_formula_for_pure_and_approx() -> None:
    for base in (Pure(1), Approx("0.7", "1e-3")):
        for rate in ("0.01", "0.3", "1"):
            formula = amplified(base, rate, Sampling.POISSON, Relation.ADD_REMOVE)
            pair = poisson(base, rate)
            assert abs(pair.epsilon(formula.exact_delta) - float(formula.exact_epsilon)) < 1e-12
            for epsilon in EPSILONS:  # the pair is exact, the formula's (ε, δ) one of its points
                assert pair.delta(epsilon) <= formula.delta(epsilon) * (1 + 1e-12)


@pytest.mark.parametrize(
    "loss", [poisson(Gdp(1), "0.1"), fixed_size(LaplacePair(1), "0.2"), poisson(binary_response(1), "0.3")]
)
def test_one_step_agrees_with_the_accountant_and_with_itself(loss: Subsampled) -> None:
    for delta in ("1e-2", "1e-3"):
        epsilon = loss.epsilon(delta)
        assert loss.delta(epsilon) <= float(delta) * (1 + 1e-12)
        found = account([(loss, 1)]).epsilon(delta, "1e-4")
        assert found.lower <= epsilon + 1e-9
        assert epsilon <= found.upper + 1e-9
    assert loss.tradeoff("0.1") <= 0.9
    for alpha in (0.05, 0.5):
        assert loss.tradeoff(alpha) <= 1 - alpha
    for order in (2, 2.5, 8):
        assert 0 < loss.rdp(order) <= loss.loss.rdp(order)
    assert loss.epsilon(1) == 0
    assert loss.group(1) is loss


def test_rates_at_the_ends() -> None:
    assert poisson(Gdp(1), 0).delta(0) == 0
    assert poisson(Gdp(1), 0).epsilon(0) == 0
    assert poisson(LaplacePair(1), 1).epsilon(0) == 1
    assert poisson(Gdp(1), 1).epsilon("1e-5") == pytest.approx(Gdp(1).epsilon("1e-5"), abs=1e-12)
    assert poisson(Approx(1, "0.1"), "0.5").epsilon("0.01") == math.inf


@pytest.mark.parametrize(
    ("sampling", "relation"),
    [(Sampling.POISSON, Relation.REPLACE), (Sampling.FIXED_SIZE, Relation.ADD_REMOVE), ("Poisson", Relation.REPLACE)],
)
def test_false_combinations_are_refused(sampling: Any, relation: Relation) -> None:
    with pytest.raises(Refused):
        Subsampled(Gdp(1), Fraction(1, 10), sampling, relation)


def test_poisson_under_replace_would_be_false() -> None:
    """The reason, by enumeration: a value flips, seen by one coin's chance; the formula says 0.159, the truth is 1."""
    coin = {x: {y: (math.e if x == y else 1) / (1 + math.e) for y in (0, 1)} for x in (0, 1)}
    p, q = ({("in", y): 0.1 * coin[x][y] for y in (0, 1)} | {("out", 0): 0.9} for x in (0, 1))
    formula = poisson(Pure(1), "0.1")
    assert hockey_stick(p, q, 0.5) > formula.delta(0.5)


@pytest.mark.parametrize("base", [Zcdp(1), Rdp({2: 1}), None, 1.0, poisson(Gdp(1), "0.1")])
def test_a_base_without_a_pair_is_refused(base: Any) -> None:
    with pytest.raises(Refused):
        poisson(base, "0.1")


@pytest.mark.parametrize("rate", [math.nan, math.inf, -0.1, 1.1, True, None, "ten"])
def test_a_rate_that_is_none_is_refused(rate: Any) -> None:
    with pytest.raises(Refused):
        poisson(Gdp(1), rate)


def test_groups_are_refused() -> None:
    with pytest.raises(Refused):
        poisson(Gdp(1), "0.1").group(2)
