"""Two answers and two reports: every data set is a number of people who hold the one answer, so all can be bounded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tacit.local.shuffle.channel import Channel
from tacit.local.shuffle.two_groups import TwoGroups

_BLOCKS = 48


def all_mixtures(channel: Channel, people: int) -> tuple[TwoGroups, ...]:
    """Scenes whose worst δ is ≥ that of every data set, and equal to it for up to 48 others.

    More people can only hide more: their reports could be added afterwards. So a block of data sets, in which from m to
    m′ of n−1 others hold answer 1, is bounded by the scene of m others who hold 1 and n−1−m′ who hold 0. The 48 blocks
    leave out one person in 48, which moves ε by about one part in a hundred.
    """
    others = people - 1
    return tuple(_scenes(channel, [(others - last, first) for first, last in _blocks(others)]))


def some_mixtures(channel: Channel, people: int) -> tuple[TwoGroups, ...]:
    """Data sets to attack: all of them for up to 48 others, else those where all agree and one where half do."""
    others = people - 1
    held = range(people) if others <= _BLOCKS else (0, others // 2, others)
    return tuple(_scenes(channel, [(others - ones, ones) for ones in held]))


def _scenes(channel: Channel, sizes: list[tuple[int, int]]) -> Iterator[TwoGroups]:
    """Every data set in every direction."""
    yes = [row[1] for row in channel.rows]
    for zeros, ones in sizes:
        for one, other in channel.pairs:
            yield TwoGroups(yes[one], yes[other], ((yes[0], zeros), (yes[1], ones)))


def _blocks(others: int) -> Iterator[tuple[int, int]]:
    """From 0 to `others`, in at most 49 blocks, in the order of most agreement: there the worst is to be expected."""
    ends = sorted({others * part // _BLOCKS for part in range(_BLOCKS + 1)})
    blocks = [(0, ends[0]), *((before + 1, end) for before, end in pairwise(ends))]
    return iter(sorted(blocks, key=lambda block: min(block[0], others - block[1])))
