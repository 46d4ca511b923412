"""The search for exclusive answers over all pairs, and the test of the best ones on fresh answers."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from tacit.audit.black_box.estimate import claims_of
from tacit.audit.black_box.rule import Claimed
from tacit.audit.domain import Pair
from tacit.audit.effort import Effort
from tacit.audit.exclusive.excess import Excess
from tacit.audit.exclusive.seen import Candidate, count_traits, sets_of_traits, single_score, single_traits
from tacit.audit.exclusive.traits import traits_of
from tacit.audit.subject import Subject
from tacit.frozen import frozen
from tacit.loss.loss import Loss
from tacit.noise.bits import Bits

_TRIAL, _TRIALS = 100, 5
_FEWEST = 64
_MOST_PAIRS = 16
_SETS = 3
_TIME = 0.7
"""The share of the time that drawing may take: a machine is not equally fast all the time."""


@frozen
class Plan:
    """How many answers are searched about each data set, and how many fresh ones hold what was found."""

    pairs: tuple[Pair, ...]
    searched: int
    fresh: int

    @classmethod
    def of(cls, subject: Subject, effort: Effort, bits: Bits) -> Plan:
        """Half of the affordable answers search, half hold; the quickest of a few trials says what is affordable."""
        pairs = tuple(subject.pairs[:_MOST_PAIRS])
        taken = []
        for _ in range(_TRIALS):
            start = perf_counter()
            count_traits(subject.answers(pairs[0][0], _TRIAL, bits))
            taken.append(perf_counter() - start)
        half = min(effort.samples, int(effort.seconds * _TIME * _TRIAL / max(min(taken), 1e-9))) // 2
        return cls(pairs, max(_FEWEST, half // (2 * len(pairs))), max(2 * _FEWEST, half))


@frozen
class Counted:
    """How often a candidate came among fresh answers about its own data set, and about the other."""

    candidate: Candidate
    hits: int
    runs: int
    strays: int
    others: int


def search(subject: Subject, plan: Plan, claimed: float, bits: Bits) -> tuple[list[Candidate], int]:
    """The most promising single trait and sets, all of one pair; and how often another one would have had to be seen.

    A trait that one data set alone has had so often would have been the most promising of all, and so been held.
    """
    best: list[Candidate] = []
    highest = -np.inf
    for pair in plan.pairs:
        first, second = (count_traits(subject.answers(data, plan.searched, bits)) for data in pair)
        single = sorted(single_traits(pair, first, second), key=_score)[-1:]
        several = _largest(list(sets_of_traits(pair, first, second, claimed)))
        if max(map(_score, single + several), default=-np.inf) > highest:
            best = single + several
            highest = max(map(_score, best))
    noticed = 2
    while noticed <= plan.searched and not single_score(noticed) > highest:
        noticed += 1
    return best, noticed


def hold(subject: Subject, candidates: Sequence[Candidate], count: int, bits: Bits) -> list[Counted]:
    """How often each came among so many fresh answers, each about one data set of the pair by a fair coin."""
    coins = int(np.unpackbits(bits.octets(-(-count // 8)))[:count].sum())
    totals = [[0, 0] for _ in candidates]
    for side, (data, many) in enumerate(zip(candidates[0].pair, (coins, count - coins), strict=True)):
        for answer in subject.answers(data, many, bits):
            traits = traits_of(answer)
            for total, candidate in zip(totals, candidates, strict=True):
                total[side] += not candidate.traits.isdisjoint(traits)
    return [
        Counted(each, first, coins, second, count - coins)
        if each.is_first
        else Counted(each, second, count - coins, first, coins)
        for each, (first, second) in zip(candidates, totals, strict=True)
    ]


def tests(claim: Loss, plan: Plan, alarm_rate: float) -> list[Excess]:
    """The test of the single trait, with half of the rate, and those of the sets, which share the rest.

    Each is at the δ of the claim at which the fewest hits contradict it: no answer is looked at for that.
    """
    rates = (alarm_rate / 2, *[alarm_rate / (2 * _SETS)] * _SETS)
    points = claims_of(claim) or (Claimed(0.0, np.inf),)
    return [
        min((Excess(point, plan.fresh, rate) for point in points), key=lambda test: test.least_hits) for rate in rates
    ]


def _largest(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=_score, reverse=True)[:_SETS]


def _score(candidate: Candidate) -> float:
    return candidate.score
