"""Privacy filters: the rule that lets a release in, or not, when each was chosen after seeing the earlier ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.filters.currency import Amounts, Currency, currency_of
from tacit.loss.loss import Loss
from tacit.loss.one_relation import demand_one_relation
from tacit.loss.relation import Relation


@frozen
class Filter:
    """A budget and what is used of it, in one currency fixed at the start; it never changes, `charge` gives the next.

    Claim, under the one neighbour relation of budget and charges: whoever chooses each release, and its loss, after
    seeing all earlier answers, the answers together cost at most `budget`, as long as every release was charged
    first. The proof is that of the currency. Amounts are exact fractions: n charges of one n-th fit, and not one more.
    A filter that is over its budget cannot be made. A loss that is proven for one relation only, such as one on a
    sample or its conversions, binds the filter to it: what is proven for the other is refused from then on.
    """

    budget: Loss
    used: Amounts = ()
    relation: Relation | None = None

    def __post_init__(self) -> None:
        used = self.used or (Fraction(0),) * len(self.limit)
        exact = isinstance(used, tuple) and all(isinstance(amount, Fraction) for amount in used)
        if not (exact and len(used) == len(self.limit) and all(map(_is_within, used, self.limit))):
            why = "It is not an exact amount within the budget."
            raise Refused("a filter that has used this", why, "`Filter(budget)`, and `charge`.")
        object.__setattr__(self, "used", used)
        object.__setattr__(self, "relation", demand_one_relation([self.budget], self.relation))

    @cached_property
    def currency(self) -> Currency:
        """What is added up."""
        return currency_of(self.budget)

    @cached_property
    def limit(self) -> Amounts:
        """The budget's amounts."""
        return self.currency.price(self.budget)

    @property
    def spent(self) -> Loss:
        """What the charges so far add up to. It bounds the answers if no more come; see `Odometer` while they do."""
        return self.currency.loss(self.used, self.relation)

    @property
    def left(self) -> Loss:
        """What may still be charged."""
        return self.currency.loss(self._left, self.relation)

    @property
    def _left(self) -> Amounts:
        return tuple(m - u for m, u in zip(self.limit, self.used, strict=True))

    def price(self, loss: Loss) -> Loss:
        """The loss in this account's currency; refused where no sound amount is known."""
        return self.currency.loss(self._price(loss), demand_one_relation([loss]))

    def _price(self, loss: Loss) -> Amounts:
        if not isinstance(loss, Loss):
            raise Refused(f"a charge of type {type(loss).__name__}", "It is no loss.", "a `Loss`.")
        demand_one_relation([loss], self.relation)
        return self.currency.price(loss)

    def admits(self, loss: Loss) -> bool:
        """Whether every component fits into what is left; refused if the loss has no price here."""
        return all(cost <= left for cost, left in zip(self._price(loss), self._left, strict=True))

    def charge(self, loss: Loss) -> Filter:
        """The filter after this release; refused if it does not fit. To be kept before the release is made."""
        if not self.admits(loss):
            raise Refused(
                f"a release that costs {self.price(loss)}",
                f"Only {self.left} is left, and every component must fit.",
                "a release that costs no more than what is left.",
            )
        used = tuple(u + c for u, c in zip(self.used, self._price(loss), strict=True))
        return replace(self, used=used, relation=demand_one_relation([loss], self.relation))

    def share(self, loss: Loss) -> Fraction:
        """The part of the whole budget that the loss uses, exactly: that of the component it uses most of."""
        return max((self._ratio(c, m) for c, m in zip(self._price(loss), self.limit, strict=True)), default=Fraction(0))

    def _ratio(self, cost: Fraction, limit: Fraction) -> Fraction:
        if cost and not limit:
            raise Refused(
                "the share of a component the budget does not have",
                f"The budget is {self.budget}; no multiple of it would be enough.",
                "a loss without that component, or a budget with some of it.",
            )
        return cost / limit if limit else Fraction(0)

    def how_many_more(self, loss: Loss) -> int | None:
        """How many more releases like this one would fit; None if it costs nothing, for then there is no end."""
        counts = [left // cost for cost, left in zip(self._price(loss), self._left, strict=True) if cost]
        return min(counts) if counts else None

    def __str__(self) -> str:
        return f"{self.spent} of {self.budget}"


def _is_within(amount: Fraction, limit: Fraction) -> bool:
    return 0 <= amount <= limit
