"""A lower bound of ε from samples alone: find a bad pair, learn a rule, count its guesses on fresh answers."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from tacit.audit.auditor import Effort
from tacit.audit.black_box.epsilon_bounds import (
    CERTIFIED,
    QUICK,
    GuessCounts,
    RateEnds,
    delta_at_least,
    epsilon_at_least,
    pure_epsilon_at_least,
)
from tacit.audit.black_box.features import Matrix
from tacit.audit.black_box.guess_rule import Aim, Claimed, Rule
from tacit.audit.black_box.pair_search import draw, train, worst_pairs
from tacit.audit.black_box.scores import Labels
from tacit.audit.neighbours import Pair
from tacit.audit.subject import AuditSubject
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss


@frozen(eq=False)
class Standing:
    """A rule, its counts on fresh answers, and the look with the best bound, in floating point."""

    rule: Rule
    counts: GuessCounts = GuessCounts()
    epsilon: float = -1.0
    at: GuessCounts = GuessCounts()
    rate: float = 1.0

    @property
    def excess(self) -> float:
        """The best bound minus the claimed ε."""
        return self.epsilon - self.rule.claimed.epsilon

    def counted(self, rows: Matrix, labels: Labels) -> Standing:
        """The standing after more answers."""
        return replace(self, counts=self.counts + self.rule.count(rows, labels))

    def looked(self, alarm_rate: float) -> Standing:
        """The standing after a look with this error probability."""
        epsilon = self._bound(self.counts, alarm_rate, QUICK)
        return self if epsilon <= self.epsilon else replace(self, epsilon=epsilon, at=self.counts, rate=alarm_rate)

    def certified(self) -> float:
        """The best bound, rounded downwards."""
        return self._bound(self.at, self.rate, CERTIFIED)

    def _bound(self, counts: GuessCounts, alarm_rate: float, ends: RateEnds) -> float:
        claimed = self.rule.claimed
        if claimed.delta == 0:
            return pure_epsilon_at_least(counts, alarm_rate, ends)
        return epsilon_at_least(counts, self.rule.as_first, claimed.delta, alarm_rate, ends)


_EARLY, _HIGH = (0.2, 0.2, 0.0), (0.25, 0.2, 0.15)
"""The shares of the samples for the search, for learning scores, and for their cuts; the rest is for the verdict."""
_ONE_LOOK = ((1.0, 1.0),)
_LOOKS = ((1 / 16, 0.05), (1 / 4, 0.1), (1.0, 0.85))
"""The share of the fresh samples before each look, and the look's share of the alarm rate."""
_DELTAS = (1e-5, 1e-4, 1e-3, 1e-2, 0.1)
_RULES = (0.6, 0.2, 0.2)
"""The share of a look's rate for each rule."""
_TRIAL, _TRIALS = 200, 3
_LEARNED_AT_MOST = 2_000_000


@frozen(eq=False)
class Estimate:
    """The result for one pair: a lower bound of ε at δ, wrong with at most the alarm rate."""

    pair: Pair
    rule: Rule
    counts: GuessCounts
    epsilon: float
    look_rate: float
    """The part of the alarm rate that the look behind the bound may use."""
    alarm_rate: float
    samples: int

    @property
    def is_violation(self) -> bool:
        return self.epsilon > self.rule.claimed.epsilon

    @property
    def delta(self) -> float:
        return self.rule.claimed.delta

    def delta_at_claim(self) -> float:
        """A lower bound of δ at the claimed ε, from one side of the rule, with the same confidence."""
        return delta_at_least(self.counts, self.rule.as_first, self.rule.claimed.epsilon, self.look_rate)

    def evidence(self) -> dict[str, Any]:
        """The evidence that a reader needs to repeat it."""
        counts = self.counts
        return {
            "score": self.rule.score.name,
            "first world above": self.rule.above,
            "second world below": self.rule.below,
            "right guesses": counts.right,
            "guesses": counts.guesses,
            "fresh answers": counts.firsts + counts.seconds,
            "claimed epsilon": self.rule.claimed.epsilon,
            "delta at the claimed epsilon at least": self.delta_at_claim() if self.is_violation else 0.0,
        }


def claims_of(loss: Loss) -> tuple[Claimed, ...]:
    """The claims of a loss, at the δ that samples can resolve and at its own; a pure one at δ = 0."""
    if isinstance(loss, Pure):
        return (Claimed(0.0, loss.epsilon(0)),)
    own = (float(loss.exact_delta),) if isinstance(loss, Approx) else ()
    points = [Claimed(delta, loss.epsilon(delta)) for delta in dict.fromkeys((0.0, *_DELTAS, *own))]
    return tuple(point for point in points if point.epsilon < 100)


def estimate(subject: AuditSubject, effort: Effort, *, early: bool = True) -> Estimate:
    """A lower bound of the subject's ε on the worst pair found.

    Claim: it exceeds the true ε (at its δ, over all neighbours) with probability at most the effort's alarm rate.
    Proof: pair, rules and their δ are fixed before the fresh samples; every look at every rule has its own share of
    the rate, and each bound is exact (`bounds`). With `early` it ends at the first look that contradicts the claim.
    Without `early` it searches longer for a high bound and looks once.
    """
    bits, claims = effort.bits(7), claims_of(subject.claim)
    samples = _affordable(subject, effort)
    searched, learned, cut = (int(samples * share) for share in (_EARLY if early else _HIGH))
    fresh = samples - searched - learned - cut
    aim = Aim(claims, fresh, effort.alarm_rate)
    pairs, taken = worst_pairs(subject, aim, searched, bits, early=early)
    learned, aim = min(learned, _LEARNED_AT_MOST), replace(aim, alarm_rate=effort.alarm_rate * _RULES[0])
    trained = train(subject, pairs, aim, learned, cut, bits)
    taken += learned + cut
    ends, fresh, seen = [Standing(rule) for rule in trained.rules], samples - taken, 0
    for share, part in _LOOKS if early else _ONE_LOOK:
        for outputs, marks in draw(subject, trained.pair, int(fresh * share) - seen, bits):
            rows = trained.reader.read(outputs)
            ends = [end.counted(rows, marks) for end in ends]
        seen = int(fresh * share)
        ends = [end.looked(effort.alarm_rate * part * each) for end, each in zip(ends, _RULES, strict=True)]
        if early and any(end.excess > 0 for end in ends):
            break
    best = max(ends, key=lambda end: end.excess)
    used = taken + seen
    return Estimate(trained.pair, best.rule, best.at, best.certified(), best.rate, effort.alarm_rate, used)


def _affordable(subject: AuditSubject, effort: Effort) -> int:
    """The number of samples: the effort's, or as many as fit into two thirds of its time by the quickest trial."""
    taken = []
    for trial in range(_TRIALS):
        start = perf_counter()
        subject.sample(subject.pairs[0][0], _TRIAL, effort.bits(8 + trial))
        taken.append(perf_counter() - start)
    return max(5_000, min(effort.samples, int(effort.seconds * 0.67 * _TRIAL / max(min(taken), 1e-9))))
