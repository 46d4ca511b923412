"""The exact output laws of tallies on small domains, for all neighbours: the oracle of every claim about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

from scipy.stats import binom

from tacit.loss.families.loss import Relation
from tacit.mechanisms.statistics.counts import Tally
from tacit.noise.slabs import AdditiveLaw

FALSE_ALARM = 1e-6  # of each coverage test, if its draws were fresh; with seeded draws a pass stays a pass


def neighbours(domain: Sequence[Any], most: int, relation: Relation) -> Iterator[tuple[list[Any], list[Any]]]:
    """Every pair of data sets of up to `most` other people and one who joins, or changes."""
    for size in range(most + 1):
        for others in combinations_with_replacement(domain, size):
            if relation is Relation.ADD_REMOVE:
                yield from (([*others], [*others, one]) for one in domain)
            else:
                yield from (([*others, old], [*others, new]) for old, new in product(domain, repeat=2) if old != new)


def output_law(noise: AdditiveLaw, true: Sequence[int], window: range) -> dict[tuple[int, ...], float]:
    """Independent noise around the true numbers, over all outputs of a window."""
    law: dict[tuple[int, ...], float] = {(): 1.0}
    for part in true:
        row = [(y, float(noise.mass(y - part))) for y in window]
        law = {(*key, y): mass * p for key, mass in law.items() for y, p in row}
    return law


def laws_of_neighbours(
    mechanism: Tally, domain: Sequence[Any], most: int = 1, noise: AdditiveLaw | None = None, tiny: float = 1e-14
) -> list[tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], float]]]:
    """The pairs of laws that neighbours give; each difference of tallies once, since noise moves with the tally."""
    law = mechanism.noise.law if noise is None else noise
    moves = {
        tuple(b - a for a, b in zip(mechanism.tally(one), mechanism.tally(other), strict=True))
        for one, other in neighbours(domain, most, mechanism.relation)
    }
    zero = (0,) * len(next(iter(moves)))
    moves = {max(move, tuple(-part for part in move)) for move in moves if move != zero}
    reach = law.spread(1 - tiny) + max(abs(part) for move in moves for part in move)
    window = range(-reach, reach + 1)
    return [(output_law(law, zero, window), output_law(law, move, window)) for move in sorted(moves)]


def enough(covered: int, trials: int, confidence: float = 0.95) -> bool:
    """Whether so many intervals that hold the truth are what the confidence promises, false alarms aside."""
    return covered >= int(binom.ppf(FALSE_ALARM, trials, confidence))
