"""What a release rests on: its mechanisms and claims, as a certificate lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.query.aggregates.aggregate import Distinct, Measure
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price

_BALL = "one person's totals, over all groups and columns, are scaled into a ball by the query itself"
_RANKS = "the rows of one person share a limited weight among the cells of a public grid"
_DISTINCT = "one person brings a limited number of values"
_GAUSSIAN = "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)"
_LAPLACE = "discrete Laplace noise over the ℓ₁ norm is ε-private, and ε adds up"
_KEYS = "keys that one person alone holds are shown with probability at most δ"
_FOUND = "limits were found from noisy numbers of people, at a fixed share of the price"
_CHARGED = "the price was charged and durable before any row was read"


def mechanisms_of(plan: Plan, price: Price) -> tuple[Mapping[str, Any], ...]:
    """The noise on every column, in plain words; sizes are those of the price, not of the data."""
    noise = "discrete Laplace" if price.is_pure else "rounded Gaussian"
    listed = [
        {"counts": name, "noise": noise, "share": str(plan.share(part) if not isinstance(part, Measure) else plan.each)}
        for name, aggregate in plan.question.aggregates.items()
        for part in aggregate.parts
    ]
    if plan.is_selecting:
        listed.append({"counts": "people of each key", "noise": noise, "share": str(plan.share("keys"))})
    if plan.has_found:
        listed.append({"counts": "people by amount", "noise": noise, "share": str(plan.share("finding"))})
    return tuple(listed)


def claims_of(plan: Plan, price: Price) -> tuple[str, ...]:
    """The claims that the price rests on."""
    claims = [_CHARGED, _LAPLACE if price.is_pure else _GAUSSIAN]
    claims += [_BALL] if plan.measures else []
    claims += [_RANKS] if plan.ranks else []
    claims += [_DISTINCT] if any(isinstance(part, Distinct) for part in plan.question.parts) else []
    claims += [_KEYS] if plan.is_selecting else []
    claims += [_FOUND] if plan.has_found else []
    return tuple(claims)
