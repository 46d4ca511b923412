"""Numbers and confidences as text: only significant digits, and never a certainty that is not given."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.mechanisms.mechanism import percent
from tacit.words import number


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1234567, 3, "1,234,567"),
        (1235.4271, 3.01, "1,235.4"),
        (0.123456, 0.0031, "0.1235"),
        (2.2e-30, 2.0e-30, "2.2e-30"),
        (1.500754e33, 1.96e30, "1.5008e+33"),
        (np.int64(-(2**63)), 3e30, "-9.2e+18"),
        (0.0, 6e31, "0"),
        (49.475, 0, "49.475"),
        (-0.3, 11.2, "0"),
        (np.float32(-0.004), 0.1, "0.00"),
        (np.int64(-5), 0.3, "-5.00"),
    ],
)
def test_numbers_have_the_digits_their_error_leaves(value: float, error: float, text: str) -> None:
    assert number(value, error) == text


@pytest.mark.parametrize(
    ("confidence", "text"),
    [("0.95", "95%"), ("1/3", "33.3333%"), ("0.9999999", "99.99999%"), ("1e-30", "1e-28%"), ("0.99999", "99.999%")],
)
def test_confidences_are_never_rounded_to_certainty(confidence: str, text: str) -> None:
    assert percent(confidence) == text
    assert percent("0." + "9" * 40) == "99." + "9" * 38 + "%"
