"""Laws of every local randomizer, in fractions: no rounding, the whole alphabet, every pair of answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tacit.local.randomizers.randomizer import Randomizer
from tacit.noise.ball import ball, less


def worst_ratio(randomizer: Randomizer[Any]) -> Fraction | None:
    """The largest P(report | answer)/P(report | other), or None where some report has no other that could send it."""
    worst = Fraction(1)
    for report in randomizer.alphabet():
        given = [randomizer.probability(answer, report) for answer in range(randomizer.answers)]
        if min(given) == 0 < max(given):
            return None
        if max(given) > 0:
            worst = max(worst, max(given) / min(given))
    return worst


def is_private(randomizer: Randomizer[Any], epsilon: Fraction) -> bool:
    """Whether every report's odds are at most e^ε (R45), decided in certified arithmetic."""
    ratio = worst_ratio(randomizer)
    return ratio is not None and not less(lambda: ball(epsilon).exp(), lambda: ball(ratio))


def totals(randomizer: Randomizer[Any]) -> list[Fraction]:
    """The sum of each answer's probabilities over the whole alphabet."""
    reports = list(randomizer.alphabet())
    return [
        sum((randomizer.probability(answer, report) for report in reports), Fraction(0))
        for answer in range(randomizer.answers)
    ]
