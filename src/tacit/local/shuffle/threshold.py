"""Tests that add up a weight for each report: what the best of them gains, P(S ≥ s) − e^ε·Q(S ≥ s), from below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.frozen import frozen
from tacit.local.shuffle.sums import TiltedLaw
from tacit.loss.distributions.step import UNIT, Array


@frozen
class Voice:
    """One kind of report: its weight in grid steps, and a number ≤ P(kind) − e^ε·Q(kind) for the person in question."""

    weight: int
    gain: float


def gain_below(others: TiltedLaw, voices: Sequence[Voice]) -> float:
    """A number ≤ the gain of the best test "the weights of all reports add up to s or more", over all s.

    `others` is the law of the other reports' weights, the same in both worlds. With T its upper tail, the gain at s is
    Σ (P−e^εQ)(kind)·T(s−weight): what is gained counts by tails from below, what is lost by tails from above.
    """
    low, up = tails(others)
    reach = max(abs(voice.weight) for voice in voices)
    low = np.pad(low, reach, constant_values=(low[0], 0.0))
    up = np.pad(up, reach, constant_values=(1.0, up[-1]))
    count = len(low) - 2 * reach
    gains, sizes = np.zeros(count), np.zeros(count)
    for voice in voices:
        start = reach - voice.weight
        part = voice.gain * (low if voice.gain > 0 else up)[start : start + count]
        gains += part
        sizes += np.abs(part)
    return max(0.0, float((gains - UNIT * (len(voices) + 4) * sizes).max()))


def tails(law: TiltedLaw) -> tuple[Array, Array]:
    """P(S ≥ value) at every node and one beyond the last, from below and from above.

    Node j carries masses_j·e^{log_weight−λ·value_j}. What is off by `error` in all weighs at most e^{−λ·value} there.
    """
    values = law.values
    with np.errstate(under="ignore"):
        weights = np.exp(np.minimum(law.log_weight - law.tilt * values, 700.0))
        sums = np.cumsum((law.masses * weights)[::-1])[::-1]
        sizes = np.cumsum((np.abs(law.masses) * weights)[::-1])[::-1]
        farthest = abs(law.log_weight) + law.tilt * float(np.abs(values).max())
        off = 1.001 * law.error * weights + UNIT * (len(values) + 64 + 4 * farthest) * sizes
    low = np.maximum(0.0, (sums - off) / (1 + law.unsure))
    up = np.minimum(1.0, (sums + off) * (1 + law.unsure))
    return np.append(low, 0.0), np.append(up, up[-1])
