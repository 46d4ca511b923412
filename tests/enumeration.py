"""A sampler run on every bit string: brackets of its output masses, in certified arithmetic (R01)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Bits, Scripted, ScriptEnded

OCTETS = tuple(bytes([value]) for value in range(256))


def outcomes(
    draw: Callable[[Bits], Hashable], letters: Iterable[Sequence[bytes]]
) -> tuple[Counter[Hashable], int, int]:
    """The number of scripts for each output, of undecided scripts, and of all scripts."""
    decided: Counter[Hashable] = Counter()
    undecided = total = 0
    for script in product(*letters):
        total += 1
        try:
            decided[draw(Scripted(b"".join(script)))] += 1
        except ScriptEnded:
            undecided += 1
    return decided, undecided, total


def broken_brackets(
    draw: Callable[[Bits], Hashable],
    letters: Iterable[Sequence[bytes]],
    law: Mapping[Hashable, Fraction | Callable[[], Ball]],
    most_undecided: Fraction,
) -> list[Hashable]:
    """The outputs whose mass is not within [decided, decided + undecided] of all scripts, in certified arithmetic.

    An output the law does not know has mass 0. Too many undecided scripts would make the brackets idle: refused.
    """
    decided, undecided, total = outcomes(draw, letters)
    assert Fraction(undecided, total) <= most_undecided, (undecided, total)
    broken = []
    for output in decided.keys() | law.keys():
        mass = law.get(output, Fraction(0))
        low, high = Fraction(decided[output], total), Fraction(decided[output] + undecided, total)
        with precision(256):
            if isinstance(mass, Fraction):
                sound = low <= mass <= high
            else:
                sound = not (mass() < ball(low) or mass() > ball(high))
        if not sound:
            broken.append(output)
    return broken
