"""Two sessions of online weights that take turns cost no more than the sum of their losses (R37)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from tests.divergence import Law, violations
from tests.mechanisms.weights.session_law import Histogram, neighbours

from tacit.loss.composition.sequential import Composition
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.weights.hypothesis import Cells, Hypothesis
from tacit.mechanisms.weights.online_weights import OnlineWeights

Reply = tuple[bool, int]
MASKS = [np.array(mask) for mask in ((True, False, False), (False, True, False), (True, True, False))]
NUMBERS = range(-2, 7)
TURNS = (0, 1, 0, 1)  # which session each question is put to
MECHANISM = OnlineWeights((3,), Relation.REPLACE, 1, 2, 1, 1, Zcdp(1), 4)  # type: ignore[arg-type]


def question(heard: tuple[Reply, ...]) -> Cells:
    """What is asked next depends on what either session said last."""
    return MASKS[0] if not heard else MASKS[1 + (heard[-1][0] or heard[-1][1] > 1)]


class Side:
    """One session as far as it has gone: its hypothesis, the distances of its run, and how likely what it said was."""

    def __init__(self, mechanism: OnlineWeights, histogram: Histogram) -> None:
        self.mechanism, self.histogram = mechanism, histogram
        self.hypothesis: Hypothesis = mechanism.begun(None)
        self.run: tuple[int, ...] = ()
        self.chance, self.is_over = 1.0, False

    def replies(self, cells: Cells) -> Iterator[tuple[Reply, Side]]:
        """Each reply that can come, and the session after it."""
        guess, count = self.hypothesis.count(cells), int(self.histogram[cells].sum())
        yield (False, guess), self.after(self.chance, (*self.run, abs(count - guess)), self.is_over)
        for number in () if self.is_over else NUMBERS:
            run = (*self.run, abs(count - guess))
            share = self.mechanism.comparison.probability(run, (*(False,) * len(self.run), True))
            made = self.after(self.chance * share * float(self.mechanism.noise.law.mass(number - count)), (), True)
            made.hypothesis = self.hypothesis.corrected(cells, number, 1, 1)
            yield (True, number), made

    def after(self, chance: float, run: tuple[int, ...], is_over: bool) -> Side:
        made = Side(self.mechanism, self.histogram)
        made.hypothesis, made.chance, made.run, made.is_over = self.hypothesis, chance, run, is_over
        return made

    @property
    def total(self) -> float:
        """How likely all replies were, the run that is still open included."""
        noes = (False,) * len(self.run)
        return self.chance if self.is_over else self.chance * self.mechanism.comparison.probability(self.run, noes)


def interleaved(mechanism: OnlineWeights, histogram: Histogram) -> Law:
    found: dict[tuple[Reply, ...], float] = {}

    def turn(heard: tuple[Reply, ...], sides: tuple[Side, Side]) -> None:
        if len(heard) == len(TURNS):
            found[heard] = sides[0].total * sides[1].total
            return
        who = TURNS[len(heard)]
        for reply, side in sides[who].replies(question(heard)):
            turn((*heard, reply), (side, sides[1]) if who == 0 else (sides[0], side))

    turn((), (Side(mechanism, histogram), Side(mechanism, histogram)))
    return found


def pairs(mechanism: OnlineWeights) -> Iterator[tuple[Law, Law]]:
    law = cache(lambda cells: interleaved(mechanism, np.array(cells)))
    for one, other in neighbours(Relation.REPLACE, [(4, 0, 0), (1, 1, 2)]):
        yield law(tuple(one)), law(tuple(other))


def test_two_sessions_that_take_turns_cost_the_sum() -> None:
    assert violations(Composition([MECHANISM.loss, MECHANISM.loss]), pairs(MECHANISM)) == []


def test_a_second_session_for_free_is_caught() -> None:
    """At the price of one; and with counts that are twice as sharp as they are priced."""
    assert violations(MECHANISM.loss, pairs(MECHANISM))
    sharp = replace(MECHANISM, measurement=Zcdp(4))
    assert violations(Composition([MECHANISM.loss, MECHANISM.loss]), pairs(sharp))
