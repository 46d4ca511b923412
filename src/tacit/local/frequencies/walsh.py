"""The Walsh–Hadamard transform: sums of a table with the sign (−1)^⟨u, y⟩, for every u at once."""

from __future__ import annotations

import numpy as np

from tacit.noise.bits import Integers


def walsh(table: Integers) -> Integers:
    """Σ_y table[y]·(−1)^(number of binary digits that u and y share), for every u; 2^m entries in m·2^m steps."""
    out = table.astype(np.int64)
    half = 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        low, high = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        pairs[:, 0], pairs[:, 1] = low, high
        half *= 2
    return out
