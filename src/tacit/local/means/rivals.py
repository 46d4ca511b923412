"""What other unbiased reports of a number would cost in variance: formulas to compare with, and no noise of theirs.

The piecewise and the hybrid report (Wang and others 2019) draw real numbers, which no device can do without rounding;
so they are known here by their variances alone.
"""

from __future__ import annotations

from math import expm1, tanh

from tacit.errors import Refused
from tacit.exact import Number, exact, positive

_SWITCH = 0.610986  # below this ε the hybrid is the one-bit report alone


def one_bit_variance(epsilon: Number, value: Number) -> float:
    """coth²(ε/2) − x²; largest at 0."""
    return 1 / tanh(_epsilon(epsilon) / 2) ** 2 - _within(value) ** 2


def piecewise_variance(epsilon: Number, value: Number) -> float:
    """x²/(s−1) + (s+3)/3(s−1)² with s = e^{ε/2}; largest at ±1."""
    less = expm1(_epsilon(epsilon) / 2)
    return _within(value) ** 2 / less + (less + 4) / (3 * less**2)


def hybrid_variance(epsilon: Number, value: Number) -> float:
    """That of the piecewise report with probability 1 − e^{−ε/2}, else of the one-bit report: the same for every x.

    The probability is the best there is for ε > 0.611, and 0 below. Both parts are unbiased, so the variances average.
    """
    share = -expm1(-_epsilon(epsilon) / 2) if _epsilon(epsilon) > _SWITCH else 0.0
    return share * piecewise_variance(epsilon, value) + (1 - share) * one_bit_variance(epsilon, value)


def laplace_variance(epsilon: Number, value: Number) -> float:
    """8/ε², wherever the number lies: Laplace noise on a range of 2."""
    _within(value)
    return 8 / _epsilon(epsilon) ** 2


def _epsilon(epsilon: Number) -> float:
    return float(positive(epsilon, "epsilon"))


def _within(value: Number) -> float:
    read = exact(value, "value")
    if not -1 <= read <= 1:
        raise Refused("a value beyond [−1, 1]", "The formulas do not hold there.", "−1 ≤ value ≤ 1.")
    return float(read)
