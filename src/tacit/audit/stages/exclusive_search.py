"""The search for exclusive answers over all pairs, and the exact test of the best ones on fresh answers.

The test has a threshold for hits and strays that contradict a claim, and a stated power.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import exp, inf, log
from time import perf_counter

import numpy as np
from scipy.special import bdtr, bdtrc, betaincinv

from tacit.audit.auditor import Effort
from tacit.audit.black_box.epsilon_estimate import claims_of
from tacit.audit.black_box.guess_rule import Claimed
from tacit.audit.event_counts import POWER, key_of
from tacit.audit.neighbours import Pair, rungs
from tacit.audit.stages.exclusive_traits import (
    NOT_SEARCHED,
    Candidate,
    Trait,
    count_traits,
    sets_of_traits,
    single_score,
    single_traits,
    traits_of,
)
from tacit.audit.subject import AuditSubject
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss
from tacit.noise.bits import Bits


@frozen
class Excess:
    """A test of fresh answers, each about one of two data sets by a fair coin.

    Claim: where P(E) ≤ e^ε·Q(E) + δ, `breaks` is true with probability at most the alarm rate, for any E that was
    chosen without these answers. Proof: an answer is a hit (about the first data set, and in E) with probability P/2,
    a stray with Q/2. Mark a hit with probability (P − e^ε·Q)⁺/P: the marked ones are at most Binomial(answers, δ/2),
    and exceed `spared` with probability at most half the rate (never, at δ = 0). Each unmarked hit or stray is a hit
    with probability at most e^ε/(1+e^ε), so that their tail is binomial, and it is held to the rest of the rate. Both
    only grow with the hits.
    """

    claimed: Claimed
    answers: int
    alarm_rate: float

    @property
    def _part(self) -> float:
        return self.alarm_rate / 2 if self.claimed.delta else self.alarm_rate

    @property
    def spared(self) -> int:
        """The hits that δ permits."""
        if not self.claimed.delta:
            return 0
        return _least(lambda count: bdtrc(count, self.answers, self.claimed.delta / 2) <= self._part, self.answers)

    def breaks(self, hits: int, strays: int) -> bool:
        counted = hits - self.spared
        share = 1 / (1 + exp(-self.claimed.epsilon))
        return counted > 0 and float(bdtrc(counted - 1, counted + strays, share)) <= self._part

    def epsilon(self, hits: int, strays: int) -> float:
        """A lower bound of ε at the claimed δ, wrong with probability at most the alarm rate."""
        counted = hits - self.spared
        if counted <= 0:
            return 0.0
        low = float(betaincinv(counted, strays + 1, self._part))
        return max(0.0, log(low / (1 - low))) if low < 1 else inf

    @property
    def least_hits(self) -> int:
        """The fewest hits that contradict the claim where there are no strays."""
        return _least(lambda hits: self.breaks(hits, 0), self.answers + 1)


def least_chance(noticed: int, searched: int, test: Excess) -> float:
    """The least probability at which an answer, absent under the other data set, is found 95 times in 100.

    It must occur `noticed` times among the answers searched about its data set, and then often enough among the fresh
    ones: both chances are binomial and independent. Infinite where no probability suffices.
    """
    needed = test.least_hits

    def found(chance: float) -> float:
        seen = 1 - float(bdtr(noticed - 1, searched, chance))
        return seen * (1 - float(bdtr(needed - 1, test.answers, chance / 2)))

    if needed > test.answers or not found(1.0) >= POWER:
        return inf
    low, high = 0.0, 1.0
    while high - low > high / 1000:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= POWER else (middle, high)
    return high


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The least count up to the most for which it holds, or the most: it holds from there on."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


_TRIAL, _TRIALS, _LONG = 100, 5, 0.5
_FEWEST = 64
_MOST_PAIRS = 16
_SETS = 3
_SEARCHED = 0.6
"""The share of the answers for the search; the rest test the findings."""
_TIME = 0.7
"""The share of the time for drawing, since a machine's speed varies."""


