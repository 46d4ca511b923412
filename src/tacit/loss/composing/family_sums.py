"""Sums of losses of one family, under the one neighbour relation of all parts; refused where there are two."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.one_relation import demand_one_relation


def add_basic(parts: Sequence[Approx]) -> Approx:
    """Σε and Σδ."""
    epsilon, relation = sum((part.exact_epsilon for part in parts), Fraction(0)), demand_one_relation(parts)
    if all(isinstance(part, Pure) for part in parts):
        return Pure(epsilon, relation=relation)
    slack = min(Fraction(1), sum((part.exact_delta for part in parts), Fraction(0)))
    return Approx(epsilon, slack, relation=relation)


def add_concentrated(parts: Sequence[Zcdp]) -> Zcdp:
    """Σρ and Σδ."""
    rho = sum((part.rho for part in parts), Fraction(0))
    slack = sum((part.exact_delta for part in parts), Fraction(0))
    return Zcdp(rho, min(Fraction(1), slack), relation=demand_one_relation(parts))


def add_gaussian(parts: Sequence[Gdp]) -> Gdp:
    """Σμ²."""
    return Gdp(sum((part.mu_squared for part in parts), Fraction(0)), relation=demand_one_relation(parts))


def add_renyi(parts: Sequence[Rdp]) -> Rdp:
    """The sum at every listed order up to which all parts are known: the sum of the straight lines, exactly."""
    last = min(part.orders[-1] for part in parts)
    orders = sorted({order for part in parts for order in part.orders if order <= last})
    total = [(order, sum((part.bound(order) or Fraction(0) for part in parts), Fraction(0))) for order in orders]
    return Rdp(total, relation=demand_one_relation(parts))
