"""Selections and noisy maxima whose noise does not fit what they release.

Five scores, each moved by at most 1 between neighbours, some up and some down.
"""

from __future__ import annotations

import numpy as np

from tacit.audit.controls.control import Control, Many, broken, floats, one_of_many
from tacit.audit.subject import Data, Outputs
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits

_EPSILON = 1.0
_PAIRS = (((0, 1, 1, 1, 1), (1, 0, 0, 0, 0)), ((0, 0, 0, 0, 0), (1, 1, 1, 1, 1)), ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0)))


def _laplace(data: Data, count: int, bits: Bits, scale: float) -> Outputs:
    return np.array(data) + floats(bits).laplace(0, scale, (count, len(data)))


def _exponential(data: Data, count: int, bits: Bits, scale: float) -> Outputs:
    return np.array(data) + floats(bits).exponential(scale, (count, len(data)))


def _max_value(data: Data, count: int, bits: Bits) -> Outputs:
    largest: Outputs = _laplace(data, count, bits, 2 / _EPSILON).max(axis=1)
    return np.floor(largest)


def _max_value_exponential(data: Data, count: int, bits: Bits) -> Outputs:
    largest: Outputs = _exponential(data, count, bits, 2 / _EPSILON).max(axis=1)
    return np.floor(largest)


def _index_and_value(data: Data, count: int, bits: Bits) -> Outputs:
    noisy = _laplace(data, count, bits, 2 / _EPSILON)
    return np.stack([noisy.argmax(axis=1), np.floor(noisy.max(axis=1))], axis=1)


def _index_narrow(data: Data, count: int, bits: Bits) -> Outputs:
    made: Outputs = _exponential(data, count, bits, 1 / _EPSILON).argmax(axis=1)
    return made


def _index_laplace_narrow(data: Data, count: int, bits: Bits) -> Outputs:
    made: Outputs = _laplace(data, count, bits, 0.5 / _EPSILON).argmax(axis=1)
    return made


def _gumbel(data: Data, count: int, bits: Bits) -> Outputs:
    noisy: Outputs = 2 * _EPSILON * np.array(data) + floats(bits).gumbel(0, 1, (count, len(data)))
    made: Outputs = noisy.argmax(axis=1)
    return made


def _overflowing(data: Data, bits: Bits) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(np.array(data, np.float64))
        shares = weights / weights.sum()
    place = int(np.searchsorted(np.cumsum(shares), floats(bits).random()))
    return float(shares[min(place, shares.size - 1)] * 0 + place)


def _control(name: str, note: str, many: Many) -> Control:
    return broken(name, note, "black box", 1, one_of_many(many), _PAIRS, relation=Relation.REPLACE, many=many)


SELECTION: tuple[Control, ...] = (
    _control("noisy max, value", "The largest noisy value itself is released, not its place.", _max_value),
    _control("noisy max, exponential value", "The same with one-sided noise.", _max_value_exponential),
    _control("noisy max, place and value", "Both leave at the price of the place.", _index_and_value),
    _control("noisy max, half the noise", "Exponential noise of scale Δ/ε, as if scores moved one way.", _index_narrow),
    _control("noisy max, quarter of the noise", "Laplace noise of scale Δ/2ε.", _index_laplace_narrow),
    _control("exponential, ε for ε/2", "Weights e^{2εq} where e^{εq/2} is private.", _gumbel),
    broken(
        "exponential that overflows",
        "Weights are not taken relative to the best: e^q overflows and NaN leaves.",
        "replay",
        2,
        _overflowing,
        (((0, 709), (0, 710)),),
        relation=Relation.REPLACE,
    ),
)
