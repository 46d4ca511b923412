"""The noise of a query compared with the least possible, certified, with the class that the bound holds for.

It is known for counts and sums where no unit is scaled: one row per unit, or limits by at_most. What is compared
follows the currency of the account:

- ρ: the variance of the noise with the least of any unbiased release (`optimality.unbiased`, `optimality.group_sums`),
  each column at its own share of ρ. The integers before they are rounded for reading are what is unbiased.
- pure ε, and (ε, δ): the half-width of the intervals, as they are shown, with the narrowest of any release, biased or
  not (`optimality.count_bound`). An (ε, δ) release has no least variance, and its δ is not shared out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil

from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.least_error import NO_BOUND, LeastHalfWidth, LeastVariance
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Law, Measure, Part, spread
from tacit.query.aggregates.moments import Total
from tacit.query.plans.plan import Plan
from tacit.query.sql.rows import Ownership
from tacit.workload.optimality.count_bound import least_half_width
from tacit.workload.optimality.group_sums import PersonalMove
from tacit.workload.optimality.reached_bounds import reaches_its_bounds
from tacit.workload.optimality.unbiased import MOST_RHO, least_unbiased

_NAMED = "\0"  # where names will stand


@frozen
class PartNoise:
    """The noise on one part whose limit cuts no unit: its law, how many units one step is, and the limit."""

    law: Law
    scale: Fraction
    norm: Fraction


@frozen
class QueryBound:
    """The noise on the parts of a plan, what was charged, and the share of it (ε or μ²) that each part had.

    `groups` is how many there are, or None where private ones are not chosen yet.
    """

    plan: Plan
    noise: Mapping[Part, PartNoise]  # of the parts in which no unit is scaled
    charge: Loss
    strength: Fraction
    groups: int | None
    confidence: Fraction

    def known(self) -> list[str]:
        """The known bounds, one sentence for all counts and sums with the same one.

        They are named if not all have it.
        """
        alike: dict[str, list[str]] = {}
        for name, found in self._found.items():
            if found is not None:
                alike.setdefault(found[0].words(found[1], _NAMED), []).append(name)
        is_all = len(alike) == 1 and None not in self._found.values()
        return [words.replace(_NAMED, "" if is_all else _of(names)) for words, names in alike.items()]

    def explained(self) -> list[str]:
        """The known bounds, and the aggregates without one."""
        known, lacking = self.known(), [name for name, found in self._found.items() if found is None]
        if not known:
            return [NO_BOUND] if lacking else []
        return [*known, f"No bound is known{_of(lacking)}."] if lacking else known

    @cached_property
    def _found(self) -> Mapping[str, tuple[LeastVariance | LeastHalfWidth, Fraction] | None]:
        """For each aggregate the least error of its class, and the error that it has."""
        question = self.plan.question
        return {
            name: self._compared(each.part) if isinstance(each, Total) and reaches_its_bounds(question, name) else None
            for name, each in question.aggregates.items()
        }

    def _compared(self, part: Part) -> tuple[LeastVariance | LeastHalfWidth, Fraction] | None:
        """The least error of a part in its class, in steps, and the error that it has."""
        noise = self.noise.get(part)
        if noise is None or not isinstance(part, Measure) or noise.scale.denominator != 1:
            return None  # coarser units than a step cut off parts of people's totals
        of = "counts" if part.once or part.subject == "rows" else "sums"
        if isinstance(self.charge, Zcdp):
            return self._variance(part, noise, of)
        return self._half_width(part, noise, of, self.charge) if isinstance(self.charge, Approx) else None

    def _variance(self, part: Measure, noise: PartNoise, of: str) -> tuple[LeastVariance, Fraction] | None:
        """Of all groups together. Where one person is in one group, their number makes no difference."""
        move = self._move(part, noise, self.groups or 1)
        is_told = self.groups is not None or (move.spread == 1 and not move.is_replaced)
        optimum, rho = move.optimum_down(), self.strength / 2
        if not (is_told and optimum > 0 and rho <= MOST_RHO and isinstance(noise.law, RoundedGaussian)):
            return None
        shown = f"{of} of the groups shown" if self.plan.is_selecting else of
        ours = move.groups * noise.law.mean_square_up / noise.scale**2
        return least_unbiased(optimum, rho, of=shown, charge=self.charge), ours

    def _half_width(
        self, part: Measure, noise: PartNoise, of: str, charge: Approx
    ) -> tuple[LeastHalfWidth, Fraction] | None:
        """Of each group by itself; whole numbers are shown with whole half-widths."""
        if not self.groups or self.plan.is_selecting:
            return None
        loss, price, step = charge, "at this ε and δ", part.step
        if isinstance(charge, Pure):
            loss = Pure(self.strength)
            price = "at this ε" if self.strength == charge.exact_epsilon else "at its share of ε"
        most, whole = self._move(part, noise, self.groups).in_one_group * step, step.denominator == 1
        if not most > 0:
            return None
        least = least_half_width(loss, self.confidence, most, of=of, price=price, is_whole=whole)
        reach = spread(noise.law, self.confidence) / noise.scale * step
        return None if least is None else (least, Fraction(ceil(reach)) if whole else reach)

    def _move(self, part: Measure, noise: PartNoise, groups: int) -> PersonalMove:
        """What one person may do to a part, in steps. What holds of one row holds of its values' bounds too."""
        is_replaced = self.plan.relation is Relation.REPLACE
        if part.once:
            _, held = part.limited(noise.norm, not isinstance(self.charge, Pure))
            spread_over = int(held) if self.plan.question.keys else 1
            return PersonalMove(groups, Fraction(1), spread_over, is_replaced)
        is_row = self.plan.question.rows.ownership is not Ownership.MANY
        between = Fraction(part.value.high - part.value.low) if is_row and is_replaced else Fraction(0)
        return PersonalMove(groups, noise.norm, 1, is_replaced, between)


def _of(names: Sequence[str]) -> str:
    return f" of {', '.join(names)}"
