"""How a respondent without a device draws with known probabilities: numbered slips, in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

_MOST_SLIPS: Final = 100


def draw_words(marks: Sequence[tuple[str, Fraction]]) -> str:
    """“Draw one of 6 slips: 4 are marked T, …”; where slips would be too many, nothing but the device will do."""
    total = lcm(*(share.denominator for _, share in marks))
    if total > _MOST_SLIPS:
        chances = ", ".join(f"{mark} with probability {float(share):.6g}" for mark, share in marks)
        return f"Draw in secret: {chances} (a device does this exactly; slips of paper would be too many)."
    counts = ", ".join(f"{int(share * total)} marked {mark}" for mark, share in marks if share)
    return f"Draw one of {total} slips in secret, {counts}, and put it back."
