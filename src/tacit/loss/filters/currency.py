"""The currencies of an account: those whose plain sums are valid when every price is chosen adaptively.

An analyst chooses each query, and its cost, after seeing the earlier answers. For such adaptive queries, a rule that
admits queries until a sum reaches a limit is proven for exactly the sums below. Tighter arithmetic may price one plan
that is fixed in advance; the plan is then charged as its (ε, δ), ρ or μ.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure, pure_epsilon_of
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp
from tacit.words import shown

Amounts: TypeAlias = tuple[Fraction, ...]

CURVES = (
    "A whole curve of privacy loss is proven invalid as a filter: what fits on each path may exceed the budget on all "
    "together (Tran et al., arXiv 2602.06756; Regehr et al., arXiv 2602.15815)."
)


class Currency(ABC):
    """The amounts that are added up: one or more exact numbers for each release, each with its own limit."""

    @abstractmethod
    def price(self, loss: Loss) -> Amounts:
        """What the release costs here, rounded up where it must be; refused where no sound amount is known."""

    @abstractmethod
    def loss(self, amounts: Amounts, relation: Relation | None = None) -> Loss:
        """The loss that these amounts mean, with the relation that they are proven for, if there is only one."""


@frozen
class PureSum(Currency):
    """Σε. On every path the privacy loss is at most the sum of the ε's, however they were chosen."""

    def price(self, loss: Loss) -> Amounts:
        most = pure_epsilon_of(loss)
        if most is None:
            raise Refused(
                f"({loss}) in a pure account",
                "Its privacy loss has no upper end, as with Gaussian noise or privately chosen keys.",
                "Laplace or geometric noise and public keys; or an account in (ε, δ) or zCDP.",
            )
        return (most,)

    def loss(self, amounts: Amounts, relation: Relation | None = None) -> Loss:
        return Pure(amounts[0], relation=relation)

    def __str__(self) -> str:
        return "pure ε by sums"


@frozen
class BasicSum(Currency):
    """(Σε, Σδ) (Rogers–Roth–Ullman–Vadhan 2016).

    Each release is a post-processing of one that reveals everything with probability δ and otherwise loses at most ε.
    The probability that any of them reveals everything is at most the mean of Σδ over the paths, and no path exceeds
    the limit.
    """

    def price(self, loss: Loss) -> Amounts:
        if isinstance(loss, Approx):
            return loss.exact_epsilon, loss.exact_delta
        most = pure_epsilon_of(loss)
        if most is None:
            raise Refused(
                f"({loss}) in an account of (ε, δ) by sums",
                f"It is many (ε, δ) at once, and the account adds one. {CURVES}",
                "one of them, named by its δ: `loss.approx(delta)`.",
            )
        return most, Fraction(0)

    def loss(self, amounts: Amounts, relation: Relation | None = None) -> Loss:
        return Approx(amounts[0], min(Fraction(1), amounts[1]), relation=relation)

    def __str__(self) -> str:
        return "(ε, δ) by sums"


@frozen
class Concentrated(Currency):
    """(Σρ, Σδ): zCDP and approximate zCDP (Feldman–Zrnic 2021; Whitehouse–Ramdas–Rogers–Wu 2023).

    With L the loss so far, e^{(α−1)(L−αΣρ)} is a supermartingale for every order α, because each ρ is known before its
    release. At the end Σρ is at most the limit on every path, so E[e^{(α−1)L}] is at most e^{(α−1)α·limit}. The δ's are
    treated as in `BasicSum`.
    """

    def price(self, loss: Loss) -> Amounts:
        try:
            cost = loss.zcdp()
        except Refused:
            raise Refused(
                f"({loss}) in an account of zCDP",
                f"No ρ is known that bounds it at every order. {CURVES}",
                "a family that states its ρ, or the loss as `loss.approx(delta)`, whose ρ is ε·tanh(ε/2).",
            ) from None
        return cost.rho, cost.exact_delta

    def loss(self, amounts: Amounts, relation: Relation | None = None) -> Loss:
        return Zcdp(amounts[0], min(Fraction(1), amounts[1]), relation=relation)

    def __str__(self) -> str:
        return "zCDP (ρ, δ) by sums"


@frozen
class GaussianSum(Currency):
    """Σμ² (Smith–Thakurta 2022; Koskela–Tobaben–Honkela 2023).

    By induction from the last release: after a first one of μ₁, for every answer, the rest is dominated by the Gaussian
    of limit−μ₁². That is one curve for all answers, so composing it with the first is composition fixed in advance, and
    gives the Gaussian of the limit.
    """

    def price(self, loss: Loss) -> Amounts:
        try:
            return (loss.gdp().mu_squared,)
        except Refused:
            raise Refused(
                f"({loss}) in an account of Gaussian privacy",
                f"No μ is known that bounds it at every ε; a match at one δ is not enough. {CURVES}",
                "a Gdp or a loss with a pure ε; a δ above 0 has no μ and needs an account in zCDP or (ε, δ).",
            ) from None

    def loss(self, amounts: Amounts, relation: Relation | None = None) -> Loss:
        return Gdp(amounts[0], relation=relation)

    def __str__(self) -> str:
        return "Gaussian μ² by sums"


@frozen
class RenyiSum(Currency):
    """ΣD_α at one order fixed with the account (Feldman–Zrnic 2021; Lécuyer 2021): the argument of `Concentrated`."""

    order: Fraction

    def price(self, loss: Loss) -> Amounts:
        if isinstance(loss, Zcdp) and loss.exact_delta == 0:
            return (loss.rho * self.order,)
        if isinstance(loss, Gdp):
            return (loss.mu_squared * self.order / 2,)
        known = loss.bound(self.order) if isinstance(loss, Rdp) else _finite(loss.rdp(self.order))
        if known is None:
            raise Refused(
                f"({loss}) in an account of Rényi order {shown(self.order)}",
                "Its divergence at this order is unbounded or unknown.",
                "a loss whose divergence at this very order is finite; δ above 0 needs approximate zCDP or (ε, δ).",
            )
        return (known,)

    def loss(self, amounts: Amounts, relation: Relation | None = None) -> Loss:
        return Rdp([(self.order, amounts[0])], relation=relation)

    def __str__(self) -> str:
        return f"Rényi divergence of order {shown(self.order)} by sums"


def _finite(value: float) -> Fraction | None:
    return Fraction(value) if value < math.inf else None


def currency_of(budget: Loss) -> Currency:
    """The currency of a budget; refused where sums or curves of its kind are not proven as a filter."""
    if isinstance(budget, Pure):
        return PureSum()
    if isinstance(budget, Approx):
        return BasicSum()
    if isinstance(budget, Zcdp):
        return Concentrated()
    if isinstance(budget, Gdp):
        return GaussianSum()
    if isinstance(budget, Rdp) and len(budget.points) == 1:
        return RenyiSum(budget.orders[0])
    accepted = "a budget as Pure, Approx, Zcdp, Gdp, or Rdp at one order."
    if isinstance(budget, Rdp):
        why = "“Some order still fits” is unproven for prices chosen on the way (Feldman–Zrnic 2021 fix one order)."
        raise Refused(f"a filter on Rényi privacy at {len(budget.points)} orders", why, accepted)
    if not isinstance(budget, Loss):
        raise Refused(f"a filter on a {type(budget).__name__}", "It is no loss.", accepted)
    advanced = (
        "The formula of advanced composition, too, speaks of prices fixed in advance "
        "(Rogers–Roth–Ullman–Vadhan 2016; Whitehouse et al. 2023)."
    )
    raise Refused(f"a filter on ({budget})", f"{CURVES} {advanced}", accepted)
