"""The scenes of a randomizer: what bounds its shuffled reports from above, and which data sets attack them."""

from __future__ import annotations

from tacit.local.shuffle.cell import Cell
from tacit.local.shuffle.channel import Channel
from tacit.local.shuffle.crowd import Crowd
from tacit.local.shuffle.mixtures import all_mixtures, some_mixtures
from tacit.local.shuffle.scene import Scene

_ATTACKS = 6
_MOST_COUNTED = 2 * 10**6  # people, beyond which floats no longer tell neighbouring tails apart


def bounds(channel: Channel, people: int) -> tuple[Scene, ...]:
    """Scenes whose worst δ is ≥ that of n shuffled reports, for every pair of neighbours.

    Claim (replace, n public, one report a person): two answers and two reports by `all_mixtures`, up to two million
    people; else by the blanket: whatever the answer z, a report is y with probability at least min_z P(y | z), so this
    is a crowd for every pair.
    """
    if channel.is_binary and people <= _MOST_COUNTED:
        return all_mixtures(channel, people)
    return tuple(Crowd(cells, people) for cells in channel.cells(channel.least))


def attacks(channel: Channel, people: int) -> tuple[Scene, ...]:
    """Concrete data sets: all others hold one of the two answers in question, or all hold a third; the most telling."""
    if channel.is_binary:
        return some_mixtures(channel, people)
    found = {cells for row in channel.rows for cells in channel.cells(row)}
    return tuple(Crowd(cells, people) for cells in sorted(found, key=_spread, reverse=True)[:_ATTACKS])


def _spread(cells: tuple[Cell, ...]) -> tuple[float, tuple[Cell, ...]]:
    """The variance of the likelihood ratio: with many people it alone decides."""
    return float(sum((cell.one - cell.other) ** 2 / cell.crowd for cell in cells)), cells
