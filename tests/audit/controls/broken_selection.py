"""Broken selections: noisy maxima whose noise does not fit what they release, and wrong sparse vector techniques.

Selections have five scores, each moved by at most 1 between neighbours, some up and some down. The sparse vector
techniques are variants 3 to 6 of Lyu, Su and Li (2017): ten questions of sensitivity 1 against a threshold of 1. Yes
and no are 1 and 0; −1 means never asked.
"""

from __future__ import annotations

import numpy as np
from tests.audit.controls.broken_control import Control, Many, broken, floats, one_of_many

from tacit.audit.subject import Data, Outputs
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace

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


_SVT_EPSILON, _LEVEL, _ASKED = 1.0, 1.0, 10
_ZEROS, _ONES = (0,) * _ASKED, (1,) * _ASKED
_HALF, _OTHER_HALF = (0,) * 5 + (1,) * 5, (1,) * 5 + (0,) * 5
_LAST, _BUT_LAST = (0,) * 9 + (1,), (1,) * 9 + (0,)
_SVT_PAIRS = ((_LAST, _BUT_LAST), (_HALF, _OTHER_HALF), (_ZEROS, _ONES))


def _compared(
    data: Data, count: int, bits: Bits, threshold_scale: float, question_scale: float
) -> tuple[Outputs, Outputs]:
    """Which noisy values reach the noisy threshold, and the noisy values."""
    generator = floats(bits)
    level = _LEVEL + generator.laplace(0, threshold_scale, (count, 1))
    values = np.array(data, np.float64) + (
        generator.laplace(0, question_scale, (count, _ASKED)) if question_scale else np.zeros((count, _ASKED))
    )
    return values >= level, values


def _until_first(above: Outputs) -> Outputs:
    """Answers up to the first yes."""
    closed = np.cumsum(above, axis=1) - above > 0
    return np.where(closed, -1, above.astype(np.int64))


def _svt3(data: Data, count: int, bits: Bits) -> Outputs:
    above, values = _compared(data, count, bits, 2 / _SVT_EPSILON, 2 / _SVT_EPSILON)
    first = np.where(above.any(axis=1), above.argmax(axis=1), _ASKED)
    number = np.where(first < _ASKED, values[np.arange(count), np.minimum(first, _ASKED - 1)], 0.0)
    return np.stack([first.astype(np.float64), number], axis=1)


def _svt4(data: Data, count: int, bits: Bits) -> Outputs:
    return _until_first(_compared(data, count, bits, 4 / _SVT_EPSILON, 4 / (3 * _SVT_EPSILON))[0])


def _svt5(data: Data, count: int, bits: Bits) -> Outputs:
    return _compared(data, count, bits, 2 / _SVT_EPSILON, 0)[0].astype(np.int64)


def _svt6(data: Data, count: int, bits: Bits) -> Outputs:
    return _compared(data, count, bits, 2 / _SVT_EPSILON, 2 / _SVT_EPSILON)[0].astype(np.int64)


def _svt(name: str, note: str, found_by: str, many: Many) -> Control:
    return broken(name, note, found_by, 1, one_of_many(many), _SVT_PAIRS, relation=Relation.REPLACE, many=many)


_KEPT = 5  # the least t with P(X > t) ≤ δ for X of scale 1 would be 4 above a count of 1


def _off_by_one() -> Control:
    law = DiscreteLaplace(1)

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        noisy = len(data) + law.draw(count, bits)
        return np.where((noisy >= _KEPT) & (len(data) > 0), noisy, 0)

    note = "Keeps a key at ≥ the threshold, priced as if it were at >: its chance to appear is e·δ (R06)."
    pairs: tuple[tuple[Data, Data], ...] = (([1], []), ([1, 1], [1]))
    delta = float(law.tail(_KEPT))  # from a count of 1 a key appears if the noise is 4 or more, not 5
    return broken("threshold off by one", note, "bits", Approx(1, delta), one_of_many(many), pairs, many=many)


THRESHOLD: tuple[Control, ...] = (
    _svt("SVT3", "Releases the very noisy value that was compared.", "bits", _svt3),
    _svt("SVT4", "The questions' noise counts for half of what it must.", "black box", _svt4),
    _svt("SVT5", "Only the threshold is noisy.", "exclusive", _svt5),
    _svt("SVT6", "Never stops: any number of yeses at the price of one.", "black box", _svt6),
    _off_by_one(),
)
