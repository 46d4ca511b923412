"""What was seen while searching one pair: how many answers had each trait, and which traits promise most."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from math import inf, log
from typing import Any

from scipy.special import betaincinv

from tacit.audit.domain import Pair
from tacit.audit.exclusive.traits import Trait, traits_of
from tacit.frozen import frozen

_SINGLE, _SET = 0.1, 0.01  # how cautiously candidates are compared; it decides nothing
_TIMES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


@frozen(eq=False)
class Candidate:
    """Traits that one data set of the pair alone has had, all of one kind, and how much they promise."""

    pair: Pair
    is_first: bool
    """Whether the first data set has them."""
    traits: frozenset[Trait]
    score: float

    def marks(self, answer: Any) -> bool:
        return not self.traits.isdisjoint(traits_of(answer))


def single_score(times: int) -> float:
    """What a trait promises that was seen so many times with one data set, never with the other."""
    return _score(times, 0, _SINGLE)


def _score(hits: int, strays: int, guess: float) -> float:
    """A cautious log ratio of hits to strays."""
    low = float(betaincinv(hits, strays + 1, guess))
    return log(low / (1 - low)) if low < 1 else inf


def count_traits(answers: Iterable[Any]) -> Counter[Trait]:
    """In how many answers each trait is. Nothing here is a cycle: to look for some takes longer than to count."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        return Counter(trait for answer in answers for trait in traits_of(answer))
    finally:
        if was_on:
            gc.enable()


def single_traits(pair: Pair, first: Counter[Trait], second: Counter[Trait]) -> Iterator[Candidate]:
    """Of either way round, the trait that one data set has most often and the other never had; twice at least."""
    for is_first, ours, theirs in ((True, first, second), (False, second, first)):
        own = [(times, trait) for trait, times in ours.items() if times > 1 and trait not in theirs]
        if own:
            times, trait = max(own, key=lambda each: each[0])
            yield Candidate(pair, is_first, frozenset([trait]), single_score(times))


def sets_of_traits(pair: Pair, first: Counter[Trait], second: Counter[Trait], beyond: float) -> Iterator[Candidate]:
    """All traits of a kind that one data set had so many times and the other never, if they promise an ε beyond this.

    They are scored by leaving out each answer in turn. A set chosen without that answer is hit by it where the trait
    has one more than the times (hits: as many as the trait has), and is strayed into where the trait has just one on
    the other side.
    """
    for is_first, ours, theirs in ((True, first, second), (False, second, first)):
        kinds: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
        for trait, times in ours.items():
            kinds[trait[0]][times, theirs.get(trait, 0)] += 1
        for kind, known in kinds.items():
            for least in _TIMES:
                hits = sum(times * many for (times, others), many in known.items() if not others and times > least)
                strays = sum(many for (times, others), many in known.items() if others == 1 and times >= least)
                found = _score(hits, strays, _SET) if hits else -inf
                if found > beyond:
                    yield Candidate(pair, is_first, _exclusive(kind, least, ours, theirs), found)


def _exclusive(kind: str, least: int, ours: Counter[Trait], theirs: Counter[Trait]) -> frozenset[Trait]:
    return frozenset(
        trait for trait, times in ours.items() if times >= least and trait[0] == kind and trait not in theirs
    )
