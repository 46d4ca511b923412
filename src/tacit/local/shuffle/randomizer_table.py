"""A randomizer as a short table: kinds of equivalent reports, by answers without duplicates.

A cell is a kind of report: how likely it is from one answer, from another, and from the crowd.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, islice, permutations
from math import comb
from typing import Any, NamedTuple

from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection


class ReportCell(NamedTuple):
    """Reports with one likelihood ratio: their mass given the one answer, given the other, and from the crowd.

    The masses of `one` and of `other` each add up to 1 over all cells. Those of `crowd` add up to at most 1: that is
    the share of a person's report which is drawn from a law that does not depend on the answer.
    """

    one: Fraction
    other: Fraction
    crowd: Fraction


def merged(cells: Iterable[ReportCell]) -> tuple[ReportCell, ...]:
    """The same cells, those whose three masses are proportional taken together, in one order for all that are equal."""
    found: dict[tuple[Fraction, Fraction], ReportCell] = {}
    for cell in cells:
        if cell.crowd:
            ratios = cell.one / cell.crowd, cell.other / cell.crowd
            before = found.get(ratios, ReportCell(Fraction(0), Fraction(0), Fraction(0)))
            found[ratios] = ReportCell(*(old + new for old, new in zip(before, cell, strict=True)))
    return tuple(found[ratios] for ratios in sorted(found))


_MOST_ANSWERS, _MOST_REPORTS = 16, 4096
_SHOWN = 3  # answers that tell a set's whole story: two in question, and one that a third person may hold


@frozen
class RandomizerTable:
    """`rows`: for each answer shown the probabilities of all kinds; `least`: the least one over all answers there are.

    `pairs` are the ordered pairs of rows that neighbours can differ in, up to symmetries of the randomizer.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    least: tuple[Fraction, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def is_binary(self) -> bool:
        """Whether there are but two answers and two reports."""
        return len(self.rows) == len(self.least) == 2

    def cells(self, crowd: tuple[Fraction, ...]) -> Iterator[tuple[ReportCell, ...]]:
        """For every pair, its cells in a crowd of this law; those that are alike once."""
        found = {merged(map(ReportCell, self.rows[one], self.rows[other], crowd)) for one, other in self.pairs}
        return iter(sorted(found))


def channel_of(randomizer: Randomizer[Any]) -> RandomizerTable | None:
    """The table of a randomizer; None if it is too large to be listed and no symmetry is known."""
    if isinstance(randomizer, KaryResponse):
        return _of_sets(randomizer.options, 1, randomizer.odds)
    if isinstance(randomizer, SubsetSelection):
        return _of_sets(randomizer.options, randomizer.size, randomizer.odds)
    if randomizer.answers > _MOST_ANSWERS:
        return None
    reports = list(islice(randomizer.alphabet(), _MOST_REPORTS + 1))
    if len(reports) > _MOST_REPORTS:
        return None
    answers = range(randomizer.answers)
    rows = tuple(dict.fromkeys(tuple(randomizer.probability(a, report) for report in reports) for a in answers))
    least = tuple(min(column) for column in zip(*rows, strict=True))
    return RandomizerTable(rows, least, tuple(permutations(range(len(rows)), 2)))


def _of_sets(options: int, size: int, odds: Fraction) -> RandomizerTable:
    """Sets of so many options, with weight `odds` if the truth is within and else 1.

    Sets with the same intersection with the options shown are equivalent. Every set leaves some option out, whose
    holder sends it with weight 1. Options can be exchanged, so that one pair stands for all.
    """
    shown = range(min(options, _SHOWN))
    total = odds * comb(options - 1, size - 1) + comb(options - 1, size)
    kinds = [kind for count in range(len(shown) + 1) for kind in combinations(shown, count)]
    ways = {
        kind: found for kind in kinds if len(kind) <= size and (found := comb(options - len(shown), size - len(kind)))
    }
    rows = tuple(tuple(number * (odds if a in kind else 1) / total for kind, number in ways.items()) for a in shown)
    return RandomizerTable(rows, tuple(Fraction(number) / total for number in ways.values()), ((0, 1),))
