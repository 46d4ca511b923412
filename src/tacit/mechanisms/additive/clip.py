"""Vectors shortened to a ball, exactly."""

from __future__ import annotations

from math import isqrt

import numpy as np

from tacit.noise.bits import Integers


def clip_to_ball(rows: Integers, radius: int) -> Integers:
    """Each integer row as it is, if its length is at most `radius`; else shortened towards 0 to at most that length.

    Lengths are compared in integers. Floats only propose the shortened row; one that is too long is shortened exactly.
    """
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    factors = np.where(lengths > radius, radius / np.maximum(lengths, 1.0) * (1 - 2.0**-40), 1.0)
    shortened = np.trunc(rows * factors[:, None]).astype(np.int64)
    near = lengths <= 2.0 * radius  # of these the squares fit 64 bits
    fits = near & ((np.where(near[:, None], rows, 0) ** 2).sum(axis=1, dtype=np.int64) <= radius**2)
    clipped = np.where(fits[:, None], rows, shortened)
    for row in np.flatnonzero((clipped**2).sum(axis=1, dtype=np.int64) > radius**2):
        exact = [int(cell) for cell in rows[row]]
        above = isqrt(sum(cell * cell for cell in exact)) + 1
        clipped[row] = [(abs(cell) * radius // above) * (1 if cell > 0 else -1) for cell in exact]
    return clipped
