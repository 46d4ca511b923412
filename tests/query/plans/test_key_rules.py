"""The better of two rules: at the price of an account the Gaussian threshold needs fewer people, but for keys alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.query.plans.group_keys import GeometricRule, KeyRule
from tacit.query.plans.price import gaussian_strength, noise_of

DELTA = Fraction(1, 10**6)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_beside_one_column_the_gaussian_rule_is_no_worse(epsilon: Fraction) -> None:
    """A third of the price for keys: as a share of μ², or as an ε of its own beside the rest."""
    strength = gaussian_strength(epsilon, DELTA / 2) / 3
    gaussian = KeyRule(noise_of(strength, False, Relation.ADD_REMOVE), DELTA / 2, 1)
    geometric = GeometricRule(Approx(epsilon / 3, DELTA / 2), Relation.ADD_REMOVE, 1)
    assert gaussian.people() <= geometric.people() * Fraction(11, 10)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_alone_in_an_account_of_sums_the_geometric_rule_is_better(epsilon: Fraction) -> None:
    gaussian = KeyRule(noise_of(gaussian_strength(epsilon, DELTA / 2), False, Relation.ADD_REMOVE), DELTA / 2, 1)
    assert GeometricRule(Approx(epsilon, DELTA), Relation.ADD_REMOVE, 1).people() < gaussian.people()


def test_in_rho_the_geometric_rule_costs_much_more() -> None:
    """At ε = 1 an (ε, δ) of its own costs ρ = tanh(½) = 0.46; Gaussian noise of that (ε, δ) costs 0.03."""
    budget = budget_from(1, DELTA)
    assert Approx(1, DELTA).zcdp().rho > 10 * budget.rho
