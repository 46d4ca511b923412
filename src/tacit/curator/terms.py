"""The steward's terms for analysts: a share of the budget, a least price for each question, and few failures."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Final

from tacit.curator.open_data import Opened
from tacit.errors import Refused
from tacit.ledger.breaker import Breaker
from tacit.ledger.request import Terms
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.zcdp import Zcdp
from tacit.query.plans.price import Price, price_of, price_of_strength
from tacit.words import shown

_DIGITS: Final = 3


def analyst_share(opened: Opened, analyst: str) -> Fraction | None:
    """The part of the budget that an analyst may use; refused where analysts are named and this is not one of them."""
    known = opened.description.analysts
    if analyst == opened.description.steward or not known:
        return None
    if analyst not in known:
        raise Refused(
            f"a query by {analyst}",
            "The description does not name this analyst.",
            f"one of {', '.join(sorted(known))}.",
        )
    return known[analyst]


def terms_of(opened: Opened, analyst: str) -> Terms:
    """All terms, in the ledger's form."""
    borne = opened.description.breaker
    breaker = None if borne is None else Breaker(borne.analyst, borne.dataset)
    return Terms(analyst_share(opened, analyst), opened.description.floor, breaker)


def is_below_floor(opened: Opened, price: Price) -> bool:
    """Whether a price is below the steward's floor for a question."""
    return opened.filter.share(price.charge) < opened.description.floor


def least_price(opened: Opened, has_private_keys: bool) -> Price:
    """The least price of a question, at the default δ."""
    description = opened.description
    budget, promise, floor = description.budget, description.promise, description.floor
    if isinstance(budget, Zcdp):
        return price_of_strength(budget, promise, 2 * floor * budget.rho, has_private_keys)
    assert isinstance(budget, (Pure, Approx))
    return price_of(budget, promise, floor * budget.exact_epsilon, None, has_private_keys)


def at_least(opened: Opened, price: Price, has_private_keys: bool) -> Price:
    """The price, raised to the least price of a question."""
    return least_price(opened, has_private_keys) if is_below_floor(opened, price) else price


def refuse_below_floor(opened: Opened, price: Price, has_private_keys: bool) -> None:
    """Refuse a question below the floor; the refusal states the least ε."""
    if not is_below_floor(opened, price):
        return
    description = opened.description
    delta = None if price.is_pure else price.alone.exact_delta
    least = least_price(opened, has_private_keys).alone.exact_epsilon
    while is_below_floor(
        opened,
        price_of(description.budget, description.promise, epsilon := _rounded_up(least), delta, has_private_keys),
    ):
        least = epsilon * Fraction(101, 100)
    raise Refused(
        f"a release that is {price.alone}",
        f"It costs less than {shown(100 * description.floor)}% of the budget, the least that is asked for these data: "
        "a failure may tell something that no price covers, so that questions must not be countless.",
        f"epsilon of at least {float(epsilon):g}; or what is already answered, which is free.",
    )


def _rounded_up(number: Fraction) -> Fraction:
    context = Context(_DIGITS, ROUND_CEILING)
    return Fraction(context.divide(Decimal(number.numerator), Decimal(number.denominator)))
