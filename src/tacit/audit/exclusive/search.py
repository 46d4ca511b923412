"""The search for exclusive answers over all pairs, and the test of the best ones on fresh answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import inf
from time import perf_counter

import numpy as np

from tacit.audit.black_box.estimate import claims_of
from tacit.audit.black_box.rule import Claimed
from tacit.audit.domain import Pair, rungs
from tacit.audit.effort import Effort
from tacit.audit.exclusive.excess import Excess
from tacit.audit.exclusive.seen import Candidate, count_traits, sets_of_traits, single_score, single_traits
from tacit.audit.exclusive.traits import NOT_SEARCHED, Trait, traits_of
from tacit.audit.stages.outcomes import key_of
from tacit.audit.subject import Subject
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss
from tacit.noise.bits import Bits

_TRIAL, _TRIALS, _LONG = 100, 5, 0.5
_FEWEST = 64
_MOST_PAIRS = 16
_SETS = 3
_SEARCHED = 0.6
"""The share of the answers that search; the rest hold what was found."""
_TIME = 0.7
"""The share of the time that drawing may take: a machine is not equally fast all the time."""


@frozen
class Plan:
    """How many answers are searched about each data set, and how many fresh ones hold what was found."""

    pairs: tuple[Pair, ...]
    searched: int
    fresh: int
    answers: int
    """How many there are in all."""

    @classmethod
    def of(cls, subject: Subject, effort: Effort, bits: Bits) -> Plan:
        """As many answers as the effort names, or as its time permits: the quickest of a few trials says how many."""
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
    """About how many data sets answers are drawn: one that the pair before had too is not asked again."""
    known: set[Hashable] = set()
    total = 0
    for pair in pairs:
        keys = {key_of(data) for data in pair}
        total += len(keys - known)
        known = keys
    return total


@frozen
class Counted:
    """How often a candidate came among fresh answers about its own data set, and about the other."""

    candidate: Candidate
    hits: int
    runs: int
    strays: int
    others: int


@frozen(eq=False)
class Search:
    """What a search found: the best of it, and what it could have found."""

    candidates: Sequence[Candidate]
    """The most promising single trait and sets, all of one pair."""
    noticed: int
    """A trait that one data set alone has had so often would have been the most promising of all, and so been held."""
    unread: frozenset[str]
    """What of the answers was not read."""


def search(
    subject: Subject, plan: Plan, claimed: float, bits: Bits, watch: Callable[[str], None] = lambda _: None
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
    points = claims_of(claim) or (Claimed(0.0, inf),)
    return [
        min((Excess(point, plan.fresh, rate) for point in points), key=lambda test: test.least_hits) for rate in rates
    ]


def _largest(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=_score, reverse=True)[:_SETS]


def _score(candidate: Candidate) -> float:
    return candidate.score
