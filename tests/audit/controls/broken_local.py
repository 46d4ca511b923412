"""Broken local reports: each reveals more than its claimed ε."""

from __future__ import annotations

from math import exp

import numpy as np
from tests.audit.controls.broken_control import Control, Many, broken, floats, one_of_many

from tacit.audit.subject import Data, Outputs
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits

_OPTIONS = 8


def _rappor(data: Data, count: int, bits: Bits) -> Outputs:
    rows = (floats(bits).random((count, _OPTIONS)) < 0.25).astype(np.int64)
    rows[:, data] = 1  # the true bit is never flipped
    return rows


def _forced_one_way(data: Data, count: int, bits: Bits) -> Outputs:
    return np.where(floats(bits).random(count) < 0.5, 1, data)


def _unmemoised(data: Data, count: int, bits: Bits) -> Outputs:
    keep = exp(1) / (1 + exp(1))
    made: Outputs = np.where(floats(bits).random((count, 10)) < keep, data, 1 - data)
    return made


def _wrong_options(data: Data, count: int, bits: Bits) -> Outputs:
    generator = floats(bits)
    others = generator.integers(1, _OPTIONS, count)
    made: Outputs = np.where(generator.random(count) < exp(1) / (1 + exp(1)), data, (data + others) % _OPTIONS)
    return made


def _modulo(data: Data, count: int, bits: Bits) -> Outputs:
    keep = exp(0.5) / (exp(0.5) + 11)
    others = (bits.octets(count).astype(np.int64) & 15) % 11
    made: Outputs = np.where(floats(bits).random(count) < keep, data, others + (others >= data))
    return made


def _half_precision(data: Data, count: int, bits: Bits) -> Outputs:
    noise = floats(bits).laplace(0, 2, count).astype(np.float16)
    return (np.float16(data) + noise).astype(np.float64)


def _flips_by_value(data: Data, count: int, bits: Bits) -> Outputs:
    rows = floats(bits).random((count, _OPTIONS)) < 0.4
    rows[:, data] = floats(bits).random(count) < 0.9
    return rows.astype(np.int64)


def _list_experiment(data: Data, count: int, bits: Bits) -> Outputs:
    made: Outputs = data + floats(bits).binomial(3, 0.5, count)
    return made


def _control(name: str, note: str, found_by: str, epsilon: str, many: Many, one: Data, other: Data) -> Control:
    pairs, release = ((one, other),), one_of_many(many)
    return broken(name, note, found_by, epsilon, release, pairs, relation=Relation.REPLACE, many=many)


LOCAL: tuple[Control, ...] = (
    _control("RAPPOR that never flips", "The true bit is always set (R45).", "bits", "2", _rappor, 0, 1),
    _control(
        "forced response, one way",
        "A no is never forced: whoever says no means it.",
        "bits",
        "2",
        _forced_one_way,
        0,
        1,
    ),
    _control("unmemoised reports", "Ten fresh reports at the price of one (R45).", "exclusive", "1", _unmemoised, 0, 1),
    _control(
        "K-ary with the odds of two",
        "The truth with e^ε/(1+e^ε) among eight options.",
        "black box",
        "1",
        _wrong_options,
        0,
        1,
    ),
    _control(
        "modulo-biased",
        "The eleven other options by four bits modulo 11: some twice as likely.",
        "black box",
        "0.5",
        _modulo,
        0,
        9,
    ),
    _control("half-precision Laplace", "Noise and sum in 16-bit floats.", "bits", "1", _half_precision, 0.0, 1.5),
    _control(
        "unary with one rate too high",
        "The true bit is set with 9/10, others with 4/10.",
        "black box",
        "1",
        _flips_by_value,
        0,
        1,
    ),
    _control("list experiment", "Who counts all items of the list has the trait.", "bits", "3", _list_experiment, 0, 1),
)
