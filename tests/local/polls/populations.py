"""Simulated respondents: people with a sensitive and an innocuous answer, who follow a design to the letter."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.local.polls.designs.design import Design, OneSample
from tacit.local.polls.designs.nonrandomized_response import AtLeastOne, Crosswise, Triangular
from tacit.local.polls.designs.randomized_response import ForcedDesign, Kuk, WarnerDesign
from tacit.local.polls.designs.two_samples import TwoSamples, Unrelated, UnrelatedEstimated
from tacit.local.polls.designs.wording import Group, Wording
from tacit.local.randomizers.randomizer import WeightTable
from tacit.noise.bits import Seeded
from tacit.noise.uniform import Bernoulli

WORDS = Wording("Have you?", innocuous="Was your mother born in spring?", items=("a", "b", "c"))
INNOCUOUS = Fraction(1, 4)

ONE_SAMPLE: list[OneSample] = [
    WarnerDesign("3/4"),
    WarnerDesign("1/5"),
    WarnerDesign.within("1/2"),
    WarnerDesign.within(4),
    ForcedDesign("4/6", "1/6", "1/6"),
    ForcedDesign("1/2", "2/5", "1/10"),
    ForcedDesign("3/4", "1/4", 0),
    Kuk("4/5", "1/5"),
    Kuk("3/10", "7/10"),
    Crosswise(INNOCUOUS),
    Triangular(INNOCUOUS),
    Unrelated("7/10", INNOCUOUS),
]
TWO_SAMPLES: list[TwoSamples] = [UnrelatedEstimated("7/10"), AtLeastOne()]

Mapping = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]

IN_THE_HEAD: dict[type[Design], Mapping] = {
    Crosswise: lambda own, other: (own == other).astype(np.int64),
    Triangular: lambda own, other: own | other,
    AtLeastOne: lambda own, other: own | other,
}


def exact_law(design: Design, group: Group, own: int, other: int) -> list[Fraction]:
    """P(report | sensitive answer, innocuous answer), for both reports."""
    if group.randomizer is None:
        said = int(IN_THE_HEAD[type(design)](np.array([own]), np.array([other]))[0])
        return [Fraction(int(report == said)) for report in (0, 1)]
    assert isinstance(group.randomizer, WeightTable)
    answer = own if len(group.parts) == 1 else 2 * own + other
    return [group.randomizer.probability(answer, report) for report in (0, 1)]


def polls(design: Design, share: float, people: int, repeats: int, bits: Seeded) -> NDArray[np.int64]:
    """The count of yes in each of so many polls of group 0."""
    group = design.groups(WORDS)[0]
    size = people * repeats
    own = Bernoulli(Fraction(share)).draw(size, bits)
    other = Bernoulli(INNOCUOUS).draw(size, bits)
    if group.randomizer is None:
        reports = IN_THE_HEAD[type(design)](own, other)
    else:
        assert isinstance(group.randomizer, WeightTable)
        reports = group.randomizer.draw_many(own if len(group.parts) == 1 else 2 * own + other, bits)
    return np.asarray(reports.reshape(repeats, people).sum(axis=1))
