"""A noisy histogram said in plain words."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tacit.query.limits.bins import Bins
from tacit.query.limits.choice import checked
from tacit.query.limits.evidence import seen

_ONE_IN = (10, 100, 1_000, 10_000, 100_000)
_SURE = 3.0


def profile_words(
    bins: Bins, noisy_counts: NDArray[np.float64], noise_sd: float, what: str = "rows", *, laplace: bool = False
) -> str:
    """One sentence such as "Half of the people have at most about 5 rows, 1 in 100 more than about 120."

    A share is said only if it is at least three standard deviations of the noise in all bins that people were
    seen in; an amount is the roundest number in its bin, so it is good to about a quarter, or to a neighbouring bin.
    """
    counts = checked(bins, noisy_counts, noise_sd)
    span = seen(counts, noise_sd, laplace)
    nobody = f"Too few people to say how many {what} they have: nothing stands out of the noise."
    if span is None:
        return nobody
    people = counts[span.first : span.last + 1]
    everybody, unsure = float(people.sum()), _SURE * noise_sd * math.sqrt(len(people))
    if not everybody / 2 > unsure:
        return nobody

    def amount(share: float) -> str:
        place = span.first + int(np.argmax(np.cumsum(people) >= share * everybody))
        return _roundest(int(bins.edges()[place]), int(bins.tops()[place]))

    parts = [f"Half of the people have at most {amount(0.5)} {what}"]
    said = {amount(0.5)}
    for rare in _ONE_IN:
        if everybody / rare > unsure and amount(1 - 1 / rare) not in said:
            said.add(amount(1 - 1 / rare))
            parts.append(f"1 in {rare:,} more than {amount(1 - 1 / rare)}")
    return ", ".join(parts) + "."


def _roundest(low: int, high: int) -> str:
    """The number from low to high with the most zeros at its end, the one nearest the middle among those."""
    step = 10 ** len(str(high))
    while (high // step) * step < max(low, 1) and step > 1:
        step //= 10
    middle = (low + high) // 2
    nearest = min(max((middle + step // 2) // step, -(-low // step)), high // step) * step
    return f"about {nearest:,}"
