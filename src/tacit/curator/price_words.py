"""A price in words: what the release is alone, and its share of the budget in the account's own currency."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from tacit.loss.families.loss import Loss
from tacit.loss.filters.currency import BasicSum, Concentrated, PureSum
from tacit.loss.filters.privacy_filter import Filter
from tacit.release.price import Price as PriceWords

_NAMES = {PureSum: ("ε",), BasicSum: ("ε", "δ"), Concentrated: ("ρ", "δ")}
_DIGITS = 3


def price_words(account: Filter, loss_words: str, share: Fraction, free: bool, charge: Loss | None) -> PriceWords:
    """The price of a release, and what is left of the account."""
    currency = "" if charge is None else currency_words(account, charge)
    return PriceWords(loss_words, share, 1 - account.share(account.spent), free, currency)


def currency_words(account: Filter, charge: Loss) -> str:
    """Such as "ρ 0.0042 of 0.266": what is paid, rounded up, of all there is, rounded down."""
    names = _NAMES.get(type(account.currency), ())
    costs = account.currency.price(charge)
    return ", ".join(
        f"{name} {_rounded(cost, ROUND_CEILING)} of {_rounded(whole, ROUND_FLOOR)}"
        for name, cost, whole in zip(names, costs, account.limit, strict=False)
        if cost
    )


def _rounded(amount: Fraction, rounding: str) -> str:
    context = Context(_DIGITS, rounding)
    return f"{float(context.divide(Decimal(amount.numerator), Decimal(amount.denominator))):g}"
