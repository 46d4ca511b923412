"""Sample releases for tests."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacit.query.post_noise.estimates import Estimates, Keys, OutputColumn, Rendered
from tacit.release.price import PriceWords
from tacit.release.release import IntervalWords, Release
from tacit.schema.kind import Kind

PAID = PriceWords("ε = 0.5, δ = 1e-9", Fraction(16, 1000), Fraction(964, 1000), False, "ρ 0.0042 of 0.266")


def keys(*values: object, kind: Kind | None = None) -> Keys:
    return Keys(tuple(values), kind)


def numbers(value: Sequence[float], reach: float, *, whole: bool = False) -> Estimates:
    points = np.array(value, np.float64)
    return Estimates(points, points - reach, points + reach, whole)


def release(columns: dict[str, Keys | Estimates], *notes: str, price: PriceWords = PAID) -> Release:
    rendered = Rendered(tuple(OutputColumn(name, values) for name, values in columns.items()))
    return Release(rendered, Fraction(95, 100), notes, price)


def usual(columns: dict[str, Keys | Estimates], bounded: dict[str, Estimates]) -> Release:
    """A release with usual intervals, and those of the noise alone beside."""
    shown = (OutputColumn(name, values, bounded.get(name)) for name, values in columns.items())
    about = " for all rows that fit the description, assuming that nobody has far more than the people that can be seen"
    words = IntervalWords("usual", about, ("With at_most declared, they could be guaranteed.",))
    return Release(Rendered(tuple(shown)), Fraction(95, 100), (), PAID, intervals=words)


def clinic() -> Release:
    """A clinic's release with one group that is too small for a value."""
    mean = Estimates(
        *(np.array(part) for part in ([1204.1, 1188.7, np.nan], [1190.5, 1177.5, 0.0], [1217.7, 1210.0, 2e4]))
    )
    columns = {
        "region": keys("east", "north", None),
        "count": numbers([98412, 120305, 12], 640, whole=True),
        "avg(cost)": mean,
    }
    return release(columns, "Visits beyond 40 a patient were left out.")
