"""Reports sorted into cells: how likely each is from one answer, from another, and from the crowd."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple


class Cell(NamedTuple):
    """Reports with one likelihood ratio: their mass given the one answer, given the other, and from the crowd.

    The masses of `one` and of `other` each add up to 1 over all cells. Those of `crowd` add up to at most 1: that is
    the share of a person's report which is drawn from a law that does not depend on the answer.
    """

    one: Fraction
    other: Fraction
    crowd: Fraction


def merged(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The same cells, those whose three masses are proportional taken together, in one order for all that are equal."""
    found: dict[tuple[Fraction, Fraction], Cell] = {}
    for cell in cells:
        if cell.crowd:
            ratios = cell.one / cell.crowd, cell.other / cell.crowd
            before = found.get(ratios, Cell(Fraction(0), Fraction(0), Fraction(0)))
            found[ratios] = Cell(*(old + new for old, new in zip(before, cell, strict=True)))
    return tuple(found[ratios] for ratios in sorted(found))
