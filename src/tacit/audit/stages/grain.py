"""The grain of a float: the power of two of its lowest set bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.audit.stages.outcomes import Floats

COARSEST = 1_100
"""The grain of zero, and of what is not finite: coarser than any number's."""


def grain(numbers: Floats) -> NDArray[np.int64]:
    """The largest k for which the number is a whole multiple of 2^k, number by number."""
    mantissa, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    trailing = np.where(whole > 0, np.log2(np.maximum(lowest, 1)), 0).astype(np.int64)
    found: NDArray[np.int64] = np.where(whole > 0, exponent.astype(np.int64) - 53 + trailing, COARSEST)
    return found
