"""Frequencies as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number
from tacit.local.frequencies.consistent import Consistent
from tacit.mechanisms.answer import percent


def listing(
    found: Consistent,
    errors: NDArray[np.float64],
    people: int,
    names: Sequence[str] | None,
    confidence: Number,
    most: int,
) -> str:
    """One line an option, the most frequent first, with intervals that hold all at once."""
    order = np.argsort(-found.values, kind="stable")[:most]
    labels = [names[place] if names else str(place) for place in order]
    wide = max(len("option"), *map(len, labels))
    lines = [f"{'option':<{wide}}   share   ± s.e.   {percent(confidence)} interval, all options at once"]
    for label, place in zip(labels, order, strict=True):
        share, low, high = found.values[place], found.low[place], found.high[place]
        lines.append(f"{label:<{wide}}  {share:6.1%}  {errors[place]:6.1%}   {low:.1%} to {high:.1%}")
    if found.values.size > most:
        lines.append(f"… and {found.values.size - most:,} more options.")
    lines.append(f"{people:,} reports; shares are made to sum to one.")
    if not found.agrees:
        lines.append(
            "The intervals contradict one another: something unlikely happened, or the reports are not honest."
        )
    return "\n".join(lines)
