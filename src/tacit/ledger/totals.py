"""Running totals of an account: what the entries read so far add up to, for each analyst and over all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, reduce

from tacit.frozen import frozen
from tacit.ledger.link import Link
from tacit.loss.filters.currency import Amounts
from tacit.loss.filters.privacy_filter import Filter


@frozen
class Totals:
    """Exact sums up to an entry. Entries never change, so what was added up stays true; only newer ones are read."""

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
        """What this analyst has used."""
        return self.analysts.get(analyst, self._nothing)

    @cached_property
    def filter(self) -> Filter:
        """The account's filter; refused if the entries exceed the budget, which only a damaged ledger can say."""
        return replace(self.empty, used=reduce(add, self.analysts.values(), self._nothing))

    @cached_property
    def _nothing(self) -> Amounts:
        return (Fraction(0),) * len(self.empty.limit)


def add(left: Amounts, right: Amounts) -> Amounts:
    """Component by component."""
    return tuple([a + b for a, b in zip(left, right, strict=True)])
