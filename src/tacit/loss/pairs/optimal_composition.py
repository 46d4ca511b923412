"""Optimal composition of different (ε, δ): exact, by writing out every pattern of coins (Murtagh–Vadhan 2016)."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import arb, ctx

from tacit.errors import Refused
from tacit.exact import Number, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.curve import epsilon_between_losses
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation, demand_one_relation, in_list, in_order
from tacit.loss.families.precision import sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.pair import Pair
from tacit.loss.pairs.repeated_approx import RepeatedApprox, gives_away_at_most, slack_of
from tacit.noise.ball import START_BITS, Ball, ball, down, fraction_up, precision

_MOST_LOSSES = 1 << 15


def optimal_composition(parts: Iterable[Approx]) -> Pair:
    """The exact cost of these (ε, δ) releases together: in closed form if all are equal, else by enumeration.

    For different parts it is #P-hard in general; equal parts, and ε's that are multiples of one step, stay cheap. With
    more than 32768 possible losses it is refused; the numeric accountant gives a bracket.
    """
    given = in_list(parts)
    listed = [part for part in given if isinstance(part, Approx)]
    if len(listed) < len(given):
        raise Refused(
            "optimal composition of losses other than (ε, δ)",
            "The theorem speaks of (ε, δ) alone.",
            "`Approx` or `Pure` parts; for pairs, the numeric accountant.",
        )
    if len({(part.exact_epsilon, part.exact_delta) for part in listed}) == 1:
        relation = demand_one_relation(listed)
        return RepeatedApprox(listed[0].exact_epsilon, listed[0].exact_delta, len(listed), relation=relation)
    return MixedApprox(listed)


@frozen(init=False, repr=False)
class MixedApprox(Pair):
    """Releases that are (ε₁, δ₁)- … (ε_k, δ_k)-private: the exact cost that follows from this and from nothing else.

    Claim, under the one neighbour relation of all parts: as for equal parts, they are a post-processing of k responses,
    each revealing everything with probability δ_i and otherwise a coin of loss ±ε_i (Murtagh–Vadhan 2016, Theorem 1.5).
    A pattern of coins whose losses add up to L has P-mass e^{(Σε+L)/2}/Π(1+e^{ε_i}) and Q-mass that of −L.
    """

    parts: tuple[Approx, ...]

    def __init__(self, parts: Iterable[Approx]) -> None:
        read = [Approx(part.exact_epsilon, part.exact_delta, relation=part.relation) for part in parts]
        object.__setattr__(self, "parts", in_order(read))
        demand_one_relation(self.parts)
        self.losses  # noqa: B018  (refuse here, not at the first question, if there are too many)

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset(found for part in self.parts for found in part.relations)

    @cached_property
    def patterns(self) -> dict[Fraction, int]:
        """How many patterns of coins have each total loss."""
        found = {Fraction(0): 1}
        for own, times in Counter(part.exact_epsilon for part in self.parts if part.exact_epsilon).items():
            self._demand(len(found) * (times + 1) <= 4 * _MOST_LOSSES)
            grown: Counter[Fraction] = Counter()
            for loss, count in found.items():
                for lies in range(times + 1):
                    grown[loss + (times - 2 * lies) * own] += count * math.comb(times, lies)
            self._demand(len(grown) <= _MOST_LOSSES)
            found = dict(grown)
        return found

    def _demand(self, few: bool) -> None:
        if not few:
            raise Refused(
                f"the exact composition of {len(self.parts)} different (ε, δ)",
                f"More than {_MOST_LOSSES} total losses are possible; exactness is #P-hard in general.",
                "fewer parts, equal parts, ε's that are multiples of one step, or the numeric accountant's bracket.",
            )

    @cached_property
    def losses(self) -> tuple[Fraction, ...]:
        """The possible total losses, falling."""
        return tuple(sorted(self.patterns, reverse=True))

    @property
    def _deltas(self) -> list[tuple[Fraction, int]]:
        return list(Counter(part.exact_delta for part in self.parts).items())

    def composed(self) -> tuple[tuple[Loss, int], ...]:
        return tuple((part, 1) for part in self.parts)

    @property
    def pure_epsilon(self) -> Fraction | None:
        return None if any(part.exact_delta for part in self.parts) else self.losses[0]

    def delta_ball(self, epsilon: Fraction) -> Ball:
        above = bisect_left(self.losses, True, key=lambda loss: loss <= epsilon)
        power, size = _sums(self, ctx.prec)[above]
        slack = slack_of(self._deltas)
        return slack + (1 - slack) * (power - ball(epsilon).exp() * size)

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        if not gives_away_at_most(self._deltas, allowed):
            return math.inf
        nonnegative = bisect_left(self.losses, True, key=lambda loss: loss < 0)
        return epsilon_between_losses(self.delta_ball, lambda i: self.losses[i], nonnegative, allowed)

    def vertices(self) -> tuple[tuple[float, float], ...]:
        """The corners (false alarms, misses) of the region's lower boundary; both rounded down."""
        with precision(4 * START_BITS):
            kept = 1 - slack_of(self._deltas)
            return tuple((max(0.0, down(kept * q)), max(0.0, down(kept * (1 - p)))) for p, q in _sums(self, ctx.prec))

    def rdp_ball(self, order: Fraction) -> Ball:
        """The sum of the parts' coins; infinite with any δ > 0."""
        if any(part.exact_delta for part in self.parts):
            return arb.pos_inf()
        coins = (RepeatedApprox(part.exact_epsilon, 0, 1).rdp_ball(order) for part in self.parts)
        return sum(coins, arb(0))

    def group(self, people: int) -> MixedApprox:
        """Each part for the whole group, side by side."""
        size = whole(people, "people", least=1)
        return MixedApprox(part.group(size) for part in self.parts)

    def zcdp(self) -> Zcdp:
        """Σρ of the parts, with the total slack."""
        rho = sum((part.zcdp().rho for part in self.parts), Fraction(0))
        return Zcdp(rho, self.core()[0], relation=demand_one_relation([self]))

    def gdp(self) -> Gdp:
        """Σμ² of the parts; refused with any δ > 0."""
        squared = sum((part.gdp().mu_squared for part in self.parts), Fraction(0))
        return Gdp(squared, relation=demand_one_relation([self]))

    def core(self) -> tuple[Fraction, Loss]:
        if not any(part.exact_delta for part in self.parts):
            return Fraction(0), self
        slack = min(Fraction(1), fraction_up(sharp(lambda: slack_of(self._deltas))))
        return slack, MixedApprox(Pure(part.exact_epsilon, relation=part.relation) for part in self.parts)

    def __str__(self) -> str:
        return f"{len(self.parts)} releases, " + "; ".join(str(part) for part in self.parts[:3])


@lru_cache(maxsize=16)
def _sums(pair: MixedApprox, bits: int) -> tuple[tuple[Ball, Ball], ...]:
    """The masses (P, Q) of the 0, 1, 2 … largest losses, at `bits` bits."""
    whole_loss = pair.losses[0]
    coins = [part.exact_epsilon for part in pair.parts if part.exact_epsilon]
    normal = sum((ball(own).exp().log1p() for own in coins), arb(0))
    sums = [(arb(0), arb(0))]
    for loss in pair.losses:
        count = pair.patterns[loss]
        p = count * (ball((whole_loss + loss) / 2) - normal).exp()
        q = count * (ball((whole_loss - loss) / 2) - normal).exp()
        sums.append((sums[-1][0] + p, sums[-1][1] + q))
    return tuple(sums)
