"""Broken side channels: sizes, orders, keys, errors, early ends and times that depend on the data or noise."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, floor

import numpy as np
from tests.audit.controls.broken_control import Control, broken, one_of_many

from tacit.audit.subject import AdditiveStructure, Data, Outputs
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace

_LAW = DiscreteLaplace(2)
_ONE = DiscreteLaplace(1)


def _mean(data: Data, count: int, bits: Bits) -> Outputs:
    return (sum(data) + DiscreteLaplace(20).draw(count, bits)) / len(data)


def _cut_at_n(data: Data, count: int, bits: Bits) -> Outputs:
    return np.clip(sum(data) + _LAW.draw(count, bits), 0, len(data))


def _early_exit(data: Data, count: int, bits: Bits) -> Outputs:
    noise = _LAW.draw(count, bits)
    return np.zeros_like(noise) if not sum(data) else sum(data) + noise


def _present_keys(data: Data, bits: Bits) -> dict[str, int]:
    counts: list[tuple[str, int]] = sorted(Counter(data).items())
    return {key: n + int(_ONE.draw(1, bits)[0]) for key, n in counts}


def _first_seen(data: Data, bits: Bits) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = dict(Counter(data))  # in the order in which keys were first seen
    for key in ("a", "b", "c"):
        counts.setdefault(key, 0)
    return tuple((key, n + int(_LAW.draw(1, bits)[0])) for key, n in counts.items())


def _float_sum(data: Data, bits: Bits) -> float:
    return float(np.clip(np.array(data, np.float64), 0, 10).sum() + 10 * _ONE.draw(1, bits)[0])


def _named_value(data: Data, bits: Bits) -> int:
    for row in data:
        if row > 100:
            raise ValueError(f"{row} is out of range")
    return int(sum(data) + DiscreteLaplace(100).draw(1, bits)[0])


def _divided(data: Data, bits: Bits) -> float:
    return float(sum(data) // (len(data) - 1) + DiscreteLaplace(50).draw(1, bits)[0])


def _int_or_float(data: Data, bits: Bits) -> int | float:
    return sum(data) + int(_LAW.draw(1, bits)[0])  # a sum of floats is a float even where it is whole


STRUCTURE: tuple[Control, ...] = (
    broken(
        "private n in the denominator",
        "Answers are multiples of 1/n, and n is private (R23).",
        "bits",
        "0.5",
        one_of_many(_mean),
        (([5, 5, 5], [5, 5, 5, 10]),),
        many=_mean,
    ),
    broken(
        "cut at a private n",
        "An answer above the smaller n has one source.",
        "bits",
        "0.5",
        one_of_many(_cut_at_n),
        (([1, 1, 1], [1, 1]),),
        many=_cut_at_n,
    ),
    broken(
        "early exit on zero",
        "No noise where there is nothing to count.",
        "bits",
        "0.5",
        one_of_many(_early_exit),
        (([0], [0, 1]),),
        many=_early_exit,
    ),
    broken(
        "keys of the data",
        "Which keys are there is itself an answer (R21).",
        "replay",
        1,
        _present_keys,
        ((["a", "a", "b"], ["a", "a"]),),
    ),
    broken(
        "order of the data",
        "Keys leave in the order in which they were first seen (R24).",
        "exclusive",
        1,
        _first_seen,
        ((["a", "b", "b"], ["b", "b"]),),
    ),
    broken(
        "NaN injected",
        "One NaN makes the whole sum NaN (R07).",
        "replay",
        1,
        _float_sum,
        (([1.0, float("nan")], [1.0]),),
    ),
    broken(
        "error that names a value",
        "What does not fit is raised, and named (R27).",
        "replay",
        1,
        _named_value,
        (([5, 5], [5, 777]), ([5, 778], [5, 777])),
        relation=Relation.REPLACE,
    ),
    broken("division by zero", "One row less, and it fails (R26).", "replay", 1, _divided, (([5, 5], [5]),)),
    broken(
        "type from the data",
        "A float among the rows makes the answer a float.",
        "replay",
        "0.5",
        _int_or_float,
        (([1, 0], [1, 0.0]),),
        relation=Relation.REPLACE,
    ),
)


_SCALE = 60
_SLOW_LAW = DiscreteLaplace(_SCALE)
_GOES_ON = floor(exp(-1 / _SCALE) * 2**64)


def _counted_out(bits: Bits) -> int:
    """Discrete Laplace noise, one coin a step: the farther, the longer."""
    while True:
        steps = 0
        while bits.integer(64) < _GOES_ON:
            steps += 1
        is_negative = int(bits.octets(1)[0]) & 1
        if not (is_negative and steps == 0):
            return -steps if is_negative else steps


def _slow_noise(size: int, bits: Bits) -> Integers:
    return np.array([_counted_out(bits) for _ in range(size)], np.int64)


def _total(data: Data) -> list[int]:
    return [_SCALE * sum(data)]


def _noise_by_coins(data: Data, bits: Bits) -> int:
    return _total(data)[0] + _counted_out(bits)


def _one_word_a_unit(data: Data, bits: Bits) -> int:
    held = sum(1 for _ in range(_total(data)[0]) if bits.words(1).size)
    return int(held + _SLOW_LAW.draw(1, bits)[0])


TIME: tuple[Control, ...] = (
    broken(
        "noise by coins",
        "The number of coins is the size of the noise (R28).",
        "timing",
        1,
        _noise_by_coins,
        (([0, 1], [0]),),
        additive=AdditiveStructure(_total, Fraction(_SCALE), "l1", _SLOW_LAW, _slow_noise),
        universe=(0, 1),
    ),
    broken(
        "loop as long as the value",
        "One step of a loop for each unit of the sum.",
        "timing",
        1,
        _one_word_a_unit,
        (([0, 1], [0]),),
    ),
)
