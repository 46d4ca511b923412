"""Privacy filters and odometers, for releases that are each chosen after seeing the earlier answers.

A filter is the rule that admits or rejects a release. An odometer bounds what has been spent so far, at any time it is
read.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from tacit.errors import Refused
from tacit.exact import proper
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation, demand_one_relation
from tacit.loss.families.precision import sharp
from tacit.loss.families.rdp import clipped, logarithm
from tacit.loss.filters.currency import (
    Amounts,
    BasicSum,
    Concentrated,
    Currency,
    GaussianSum,
    PureSum,
    RenyiSum,
    currency_of,
)
from tacit.noise.ball import ball, fraction_up


@frozen
class Filter:
    """A budget and the part of it that is used, in one fixed currency. It is immutable: `charge` returns a new one.

    Claim, under the one neighbour relation of budget and charges: if each release, and its loss, is chosen after seeing
    all earlier answers, the answers together cost at most `budget`, as long as every release was charged first. The
    proof is that of the currency. Amounts are exact fractions: exactly n charges of one n-th fit. A filter that is over
    its budget cannot be made. A loss that is proven for one relation only, such as one on a sample or its conversions,
    fixes the relation of the filter: a loss that is proven for the other one is refused from then on.
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
        """The filter after this release; refused if it does not fit. Store it before the release is made."""
        if not self.admits(loss):
            raise Refused(
                f"a release that costs {self.price(loss)}",
                f"Only {self.left} is left, and every component must fit.",
                "a release that costs no more than what is left.",
            )
        used = tuple(u + c for u, c in zip(self.used, self._price(loss), strict=True))
        return replace(self, used=used, relation=demand_one_relation([loss], self.relation))

    def share(self, loss: Loss) -> Fraction:
        """The share of the whole budget that the loss uses, exactly: the largest share of any component."""
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
        """How many more releases like this one would fit; None if it costs nothing, and so has no limit."""
        counts = [left // cost for cost, left in zip(self._price(loss), self._left, strict=True) if cost]
        return min(counts) if counts else None

    def __str__(self) -> str:
        return f"{self.spent} of {self.budget}"


def _is_within(amount: Fraction, limit: Fraction) -> bool:
    return 0 <= amount <= limit


_SCALES = 20  # an order is prepared for the budget halved up to this many times
_TINY = 1e-280


@frozen
class Odometer:
    """A filter that can be read at any time, even a time chosen by looking at the answers and at the odometer.

    Claim (Rogers–Roth–Ullman–Vadhan 2016): with probability at least 1−δ_total over the answers, in either world, the
    privacy loss of everything released so far is at most the ε read, at all times at once (for a release with a δ, the
    loss of the response that it is a post-processing of). Hence stopping at any reading is (ε, δ_total)-private. What a
    zCDP or Rényi filter has `spent` is not such a bound: its theorem knows only the limit. Per currency: pure: Σε on
    every path, δ_total = 0. (ε, δ): Σε unless some release revealed everything, δ_total = the limit of Σδ. Rényi at one
    order: e^{(α−1)(L−Σr)} is a supermartingale, so by Ville's inequality L ≤ Σr + ln(1/δ)/(α−1) at all times, with
    probability at least 1−δ. zCDP, and GDP with ρ = μ²/2: the same at each of 21 orders fixed in advance, with shares
    of δ that add up to less than 1 (Whitehouse–Ramdas–Rogers–Wu 2023 give sharper mixtures), plus the limit of Σδ.
    """

    account: Filter
    delta: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.account, Filter):
            raise Refused(f"an odometer on a {type(self.account).__name__}", "It reads accounts.", "a `Filter`.")
        object.__setattr__(self, "delta", proper(self.delta, "delta"))

    def charge(self, loss: Loss) -> Odometer:
        """The odometer after this release; its δ stays what it was, as the claim demands."""
        return Odometer(self.account.charge(loss), self.delta)

    def read(self) -> Approx:
        """The (ε, δ_total) of everything released so far, ε rounded up."""
        currency, used, limit = self.account.currency, self.account.used, self.account.limit
        if isinstance(currency, PureSum):
            return Pure(used[0], relation=self.account.relation)
        epsilon, slack = self._bound(currency, used, limit)
        return Approx(epsilon, min(Fraction(1), slack), relation=self.account.relation)

    def _bound(self, currency: Currency, used: Amounts, limit: Amounts) -> tuple[Fraction, Fraction]:
        if isinstance(currency, BasicSum):
            return used[0], limit[1]
        if isinstance(currency, RenyiSum):
            return _at_order(currency.order, used[0], self.delta) if used[0] else Fraction(0), self.delta
        if isinstance(currency, Concentrated):
            return _concentrated(used[0], limit[0], self.delta), self.delta + limit[1]
        if isinstance(currency, GaussianSum):
            return _concentrated(used[0] / 2, limit[0] / 2, self.delta), self.delta
        raise Refused(f"a reading of {currency}", "No odometer is proven for it.", "one of the currencies of `Filter`.")


def _at_order(order: Fraction, divergence: Fraction, delta: Fraction) -> Fraction:
    return fraction_up(sharp(lambda: ball(divergence) - ball(delta).log() / ball(order - 1)))


def _concentrated(rho: Fraction, limit: Fraction, delta: Fraction) -> Fraction:
    """The least over the prepared orders; the j-th has 1/(j+1)(j+2) of δ, which add up to less than 1."""
    if rho == 0:
        return Fraction(0)
    bounds = []
    for j in range(_SCALES + 1):
        part = delta / ((j + 1) * (j + 2))
        order = 1 + Fraction(math.sqrt(-logarithm(part) / max(clipped(limit), _TINY))) * Fraction(math.sqrt(2.0**j))
        bounds.append(_at_order(order, rho * order, part))
    return min(bounds)
