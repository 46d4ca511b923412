"""A privacy-loss curve is no filter: each choice fits it had it been fixed, choosing by the outcome does not."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from tests.audit.controls.all_controls import BROKEN

from tacit.noise.bits import Seeded

Law = dict[tuple[int, int], float]

ODDS, FREE = exp(1) / (1 + exp(1)), 0.1
LEAN = (1 + FREE / ODDS) / 2


def second(kind: str, data: int) -> dict[int, float]:
    """The law of the second answer: a leaning coin, or everything with chance 1/10."""
    if kind == "coin":
        return {data: LEAN, 1 - data: 1 - LEAN}
    return {2: 1 - FREE, 3 + data: FREE}


def transcript(data: int, after: dict[int, str]) -> Law:
    law: Law = {}
    for coin in (0, 1):
        for answer, chance in second(after[coin], data).items():
            law[coin, answer] = (ODDS if coin == data else 1 - ODDS) * chance
    return law


def delta(after: dict[int, str], epsilon: float) -> float:
    """The exact δ at ε, the worse of both ways round."""
    one, other = transcript(1, after), transcript(0, after)
    ways = ((one, other), (other, one))
    return max(sum(max(0.0, p.get(y, 0) - exp(epsilon) * q.get(y, 0)) for y in {*p, *q}) for p, q in ways)


def test_fixed_in_advance_either_fits_and_by_the_outcome_neither() -> None:
    assert delta({0: "coin", 1: "coin"}, 1) == pytest.approx(FREE)
    assert delta({0: "bare", 1: "bare"}, 1) == pytest.approx(FREE)
    assert delta({0: "bare", 1: "coin"}, 1) == pytest.approx(FREE + (1 - ODDS) * FREE)


def test_the_control_draws_these_laws() -> None:
    """All sixteen chances of its transcripts, in 100,000 draws, within 6σ (3·10⁻⁸)."""
    subject = next(each.subject for each in BROKEN if each.subject.name == "curve as a filter")
    assert subject.many is not None
    assert subject.claim.delta(1) == float(Fraction(1, 10))
    for data in (0, 1):
        rows, counts = np.unique(subject.many(data, 100_000, Seeded(data)), axis=0, return_counts=True)
        law = transcript(data, {0: "bare", 1: "coin"})
        assert {tuple(row) for row in rows.tolist()} <= set(law)
        for row, count in zip(rows.tolist(), counts, strict=True):
            chance = law[row[0], row[1]]
            assert abs(count - 100_000 * chance) <= 6 * (100_000 * chance * (1 - chance)) ** 0.5
