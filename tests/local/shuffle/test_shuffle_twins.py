"""Shuffle bounds made wrong on purpose: each must fall below an exact value."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.local.shuffle.shuffled_laws import float_delta, kary_laws

from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.local.shuffle.crowd import Atoms, Crowd, SumGrid
from tacit.local.shuffle.randomizer_table import ReportCell, channel_of
from tacit.local.shuffle.scenes import TwoGroups
from tacit.loss.accountant.lattice import Lattice

EPSILON, OPTIONS, PEOPLE = 2.0, 10, 24
ODDS = Fraction(math.exp(EPSILON))


def exact(options: int, epsilon: float, holders: tuple[int, ...], at: float) -> float:
    one, other = kary_laws(options, epsilon, holders)
    return max(float_delta(one, other, at), float_delta(other, one, at))


def blanket(people: int) -> Crowd:
    channel = channel_of(KaryResponse(OPTIONS, ODDS))
    assert channel is not None
    (cells,) = channel.cells(channel.least)
    return Crowd(cells, people)


def test_one_person_too_many_is_caught() -> None:
    """With all others at a third answer the blanket is nearly tight: a person more is already too many."""
    true = exact(OPTIONS, EPSILON, (0, 0, PEOPLE - 1), 1.0)
    assert blanket(PEOPLE).delta_above(Fraction(1)) >= true
    assert blanket(PEOPLE + 1).delta_above(Fraction(1)) < true


def test_a_larger_blanket_is_caught() -> None:
    """The twin that takes the mean over the answers for the least."""
    cells = blanket(PEOPLE).cells
    wider = Crowd(tuple(cell._replace(crowd=cell.crowd * Fraction(3, 2)) for cell in cells), PEOPLE)
    assert wider.delta_above(Fraction(1)) < exact(OPTIONS, EPSILON, (0, 0, PEOPLE - 1), 1.0)


def test_the_variation_ratio_pair_is_caught() -> None:
    """Clones from the two answers' own kinds alone, with the rest of every report as a crowd: the published 3.24."""
    odds, options, people = Fraction(math.exp(4)), 16, 40
    kind = 1 / (odds + options - 1)
    rest = 1 - kind * (1 + odds)
    twin = Crowd(
        (
            ReportCell(kind * odds, kind, kind),
            ReportCell(kind, kind * odds, kind),
            ReportCell(rest, rest, 1 - 2 * kind),
        ),
        people,
    )
    assert 1e-6 < twin.delta_above(Fraction("3.24")) < 2e-6
    assert twin.delta_above(Fraction("3.5")) < exact(options, 4.0, (people - 1, 0), 3.5) / 1000


def test_twice_as_many_clones_are_caught() -> None:
    """The twin that takes e^−ε₀ for each kind of clone, where both together have it; 199 others agree on yes or no."""
    odds, people, at = Fraction(math.exp(0.75)), 200, 0.3
    true = exact(2, 0.75, (people - 1, 0), at)
    for clone, holds in ((1 / (2 * odds), True), (1 / odds, False)):
        kinds = (
            ReportCell(odds / (1 + odds), 1 / (1 + odds), clone),
            ReportCell(1 / (1 + odds), odds / (1 + odds), clone),
        )
        assert (Crowd(kinds, people).delta_above(Fraction(at)) >= true) is holds


def test_values_rounded_down_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin that puts every value on the node below it."""
    true = exact(OPTIONS, EPSILON, (0, 0, PEOPLE - 1), 1.0)

    def floored(self: SumGrid, atoms: Atoms) -> Lattice:
        masses: dict[int, float] = {}
        for value, mass in atoms:
            place = math.floor((value - self.origin) / (64 * self.spacing)) * 64
            masses[place] = masses.get(place, 0.0) + float(mass)
        places = sorted(masses)
        return Lattice(np.array(places), np.array([masses[place] for place in places]), 0.0, 0.0)

    honest = blanket(PEOPLE).delta_above(Fraction(1))
    monkeypatch.setattr(SumGrid, "split", floored)
    assert blanket(PEOPLE).delta_above(Fraction(1)) < true <= honest


def test_thresholds_of_one_group_for_another_are_caught() -> None:
    """The twin that takes the data set where half agree for the worst one."""
    odds = Fraction(math.exp(2))
    true, false = odds / (1 + odds), 1 / (1 + odds)
    half = TwoGroups(true, false, ((false, 25), (true, 24)))
    worst = exact(2, 2.0, (0, 49), 0.5)
    assert half.delta_above(Fraction(1, 2)) < worst
