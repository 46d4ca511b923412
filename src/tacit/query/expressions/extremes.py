"""The bounds of GREATEST and LEAST, which leave NULLs out."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.query.expressions.intervals import Interval
from tacit.query.expressions.storage import interval
from tacit.query.expressions.unifying import joined_bounds
from tacit.query.typed import Typed


def greatest_bounds(items: Sequence[Typed]) -> Interval:
    """The greatest is at least every item that is there; which ones are is known of those that cannot be NULL."""
    everything = joined_bounds(items)
    sure = [low for low in (interval(item).low for item in items if not item.nullable) if low is not None]
    return Interval(max(sure) if sure else everything.low, everything.high)


def least_bounds(items: Sequence[Typed]) -> Interval:
    """The mirror image of `greatest_bounds`."""
    everything = joined_bounds(items)
    sure = [high for high in (interval(item).high for item in items if not item.nullable) if high is not None]
    return Interval(everything.low, min(sure) if sure else everything.high)
