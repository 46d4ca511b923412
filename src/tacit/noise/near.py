"""Float approximations with proven error bounds: filters with which exact samplers run on arrays.

Only IEEE sums, products and conversions are used, on tables certified by Arb, so the error bounds are proven for this
code and do not depend on a mathematical library. An element that the bound leaves undecided is decided by Arb with more
bits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.noise.ball import Ball, ball, precision, up
from tacit.noise.bits import Words

Floats: TypeAlias = NDArray[np.float64]
Unsigned: TypeAlias = NDArray[np.unsignedinteger[Any]] | NDArray[np.int64]

EXP_MARGIN: Final = 2.0**-44  # relative, of exp_near(product_near(k, rate)) where the product is below the ceiling
LOG_MARGIN: Final = 2.0**-44  # absolute, of log_near
PRODUCT_MARGIN: Final = 2.0**-44  # absolute, of product_near below the ceiling
CEILING: Final = 64.0

_EXP_TERMS: Final = 6
_LOG_TERMS: Final = 7


def product_near(factors: Unsigned, rate: Fraction) -> Floats:
    """min(k·rate, 64) for integers k ≥ 0, within 2^-44.

    Proof: k, the rate and their product are each rounded once, so a product below the ceiling is within
    (1+2^-53)^3 − 1 < 2^-51 of itself, relative; beyond the ceiling it is 64. Where the rate is so small that
    its float is subnormal, so is the error.
    """
    product: Floats = factors.astype(np.float64) * float(min(rate, Fraction(64)))
    return np.minimum(product, CEILING, out=product)


def exp_near(values: Floats) -> Floats:
    """e^−x for 0 ≤ x ≤ 64, within 2^-44 relative even where x itself is off by 2^-51 relative.

    Proof: x = i + j/64 + r with i, j whole and 0 ≤ r < 1/64, all three exact in floats. Both table entries are
    within 2^-52, the Taylor polynomial of degree 6 within r^7/5040 < 2^-54 and its Horner form within 2^-51,
    the two products within 2^-53 each: together below 2^-49. An error of 2^-51·x in x is a factor within
    64·2^-51 = 2^-45.
    """
    wholes, parts = _exp_tables()
    steps = (values * 64).astype(np.int64)
    rest = values - steps / 64
    power = 1 - rest * (1 / _EXP_TERMS)
    for term in range(_EXP_TERMS - 1, 0, -1):
        power *= rest * (-1 / term)
        power += 1
    power *= wholes[steps >> 6]
    power *= parts[steps & 63]
    return power


def log_near(words: Words, width: int) -> Floats:
    """−ln((w+1)/2^width) for words of `width` ≤ 64 bits, within 2^-44.

    Proof: w+1 as a float is within 2^-52 relative, hence its logarithm within 2^-52. It is m·2^e with ½ ≤ m ≤ 1
    and m = c(1+r), where c is one of 64 centres, m − c is exact and |r| ≤ 2^-7 is within 2^-59. The series of
    ln(1+r) to r^7 is within r^8/7 < 2^-58, its Horner form within 2^-58; the table within 2^-52; (width−e)·ln 2
    ≤ 45 within 2^-46; the two sums within 2^-48 each.
    """
    logs, inverses = _log_tables()
    mantissas, exponents = np.frexp(words.astype(np.float64) + 1)
    cells = (mantissas * 128).astype(np.int64) - 64
    rest = (mantissas - (cells + 64.5) / 128) * inverses[cells]
    series = rest * (1 / _LOG_TERMS)
    for term in range(_LOG_TERMS - 1, 0, -1):
        np.subtract(1 / term, series, out=series)
        series *= rest
    turns = (width - exponents) * _ln2()
    return np.asarray(turns - (logs[cells] + series))


def _nearly(values: list[Ball]) -> Floats:
    """Each value as a float, at most one unit in the last place away from it."""
    return np.array([float(value) for value in values])


@cache
def _exp_tables() -> tuple[Floats, Floats]:
    with precision(128):
        wholes = _nearly([ball(-i).exp() for i in range(65)])
        parts = _nearly([ball(Fraction(-j, 64)).exp() for j in range(64)])
    return wholes, parts


@cache
def _log_tables() -> tuple[Floats, Floats]:
    centres = [Fraction(2 * j + 129, 256) for j in range(64)]
    with precision(128):
        return _nearly([ball(c).log() for c in centres]), _nearly([ball(1 / c) for c in centres])


@cache
def _ln2() -> float:
    with precision(128):
        return up(ball(2).log())
