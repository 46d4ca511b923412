"""The price of a release in words: its own loss, its share of the budget, and what is left."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from tacit.frozen import frozen
from tacit.loss.families.loss import Loss
from tacit.loss.filters.currency import BasicSum, Concentrated, PureSum
from tacit.loss.filters.privacy_filter import Filter
from tacit.words import share_left, share_used


@frozen
class PriceWords:
    """The price of one release: what it is on its own, its share of the budget, and what is left after it."""

    loss_words: str  # this release alone, for instance "ε = 0.5, δ = 1e-9"
    share: Fraction
    left: Fraction
    free: bool
    currency_words: str = ""  # the share in the account's currency, for instance "ρ 0.0042 of 0.266"
    most_of: str = ""  # which of several amounts that is the share of, for instance "δ"

    @property
    def used(self) -> str:
        """Such as "1.6% of the budget", or "2.0% of the budget's δ"."""
        whose = f"'s {self.most_of}" if self.most_of else ""
        return f"{share_used(self.share)} of the budget{whose}"

    @property
    def cost(self) -> str:
        """The cost of the release, regardless of who paid for it and when."""
        currency = f" ({self.currency_words})" if self.currency_words else ""
        return f"Together they cost {self.loss_words}, which is {self.used}{currency}."

    def before(self, is_stored: bool) -> str:
        """The sentence before a charge: what the release would cost, or that an earlier release answers."""
        if is_stored:
            return f"An earlier release answers this: asking is free. {share_left(self.left)} of the budget is left."
        room = f"{share_left(self.left)} is left before it" if self.share <= self.left else "that is more than is left"
        cost = f"It would use {self.used} ({self.currency_words}); {room}."
        return f"This release alone: {self.loss_words}. {cost}"

    def __str__(self) -> str:
        if self.free:
            return f"Answered from an earlier release: free. {share_left(self.left)} of the budget left."
        currency = f" ({self.currency_words})" if self.currency_words else ""
        alone = f"This release alone: {self.loss_words}. "
        left = f"{share_left(self.left)}{' of the budget' if self.most_of else ''} left"
        return f"{alone}Used {self.used}{currency}; {left}."


_NAMES = {PureSum: ("ε",), BasicSum: ("ε", "δ"), Concentrated: ("ρ", "δ")}
_DIGITS = 3


def price_words(account: Filter, loss_words: str, share: Fraction, free: bool, charge: Loss | None) -> PriceWords:
    """The price of a release, and what is left of the account."""
    currency = "" if charge is None else currency_words(account, charge)
    most_of = "" if charge is None else _most_of(account, charge)
    return PriceWords(loss_words, share, 1 - account.share(account.spent), free, currency, most_of)


def _most_of(account: Filter, charge: Loss) -> str:
    """The name of the component that a charge uses most of, if it is not the first."""
    costs = zip(_NAMES.get(type(account.currency), ()), account.currency.price(charge), account.limit, strict=False)
    shares = {name: cost / whole for name, cost, whole in costs if cost and whole}
    most = max(shares, key=lambda name: shares[name], default="")
    return "" if most == next(iter(shares), "") else most


def currency_words(account: Filter, charge: Loss) -> str:
    """Such as "ρ 0.0042 of 0.266": the price, rounded up, of the budget, rounded down."""
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
