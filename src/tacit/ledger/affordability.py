"""Whether a charge fits: not below the floor, into what is left of the budget, and of the analyst's share of it.

`Totals` are the running totals of an account over the entries read so far, for each analyst and for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, reduce

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.link import Link
from tacit.ledger.request import Request
from tacit.loss.families.loss import Loss, demand_one_relation
from tacit.loss.filters.currency import Amounts
from tacit.loss.filters.privacy_filter import Filter
from tacit.words import percent_down, percent_up, shown


@frozen
class Totals:
    """Exact sums up to an entry. Entries never change, so the sums stay valid and only newer entries are read."""

    empty: Filter
    upto: int = 0
    analysts: Mapping[str, Amounts] = field(default_factory=dict)

    def after(self, charges: Iterable[Link]) -> Totals:
        """The totals with these newer charges."""
        upto, analysts, price = self.upto, dict(self.analysts), self.empty.currency.price
        for link in charges:
            charged, upto = link.charged, link.number
            analysts[charged.analyst] = add(analysts.get(charged.analyst, self._nothing), price(charged.loss))
        return self if upto == self.upto else Totals(self.empty, upto, analysts)

    def of(self, analyst: str) -> Amounts:
        """The sums of this analyst."""
        return self.analysts.get(analyst, self._nothing)

    @cached_property
    def filter(self) -> Filter:
        """The account's filter; refused if the entries exceed the budget, which means a damaged ledger."""
        return replace(self.empty, used=reduce(add, self.analysts.values(), self._nothing))

    @cached_property
    def _nothing(self) -> Amounts:
        return (Fraction(0),) * len(self.empty.limit)


def add(left: Amounts, right: Amounts) -> Amounts:
    """Add amounts component by component."""
    return tuple([a + b for a, b in zip(left, right, strict=True)])


def price_of(account: Filter, request: Request) -> Loss:
    """The request's loss in the account's currency; refused where it is not stated for the account's relation.

    Where a mechanism's loss does not state its relation, the request does. An account whose unit names no relation
    accepts no loss that is proven for one relation only: entries store amounts, not relations.
    """
    stated = demand_one_relation([request.loss], request.relation)
    if stated is not account.relation:
        hidden = f"hides {account.relation}" if account.relation else "names no neighbour relation"
        under = f"stated under {stated}" if stated else "not stated under any relation"
        raise Refused(
            f"a charge for a loss that is {under}",
            f"The account {hidden}; losses under different relations do not add up.",
            "a loss that is proven under the account's own relation.",
        )
    return account.currency.loss(account.currency.price(request.loss))  # the account states the relation


def refuse_unless_affordable(totals: Totals, request: Request, price: Loss) -> None:
    """Refuse unless every component fits into the budget and into the analyst's share.

    The refusal says what is left.
    """
    account, share = totals.filter, request.terms.share
    cost, limit = account.currency.price(price), account.limit
    if account.share(price) < request.terms.floor:
        raise Refused(
            f"a release that costs {price}",
            f"It is less than {shown(100 * request.terms.floor)}% of the budget, the least for a question.",
            "a higher price.",
        )
    left = tuple(m - u for m, u in zip(limit, account.used, strict=True))
    if not fits(cost, left):
        raise Refused(
            _asked(price, cost, limit),
            f"Only {account.left} is left, {percent_down(smallest_share(left, limit))} of the budget, and every "
            "component must fit.",
            _cure(cost, left, "The budget of these data does not grow: what it has bought stays free to read again."),
        )
    if share is None:
        return
    most = tuple(share * amount for amount in limit)
    used = totals.of(request.analyst)
    if not fits(add(used, cost), most):
        left = tuple(max(Fraction(0), m - u) for m, u in zip(most, used, strict=True))
        raise Refused(
            _asked(price, cost, limit),
            f"Of the {percent_down(share)} of the budget that this analyst may use, only "
            f"{account.currency.loss(left)} is left, {percent_down(smallest_share(left, limit))} of the budget.",
            _cure(cost, left, "The steward may raise the analyst's share."),
        )


def fits(cost: Amounts, left: Amounts) -> bool:
    """Whether every component fits."""
    return all(c <= m for c, m in zip(cost, left, strict=True))


def smallest_share(part: Amounts, whole: Amounts) -> Fraction:
    """The part as a share of the whole, in the component where it is least.

    Components that are 0 in the whole are ignored.
    """
    return min((p / w for p, w in zip(part, whole, strict=True) if w), default=Fraction(0))


def _asked(price: Loss, cost: Amounts, limit: Amounts) -> str:
    share = max((c / m for c, m in zip(cost, limit, strict=True) if m), default=Fraction(0))
    return f"a release that costs {price}, {percent_up(share)} of the budget"


def _cure(cost: Amounts, left: Amounts, last: str) -> str:
    part = min((m / c for c, m in zip(cost, left, strict=True) if c), default=Fraction(0))
    if not part:
        return f"an answer that is already stored. {last}"
    return f"a smaller epsilon or a larger error, so that it costs at most {percent_down(part)} of that. {last}"
