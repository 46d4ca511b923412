"""Sequential composition: what several releases about the same people cost together.

Each part may be chosen after seeing the earlier answers; its loss must be fixed in advance. (A ledger, whose losses are
themselves chosen adaptively, may use only the sums within one family.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.composition.loss_sums import (
    add_basic,
    add_concentrated,
    add_gaussian,
    add_renyi,
    basic_delta,
    basic_epsilon,
    gaussian_of,
    renyi_delta,
    renyi_epsilon,
    sum_up,
)
from tacit.loss.families.approx import Approx, Pure, pure_epsilon_of
from tacit.loss.families.curve import float_up
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation, demand_one_relation, in_list, in_order
from tacit.loss.families.precision import order_above_one
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp

if TYPE_CHECKING:
    from tacit.loss.accountant.account import Account

_TRIED = (Fraction(0), *(Fraction(1, 2**k) for k in (1, 2, 3, 4, 5, 7, 10, 14, 20, 27, 34, 45, 60, 80)))


def compose(*losses: Loss) -> Loss:
    """What all these releases cost together: an associative, commutative sum whose unit is Pure(0).

    Pure and Approx add ε and δ; Zcdp adds ρ and δ; Gdp adds μ²; Rdp adds order by order. A sum within one family is of
    that family. Different families give a `Composition`. For parts that should keep their own curves, and not be added
    first, build the `Composition` itself.
    """
    parts = [part for part in _flattened(losses) if part != Pure(0)]
    total: list[Loss] = [part for part in parts if not isinstance(part, Approx | Zcdp | Gdp | Rdp)]
    if basic := [part for part in parts if isinstance(part, Approx)]:
        total.append(add_basic(basic))
    if concentrated := [part for part in parts if isinstance(part, Zcdp)]:
        total.append(add_concentrated(concentrated))
    if gaussian := [part for part in parts if isinstance(part, Gdp)]:
        total.append(add_gaussian(gaussian))
    if renyi := [part for part in parts if isinstance(part, Rdp)]:
        total.append(add_renyi(renyi))
    if not total:
        return Pure(0)
    return total[0] if len(total) == 1 else Composition(total)


def post_processed(loss: Loss) -> Loss:
    """The loss itself: whatever is computed from a release alone, by any method, costs nothing more."""
    return loss


@frozen(init=False, repr=False)
class Composition(Loss):
    """Releases of different families; every answer is the best of the valid bounds.

    Outside an event of probability s = Σδᵢ (each part's own slack) every part costs only its core. For
    the cores three bounds hold: ε's add over any split of δ; Rényi divergences add at each order (zCDP
    is a special case and never better); and if each core lies within some μ, the μ² add. The whole is then
    (ε, s + (1−s)δ′). Where every part has a dominating pair, the numeric accountant is tighter: its upper end answers.
    """

    parts: tuple[Loss, ...]

    def __init__(self, parts: Iterable[Loss]) -> None:
        object.__setattr__(self, "parts", in_order(_flattened(parts)))
        demand_one_relation(self.parts)

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset(found for part in self.parts for found in part.relations)

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The sum of the parts' pure ε, exactly; None if one has none."""
        parts = [pure_epsilon_of(part) for part in self.parts]
        known = [part for part in parts if part is not None]
        return None if len(known) < len(parts) else sum(known, Fraction(0))

    def composed(self) -> tuple[tuple[Loss, int], ...]:
        return tuple((part, 1) for part in self.parts)

    def delta(self, epsilon: Number) -> float:
        target = nonnegative(epsilon, "epsilon")
        slack, cores = self.core_parts()
        if (certain := _numeric(self.parts, lambda whole: whole.delta(target).upper)) is not None:
            return certain
        best = min(1.0, renyi_delta(cores, target))
        if (gaussian := gaussian_of(cores)) is not None:
            best = min(best, gaussian.delta(target))
        return float_up(slack + (1 - slack) * Fraction(basic_delta(cores, target, best)))

    def epsilon(self, delta: Number) -> float:
        target = probability(delta, "delta")
        slack, cores = self.core_parts()
        if target == 1:
            return 0.0
        if (certain := _numeric(self.parts, lambda whole: whole.upper(target))) is not None:
            return certain
        if target < slack:
            return math.inf
        left = (target - slack) / (1 - slack)
        bounds = [renyi_epsilon(cores, left), basic_epsilon(cores, left)]
        if (gaussian := gaussian_of(cores)) is not None:
            bounds.append(gaussian.epsilon(left))
        return min(bounds)

    def tradeoff(self, alpha: Number) -> float:
        """The best that some (ε, δ) of this composition, or its Gaussian bound, promises; rounded down."""
        level = probability(alpha, "alpha")
        slack, cores = self.core_parts()
        curves = [known.tradeoff(level) for known in _sample(self)]
        if slack == 0 and (gaussian := gaussian_of(cores)) is not None:
            curves.append(gaussian.tradeoff(level))
        return max(0.0, *curves) if curves else 0.0

    def rdp(self, order: Number) -> float:
        """The sum of the parts' divergences, rounded up."""
        alpha = order_above_one(order)
        return sum_up(part.rdp(alpha) for part in self.parts)

    def group(self, people: int) -> Composition:
        """Each part for the whole group, side by side."""
        size = whole(people, "people", least=1)
        return Composition(part.group(size) for part in self.parts)

    def zcdp(self) -> Zcdp:
        """Σρ and Σδ, where every part has them."""
        return add_concentrated([part.zcdp() for part in self.parts])

    def gdp(self) -> Gdp:
        """√Σμ², where every part has one."""
        return add_gaussian([part.gdp() for part in self.parts])

    def core(self) -> tuple[Fraction, Loss]:
        slack, cores = self.core_parts()
        return slack, Composition(cores)

    def core_parts(self) -> tuple[Fraction, tuple[Loss, ...]]:
        """The parts' slacks added up, and what each costs outside them."""
        split = [part.core() for part in self.parts]
        return min(Fraction(1), sum((s for s, _ in split), Fraction(0))), tuple(c for _, c in split)

    def __str__(self) -> str:
        return " with ".join(str(part) for part in self.parts)


@lru_cache(maxsize=64)
def _sample(loss: Composition) -> tuple[Approx, ...]:
    """Some (ε, δ) that the composition promises."""
    slack, _ = loss.core_parts()
    tried = [slack + (1 - slack) * share for share in _TRIED]
    found = [(loss.epsilon(delta), delta) for delta in tried]
    return tuple(Approx(Fraction(epsilon), delta) for epsilon, delta in found if epsilon < math.inf)


def _flattened(losses: Iterable[Loss]) -> list[Loss]:
    return [part for loss in in_list(losses) for part in (loss.parts if isinstance(loss, Composition) else (loss,))]


def _numeric(parts: tuple[Loss, ...], question: Callable[[Account], float]) -> float | None:
    """The numeric accountant's answer; None where it has none, because a part has no pair or δ is too small."""
    from tacit.loss.accountant.account import account  # it imports this module, so it cannot be imported above

    try:
        return question(account((part, 1) for part in parts))
    except Refused:
        return None
