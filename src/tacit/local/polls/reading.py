"""Reports as they come in: yes, no, missing; with survey weights or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.polls.intervals.exact import Reals


@frozen(eq=False)
class Heard:
    """The reports that were given, as integers, each with its weight; and how much weight is missing."""

    reports: NDArray[np.int64]
    weights: Reals | None
    missing: int
    missing_weight: float

    @property
    def people(self) -> int:
        return int(self.reports.size)


def read_reports(reports: Sequence[Any] | ArrayLike, weights: ArrayLike | None = None, most: int = 1) -> Heard:
    """Integers from 0 to `most` (bools too); None and NaN are missing; anything else is refused without being named."""
    given = _numbers(reports)
    absent = np.isnan(given)
    kept = given[~absent]
    if not np.all((kept >= 0) & (kept <= most) & (kept == np.floor(kept))):
        raise Refused("reports", "One of them is no report of this design.", f"0 to {most}, or None where missing.")
    if not kept.size:
        raise Refused("an estimate", "There is no report.", "at least one report.")
    whole = kept.astype(np.int64)
    if weights is None:
        return Heard(whole, None, int(absent.sum()), float(absent.sum()))
    load = np.asarray(weights, np.float64).ravel()
    if not (load.size == given.size and np.all(np.isfinite(load)) and np.all(load >= 0) and load[~absent].sum() > 0):
        raise Refused("survey weights", "They do not fit the reports.", "one finite weight ≥ 0 a report, not all 0.")
    return Heard(whole, load[~absent], int(absent.sum()), float(load[absent].sum()))


def _numbers(reports: Sequence[Any] | ArrayLike) -> Reals:
    """The reports as floats, NaN for None; text, and whatever else is no number, is refused."""
    given = np.asarray(reports, dtype=None if isinstance(reports, np.ndarray) else object).ravel()
    if given.dtype.kind == "O":
        listed = [np.nan if report is None else report for report in given]
        if not all(isinstance(report, int | float | np.number | np.bool_) for report in listed):
            raise Refused("reports", "One of them is no number.", "0, 1, … or None where missing.")
        return np.array(listed, np.float64)
    if given.dtype.kind not in "biuf":
        raise Refused(f"reports of type {given.dtype}", "They are no numbers.", "0, 1, … or None where missing.")
    return given.astype(np.float64)
