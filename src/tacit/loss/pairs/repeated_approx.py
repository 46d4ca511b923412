"""Optimal composition: what k releases of (ε, δ) cost together, exactly (Kairouz–Oh–Viswanath 2015).

The worst pure releases are k coins of loss ±ε; their masses and hockey-stick divergence are certified sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from flint import arb, ctx

from tacit.exact import Number, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import epsilon_between_losses
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.precision import sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.pair import Pair
from tacit.noise.ball import START_BITS, Ball, ball, between, down, fraction_up, precision, up

_BITS = 4 * START_BITS
_FEW = 64


class Corner(NamedTuple):
    """An (ε, δ) at a corner of a region: satisfied, and with no smaller δ; the δ as a certified bracket."""

    epsilon: Fraction
    delta_lower: float
    delta_upper: float


@frozen(init=False, repr=False)
class RepeatedApprox(Pair):
    """k releases, each (ε, δ)-private: the exact cost that follows from this and from nothing else.

    Claim, under the one neighbour relation of all k: each release is a post-processing of the response that reveals
    everything with probability δ and is otherwise a coin of loss ±ε. So k of them, each chosen after seeing the earlier
    answers, are a post-processing of k such responses (KOV, Theorem 3.3), which are k such releases themselves. With ℓ
    lying coins the loss is (k−2ℓ)ε, hence with p_ℓ = C(k,ℓ)e^{(k−ℓ)ε}/(1+e^ε)^k δ(t) = 1 − (1−δ)^k (1 − Σ_ℓ
    p_ℓ(1−e^{t−(k−2ℓ)ε})₊). Swapping the worlds swaps the sides of the coins: the two directions are the same.
    """

    part: Approx
    times: int

    def __init__(self, epsilon: Number, delta: Number, times: int, *, relation: Relation | None = None) -> None:
        object.__setattr__(self, "part", Approx(epsilon, delta, relation=relation))
        object.__setattr__(self, "times", whole(times, "times", least=1))

    @property
    def relations(self) -> frozenset[Relation]:
        return self.part.relations

    def composed(self) -> tuple[tuple[Loss, int], ...]:
        return ((self.part, self.times),)

    @property
    def pure_epsilon(self) -> Fraction | None:
        return None if self.part.exact_delta else self.times * self.part.exact_epsilon

    def slack_ball(self) -> Ball:
        """1−(1−δ)^k: the probability that some release reveals everything."""
        return slack_of([(self.part.exact_delta, self.times)])

    def delta_ball(self, epsilon: Fraction) -> Ball:
        slack = self.slack_ball()
        return slack + (1 - slack) * coins_delta(self.part.exact_epsilon, self.times, epsilon)

    def epsilon(self, delta: Number) -> float:
        allowed, own = probability(delta, "delta"), self.part.exact_epsilon
        if not gives_away_at_most([(self.part.exact_delta, self.times)], allowed):
            return math.inf
        count = self.times // 2 + 1 if own else 0
        return epsilon_between_losses(self.delta_ball, lambda i: (self.times - 2 * i) * own, count, allowed)

    def corners(self) -> tuple[Corner, ...]:
        """KOV's list: ε_i = (k−2i)ε with its δ_i, i = 0 … ⌊k/2⌋; the region is what all of them permit."""
        found = []
        with precision(_BITS):
            slack, own = self.slack_ball(), self.part.exact_epsilon
            for i, (power, size) in enumerate(islice(coin_sums(own, self.times), self.times // 2 + 1)):
                at = (self.times - 2 * i) * own
                value = slack + (1 - slack) * (power - ball(at).exp() * size)
                found.append(Corner(at, max(0.0, down(value)), min(1.0, up(value))))
        return tuple(found)

    def vertices(self) -> tuple[tuple[float, float], ...]:
        """The corners (false alarms, misses) of the region's lower boundary; both rounded down."""
        with precision(_BITS):
            kept = 1 - self.slack_ball()
            sums = coin_sums(self.part.exact_epsilon, self.times)
            return tuple((max(0.0, down(kept * q)), max(0.0, down(kept * (1 - p)))) for p, q in sums)

    def tradeoff(self, alpha: Number) -> float:
        """The highest of the lines through the vertices, whose slopes are −e^loss; for many releases by the δ-curve."""
        level = probability(alpha, "alpha")
        if self.times > _FEW or self.part.exact_delta == 1:
            return super().tradeoff(level)
        return max(0.0, down(sharp(lambda: self._miss_ball(ball(level)))))

    def _miss_ball(self, level: Ball) -> Ball:
        kept, own, highest = 1 - self.slack_ball(), self.part.exact_epsilon, arb(0)
        for i, (power, size) in zip(range(self.times + 1), coin_sums(own, self.times), strict=False):
            slope = ball((self.times - 2 * i) * own).exp()
            highest = highest.max(kept * (1 - power) - slope * (level - kept * size))
        return highest

    def rdp_ball(self, order: Fraction) -> Ball:
        """k times the coin's ln(cosh((α−½)ε)/cosh(ε/2))/(α−1); infinite with δ > 0."""
        if self.part.exact_delta:
            return arb.pos_inf()
        half = self.part.exact_epsilon / 2
        return self.times * (ball((2 * order - 1) * half).cosh() / ball(half).cosh()).log() / ball(order - 1)

    def group(self, people: int) -> RepeatedApprox:
        """Each part for the whole group, k times."""
        one = self.part.group(whole(people, "people", least=1))
        return RepeatedApprox(one.exact_epsilon, one.exact_delta, self.times, relation=one.relation)

    def zcdp(self) -> Zcdp:
        """k times the part's ρ, with the total slack."""
        return Zcdp(self.times * self.part.zcdp().rho, self.core()[0], relation=self.part.relation)

    def gdp(self) -> Gdp:
        """k times the part's μ²; refused with δ > 0."""
        return Gdp(self.times * self.part.gdp().mu_squared, relation=self.part.relation)

    def core(self) -> tuple[Fraction, Loss]:
        if not self.part.exact_delta:
            return Fraction(0), self
        slack = min(Fraction(1), fraction_up(sharp(self.slack_ball)))
        return slack, RepeatedApprox(self.part.exact_epsilon, 0, self.times, relation=self.part.relation)

    def __str__(self) -> str:
        return f"{self.times} × ({self.part})"


def slack_of(deltas: Iterable[tuple[Fraction, int]]) -> Ball:
    """1−Π(1−δ)^k over (δ, k): the probability that some of these releases reveals everything."""
    kept = arb(0)
    for delta, times in deltas:
        if delta == 1:
            return arb(1)
        kept += times * ball(-delta).log1p()
    return -kept.expm1()


def gives_away_at_most(deltas: Iterable[tuple[Fraction, int]], allowed: Fraction) -> bool:
    """Whether 1−Π(1−δ)^k ≤ allowed: by balls where they decide, else in fractions."""
    listed = list(deltas)
    with precision(_BITS):
        slack, bound = slack_of(listed), ball(allowed)
    if slack <= bound or slack > bound:
        return bool(slack <= bound)
    kept = Fraction(1)
    for delta, times in listed:
        kept *= (1 - delta) ** times
    return 1 - kept <= allowed


_LOOK = 16  # number of terms between two checks whether the rest is negligible


def coins_delta(epsilon: Fraction, times: int, target: Fraction) -> Ball:
    """Σ_ℓ C(k,ℓ)(e^{(k−ℓ)ε} − e^{t+ℓε})₊/(1+e^ε)^k at t, in time of order √k.

    Written Σ p_ℓ(1−x_ℓ) over the ℓ (coins that lie) with x_ℓ = e^{t−(k−2ℓ)ε} < 1, and summed outwards from the heaviest
    p_ℓ. On either side the ratio of neighbouring p_ℓ falls, so the sum after a term of mass p and ratio r < 1 is
    between 0 and p·r/(1−r); this interval is added once it is negligible.
    """
    if target >= times * epsilon:
        return arb(0)
    last = -((target / epsilon - times) // 2) - 1  # the largest ℓ with a loss above t
    odds = ball(epsilon).exp()
    start = min(last, int(times * float(1 / (1 + odds).mid())))
    log_mass = _log_choose(times, start) + ball((times - start) * epsilon) - times * odds.log1p()
    mass, gap, turn = log_mass.exp(), ball(target - (times - 2 * start) * epsilon).exp(), odds * odds
    total = mass * (1 - gap)
    fewer = (i * odds / (times - i + 1) for i in range(start, 0, -1))
    total = _add_side(total, mass, gap, 1 / turn, fewer)
    more = ((times - i) / (odds * (i + 1)) for i in range(start, last))
    return _add_side(total, mass, gap, turn, more)


def coin_sums(epsilon: Fraction, times: int) -> Iterator[tuple[Ball, Ball]]:
    """The masses (P, Q) of fewer than i coins that lie, for i = 0 … k+1."""
    odds = ball(epsilon).exp()
    p = (-times * (1 / odds).log1p()).exp()
    q = p * ball(-times * epsilon).exp()
    p_sum, q_sum = arb(0), arb(0)
    for i in range(times + 1):
        yield p_sum, q_sum
        p_sum, q_sum = p_sum + p, q_sum + q
        p, q = p * (times - i) / ((i + 1) * odds), q * (times - i) * odds / (i + 1)
    yield p_sum, q_sum


def _add_side(total: Ball, mass: Ball, gap: Ball, turn: Ball, ratios: Iterator[Ball]) -> Ball:
    unseen = arb(2) ** -ctx.prec
    for count, ratio in enumerate(ratios, 1):
        mass, gap = mass * ratio, gap * turn
        total += mass * (1 - gap)
        if count % _LOOK == 0 and ratio < 1 and (rest := mass * ratio / (1 - ratio)) < total * unseen:
            return total + between(arb(0), rest)
    return total


def _log_choose(n: int, k: int) -> Ball:
    return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
