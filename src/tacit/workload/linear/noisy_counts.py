"""The stored release of counting questions: noisy measurements with their strategy, and every answer read from them."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias
from tacit.query.execution.noisy_table import packed, packed_width, unpacked
from tacit.query.plans.limit import IntervalKind
from tacit.workload.factorisation.integer_strategy import IntegerStrategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix
from tacit.workload.table_reading import ReadSum

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_VERSION = 1
_LENGTH = 4  # bytes of the header's length


@frozen(eq=False)
class NoisyCounts:
    """The measurements, as integers with noise of `variance`; `scale` units are one step of what is added up.

    `norm` is the limit of one person in steps, `kind` what intervals are about, `bias` what the limit cut off.
    """

    transform: Integers
    values: Integers
    variance: Fraction
    scale: Fraction
    norm: Fraction
    kind: IntervalKind
    bias: ClippingBias | None
    optimum_down: Fraction
    strength: Fraction

    def strategy(self, questions: QuestionMatrix) -> IntegerStrategy:
        """The strategy for the questions that it was made for."""
        return IntegerStrategy(questions, self.transform)

    @cached_property
    def _steps(self) -> Floats:
        return np.asarray(self.values / float(self.scale))

    def read(self, readings: Floats, *, is_bounded: bool = False) -> ReadSum:
        """Answers by their readings, a row each: unbiased, with the deviations of the joint noise."""
        deviation = float(self.variance) ** 0.5 / float(self.scale)
        deviations = deviation * np.sqrt((readings**2).sum(axis=1))
        bias, shift = (None, 0.0) if is_bounded or self.bias is None else _cut(self.bias)
        steps = readings @ self._steps
        return ReadSum(steps, deviations, bias, steps * (1 + shift))

    def to_bytes(self) -> bytes:
        """A closed, versioned form: the length of a JSON header, the header, and the integers."""
        widths = [packed_width(self.transform), packed_width(self.values)]
        tree = {
            "version": _VERSION,
            "side": len(self.values),
            "widths": widths,
            "variance": str(self.variance),
            "scale": str(self.scale),
            "norm": str(self.norm),
            "kind": self.kind.value,
            "bias": None if self.bias is None else _written(self.bias),
            "optimum": str(self.optimum_down),
            "strength": str(self.strength),
        }
        header = json.dumps(tree, separators=(",", ":")).encode()
        words = [packed(self.transform, widths[0]), packed(self.values, widths[1])]
        return b"".join([len(header).to_bytes(_LENGTH, "little"), header, *words])

    @classmethod
    def from_bytes(cls, payload: bytes) -> NoisyCounts:
        begin = _LENGTH + int.from_bytes(payload[:_LENGTH], "little")
        tree = json.loads(payload[_LENGTH:begin])
        if tree["version"] != _VERSION:
            raise Failed
        side, (wide, narrow) = tree["side"], tree["widths"]
        middle = begin + side * side * wide
        bias = None if tree["bias"] is None else _read(tree["bias"])
        return cls(
            unpacked(payload[begin:middle], wide, (side, side)),
            unpacked(payload[middle:], narrow, (side,)),
            Fraction(tree["variance"]),
            Fraction(tree["scale"]),
            Fraction(tree["norm"]),
            IntervalKind(tree["kind"]),
            bias,
            Fraction(tree["optimum"]),
            Fraction(tree["strength"]),
        )


def _cut(bias: ClippingBias) -> tuple[ClippingBias, float]:
    """The clipping bias, and its median relative to the amounts within the limit, by which every answer is raised."""
    each = ClippingBias(bias.masses, bias.kept, is_grouped=True)
    if each.is_unknown:
        return each, 0.0
    return each, float(np.interp(0.5, LEVELS, each.masses)) / max(each.kept, 1e-12)


def _written(bias: ClippingBias) -> dict[str, Any]:
    masses = None if bias.is_unknown else [float(f"{mass:.6g}") for mass in bias.masses]
    return {"masses": masses, "kept": float(f"{bias.kept:.6g}")}


def _read(said: dict[str, Any]) -> ClippingBias:
    masses = np.full(len(LEVELS), np.inf) if said["masses"] is None else np.array(said["masses"], np.float64)
    if masses.shape != LEVELS.shape:
        raise Failed
    return ClippingBias(masses, said["kept"], False)