@frozen
class SearchPlan:
    """The number of answers searched for each data set, and the number of fresh ones that test the findings."""

    pairs: tuple[Pair, ...]
    searched: int
    fresh: int
    answers: int
    """Their total number."""

    @classmethod
    def of(cls, subject: AuditSubject, effort: Effort, bits: Bits) -> SearchPlan:
        """The plan for an effort: its number of answers, or as many as its time permits by the quickest trial."""
        pairs = (*subject.pairs[:_MOST_PAIRS], *rungs(subject.ladder))
        took, began = inf, perf_counter()
        while took == inf or (perf_counter() - began < _LONG and (perf_counter() - began) < _TRIALS * _TRIAL * took):
            start = perf_counter()
            count_traits(subject.answers(pairs[-1][0], _TRIAL, bits))
            took = min(took, (perf_counter() - start) / _TRIAL)
        answers = min(effort.samples, int(effort.seconds * _TIME / max(took, 1e-9)))
        searched = max(_FEWEST, int(_SEARCHED * answers / drawn_about(pairs)))
        return cls(pairs, searched, max(2 * _FEWEST, int((1 - _SEARCHED) * answers)), answers)


def drawn_about(pairs: Sequence[Pair]) -> int:
    """The number of data sets that answers are drawn for; one shared with the previous pair is not drawn again."""
    known: set[Hashable] = set()
    total = 0
    for pair in pairs:
        keys = {key_of(data) for data in pair}
        total += len(keys - known)
        known = keys
    return total


@frozen
class CandidateCounts:
    """The counts of a candidate among fresh answers about its own data set, and about the other."""

    candidate: Candidate
    hits: int
    runs: int
    strays: int
    others: int


@frozen(eq=False)
class Search:
    """The result of a search: its best candidates, and its power."""

    candidates: Sequence[Candidate]
    """The most promising single trait and sets, all of one pair."""
    noticed: int
    """A trait that one data set alone had this often would have been the most promising one, and so tested."""
    unread: frozenset[str]
    """The parts of the answers that were not read."""


def search(
    subject: AuditSubject, plan: SearchPlan, claimed: float, bits: Bits, watch: Callable[[str], None] = lambda _: None
) -> Search:
    """Count the traits of answers about every data set, and compare those of each pair."""
    best: list[Candidate] = []
    highest, unread = -inf, set[str]()
    known: dict[Hashable, Counter[Trait]] = {}
    for place, pair in enumerate(plan.pairs, 1):
        watch(f"pair {place} of {len(plan.pairs)}")
        keys = [key_of(data) for data in pair]
        known = {key: known[key] for key in keys if key in known}
        for key, data in zip(keys, pair, strict=True):
            if key not in known:
                known[key] = count_traits(subject.answers(data, plan.searched, bits))
                unread.update(str(what) for kind, what in known[key] if kind == NOT_SEARCHED)
        first, second = (known[key] for key in keys)
        single = sorted(single_traits(pair, first, second), key=_score)[-1:]
        several = _largest(list(sets_of_traits(pair, first, second, claimed)))
        if max(map(_score, single + several), default=-inf) > highest:
            best = single + several
            highest = max(map(_score, best))
    noticed = 2
    while noticed <= plan.searched and not single_score(noticed) > highest:
        noticed += 1
    return Search(best, noticed, frozenset(unread))


def hold(subject: AuditSubject, candidates: Sequence[Candidate], count: int, bits: Bits) -> list[CandidateCounts]:
    """The counts of each among so many fresh answers, each about one data set of the pair by a fair coin."""
    coins = int(np.unpackbits(bits.octets(-(-count // 8)))[:count].sum())
    totals = [[0, 0] for _ in candidates]
    for side, (data, many) in enumerate(zip(candidates[0].pair, (coins, count - coins), strict=True)):
        for answer in subject.answers(data, many, bits):
            traits = traits_of(answer)
            for total, candidate in zip(totals, candidates, strict=True):
                total[side] += not candidate.traits.isdisjoint(traits)
    return [
        CandidateCounts(each, first, coins, second, count - coins)
        if each.is_first
        else CandidateCounts(each, second, count - coins, first, coins)
        for each, (first, second) in zip(candidates, totals, strict=True)
    ]


def tests(claim: Loss, plan: SearchPlan, alarm_rate: float) -> list[Excess]:
    """The test of the single trait, with half of the rate, and those of the sets, which share the rest.

    Each uses the δ of the claim at which the fewest hits contradict it, chosen without any answer.
    """
    rates = (alarm_rate / 2, *[alarm_rate / (2 * _SETS)] * _SETS)
    points = claims_of(claim) or (Claimed(0.0, inf),)
    return [
        min((Excess(point, plan.fresh, rate) for point in points), key=lambda test: test.least_hits) for rate in rates
    ]


def _largest(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=_score, reverse=True)[:_SETS]


def _score(candidate: Candidate) -> float:
    return candidate.score
