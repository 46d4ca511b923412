"""An estimated share in one line; and where no share makes such reports, that."""

from __future__ import annotations

from math import floor
from typing import Final

from tacit.exact import Number
from tacit.local.polls.finding import Estimate
from tacit.mechanisms.answer import percent

_IMPOSSIBLE: Final = (
    1 / 4000
)  # on each side: of shares that follow their design at most 1 in 2,000 is called impossible


def share_words(estimate: Estimate, confidence: Number = "0.95", interval: tuple[float, float] | None = None) -> str:
    """“20.4%, 95% interval 17.6% to 23.3%”, or that the reports do not fit the design."""
    low, high = estimate.interval(confidence) if interval is None else interval
    found = misfit(estimate, (low, high))
    if found:
        return found
    return f"{min(1.0, max(0.0, estimate.value)):.1%}, {percent(confidence)} interval {low:.1%} to {high:.1%}"


def misfit(estimate: Estimate, interval: tuple[float, float]) -> str:
    """Why the reports cannot be those of people who followed the design; "" where they can.

    An interval that was cut to nothing at 0 or at 1 holds no share that would make such reports, at its confidence.
    """
    value, off = estimate.value, estimate.standard_error
    if 0 <= value <= 1 or interval[0] < interval[1]:
        return ""
    beyond, edge = (-value, "below 0%") if value < 0 else (value - 1, "above 100%")
    raw = f"the raw estimate is {value:.1%}".replace("-", "−")
    far = f"{beyond / off:.1f} standard errors {edge}" if off > 0 else f"{edge} with all reports alike"
    chance = estimate.surprise()
    if chance <= _IMPOSSIBLE:
        return f"impossible under the design: {raw}, {far}; the reports do not come from this design"
    rarely = f"does this in at most 1 of {floor(1 / chance):,} polls" if chance < 0.1 else "may have done this"
    return f"no share fits: {raw}, {far}; chance {rarely}"
