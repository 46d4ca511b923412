"""The meaning of `--epsilon e`: the release alone is (e, δ)-private, and is charged in the account's currency."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.calibration import budget_from, gaussian_variance
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.plans.price import gaussian_strength, noise_of, price_of, price_of_strength

PROMISE = Approx(4, "1e-7")
BUDGET = budget_from(4, "1e-7")
epsilons = st.fractions(min_value=Fraction(1, 10**4), max_value=60)
deltas = st.sampled_from([Fraction(1, 10**power) for power in (2, 4, 6, 9, 12, 20)])


@given(epsilon=epsilons, delta=deltas)
def test_strength_keeps_the_promise_and_is_close_to_the_certified_search(epsilon: Fraction, delta: Fraction) -> None:
    """R09: the guess in floating point is certified on the exact curve, and loses at most one part in 10^6."""
    strength = gaussian_strength(epsilon, delta)
    assert Fraction(Gdp(strength).delta(epsilon)) <= delta
    assert strength >= (1 - Fraction(1, 10**6)) / gaussian_variance(Approx(epsilon, delta))


def test_a_twin_that_trusts_the_guess_is_seen() -> None:
    """A strength one part in a thousand too large breaks the promise, so the law above can fail."""
    strength = gaussian_strength(Fraction(1), Fraction(1, 10**6)) * Fraction(1001, 1000)
    assert Fraction(Gdp(strength).delta(1)) > Fraction(1, 10**6)


@given(epsilon=epsilons, has_keys=st.booleans())
def test_price_in_zcdp(epsilon: Fraction, has_keys: bool) -> None:
    """Alone the release is (ε, δ/100 of the budget's); ρ is μ²/2, and private keys take half of that δ."""
    price = price_of(BUDGET, PROMISE, epsilon, None, has_keys)
    assert price.alone == Approx(epsilon, Fraction(1, 10**9))
    assert isinstance(price.charge, Zcdp)
    assert price.charge.rho == price.strength / 2
    assert price.charge.exact_delta == price.keys_delta == (Fraction(1, 2 * 10**9) if has_keys else 0)
    rest = Fraction(Gdp(price.strength).delta(epsilon))
    assert price.keys_delta + (1 - price.keys_delta) * rest <= price.alone.exact_delta


def test_price_in_sums_and_pure() -> None:
    sums = price_of(PROMISE, PROMISE, 1, "1e-8", True)
    assert sums.charge == sums.alone == Approx(1, "1e-8")
    pure = price_of(Pure(2), Pure(2), "0.5", None, False)
    assert (pure.charge, pure.strength, pure.is_pure) == (Pure("0.5"), Fraction(1, 2), True)


@pytest.mark.parametrize(
    ("budget", "delta", "keys"), [(Pure(1), None, True), (Pure(1), "1e-9", False), (Zcdp(1), None, True)]
)
def test_refused_with_the_cure(budget: Pure, delta: str | None, keys: bool) -> None:
    """A pure account refuses private keys and δ; one of ρ alone refuses private keys."""
    with pytest.raises(Refused, match="Accepted"):
        price_of(budget, budget, 1, delta, keys)


@pytest.mark.parametrize("epsilon", ["nan", "inf", 0, -1, True, "x"])
def test_no_other_price(epsilon: object) -> None:
    """R08."""
    with pytest.raises(Refused):
        price_of(BUDGET, PROMISE, epsilon, None, False)  # type: ignore[arg-type]  # the wrong type is the test


@given(strength=st.fractions(min_value=Fraction(1, 10**8), max_value=10**4), has_keys=st.booleans())
def test_the_price_of_a_strength_is_true(strength: Fraction, has_keys: bool) -> None:
    """ε is certified by its own bisection; δ at that ε, rounded up to a float, may lie one digit above it."""
    price = price_of_strength(BUDGET, PROMISE, strength, has_keys)
    rest = Fraction(Gdp(price.strength).delta_between(price.alone.exact_epsilon)[0])
    assert price.keys_delta + (1 - price.keys_delta) * rest <= price.alone.exact_delta


@given(
    strength=st.fractions(min_value=Fraction(1, 10**12), max_value=10**9),
    is_pure=st.booleans(),
    relation=st.sampled_from(Relation),
    share=st.fractions(min_value=Fraction(1, 50), max_value=1),
)
def test_radius_and_law_cost_no_more_than_their_share(
    strength: Fraction, is_pure: bool, relation: Relation, share: Fraction
) -> None:
    """Exactly: (radius·worlds/σ)² ≤ μ²·share, or radius·worlds/scale ≤ ε·share; the radius is large: little is lost."""
    noise = noise_of(strength, is_pure, relation, share)
    moved = noise.radius * (2 if relation is Relation.REPLACE else 1)
    if isinstance(noise.law, RoundedGaussian):
        spent = Fraction(moved**2) / noise.law.variance
    else:
        assert isinstance(noise.law, DiscreteLaplace)
        spent = moved / noise.law.scale
    assert strength * share * (1 - Fraction(1, 10**6)) <= spent <= strength * share
    assert 2**22 <= noise.radius < 2**30
    assert noise.law == noise_of(strength, is_pure, relation).law
    assert noise.split(3) ** 2 * 3 <= noise.radius**2 if noise.is_gaussian else noise.split(3) * 3 <= noise.radius
