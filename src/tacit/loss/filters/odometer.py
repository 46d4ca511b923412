"""Odometers: what has been spent so far, as a bound that holds at whatever moment one looks."""

from __future__ import annotations

import math
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import proper
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.renyi import clipped, logarithm
from tacit.loss.filters.currency import Amounts, BasicSum, Concentrated, Currency, GaussianSum, PureSum, RenyiSum
from tacit.loss.filters.filters import Filter
from tacit.loss.loss import Loss
from tacit.loss.sharp import sharp
from tacit.noise.ball import ball, fraction_up

_SCALES = 20  # halvings of the budget for which an order is kept ready
_TINY = 1e-280


@frozen
class Odometer:
    """A filter that can be read at any time, even a time chosen by looking at the answers and at the odometer.

    Claim (Rogers–Roth–Ullman–Vadhan 2016): with probability at least 1−δ_total over the answers, in either world, the
    privacy loss of everything released so far is at most the ε read, at all times at once (for a release with a δ, the
    loss of the response that it is a post-processing of). Hence stopping at any reading is (ε, δ_total)-private. What
    a zCDP or Rényi filter has `spent` is not such a bound: its theorem knows only the limit. Per currency:
    pure: Σε on every path, δ_total = 0. (ε, δ): Σε unless some release gave everything away, δ_total = the limit of
    Σδ. Rényi at one order: e^{(α−1)(L−Σr)} is a supermartingale, so by Ville's inequality L ≤ Σr + ln(1/δ)/(α−1) at
    all times but for a probability of δ. zCDP, and GDP with ρ = μ²/2: the same at each of 21 orders fixed in advance,
    with shares of δ that add up to less than 1 (Whitehouse–Ramdas–Rogers–Wu 2023 give sharper mixtures), plus the
    limit of Σδ.
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
    """The least over the orders kept ready; the j-th has 1/(j+1)(j+2) of δ, which add up to less than 1."""
    if rho == 0:
        return Fraction(0)
    bounds = []
    for j in range(_SCALES + 1):
        part = delta / ((j + 1) * (j + 2))
        order = 1 + Fraction(math.sqrt(-logarithm(part) / max(clipped(limit), _TINY))) * Fraction(math.sqrt(2.0**j))
        bounds.append(_at_order(order, rho * order, part))
    return min(bounds)
