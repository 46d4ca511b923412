"""The stored release of tables: noisy contrasts, from which every table, and whatever tables imply, is read for free.

Reading is post-processing: a table is the sum of its residuals, each spread back over the axes it lacks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.query.aggregates.clipping_bias import LEVELS
from tacit.query.execution.noisy_table import packed, packed_width, read_key, unpacked, written_key
from tacit.schema.kind import Key
from tacit.workload.helmert import float_contrasts, spread_back, spread_squares, squared_norms
from tacit.workload.residual_basis import Attributes, ResidualStrategy, subsets

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_VERSION = 1
_LENGTH = 4  # bytes of the header's length


@frozen(eq=False)
class NoisyContrasts:
    """The noisy contrasts of one measure: for each residual, integers of `variance`; `scale` units are one step.

    `norm` is the limit in force, `kind` what intervals are about, `masses` and `kept` what the limit cut off and left.
    """

    strategy: ResidualStrategy
    values: Mapping[Attributes, Integers]
    variance: Fraction
    scale: Fraction
    norm: Fraction
    kind: str
    masses: tuple[float, ...] | None = None
    kept: float = 0.0
    _spread: dict[tuple[Attributes, int], Floats] = field(default_factory=dict, init=False, repr=False)

    def table(self, attributes: Attributes) -> Floats:
        """The unbiased estimate of every cell of a table, in steps."""
        found = np.zeros(self.strategy.shape(attributes))
        for residual in subsets(attributes):
            if residual in self.values:
                found += self._evenly(residual, attributes, 1)
        return found

    def variances(self, attributes: Attributes) -> Floats:
        """The exact variance of each cell of a table, in squared steps."""
        found = np.zeros(self.strategy.shape(attributes))
        for residual in subsets(attributes):
            if residual in self.values:
                found += self._evenly(residual, attributes, 2)
        return found

    def answers(self, attributes: Attributes, questions: Floats) -> tuple[Floats, Floats]:
        """The estimates of linear questions over a table's cells (a row a question), and their exact variances."""
        shape = self.strategy.shape(attributes)
        values, variances = np.zeros(len(questions)), np.zeros(len(questions))
        for residual in subsets(attributes):
            if residual not in self.values:
                continue
            axes = tuple(1 + place for place, each in enumerate(attributes) if each not in residual)
            rest = prod(self.strategy.sizes[place] for place in attributes if place not in residual)
            tables = questions.reshape(-1, *shape).sum(axis=axes) / rest
            weights, deviations = self._weights(residual), self._deviations(residual)
            for row, table in enumerate(tables):
                coefficients = float_contrasts(table)
                values[row] += float((coefficients * weights).sum())
                variances[row] += float(((coefficients * deviations) ** 2).sum())
        return values, variances

    def _weights(self, residual: Attributes) -> Floats:
        """What each contrast says, spread back: its value over its squared norm, in steps."""
        return np.asarray(self.values[residual] / self._units(residual))

    def _deviations(self, residual: Attributes) -> Floats:
        return np.asarray(float(self.variance) ** 0.5 / self._units(residual))

    def _units(self, residual: Attributes) -> Floats:
        norms = squared_norms(self.strategy.shape(residual)).astype(np.float64)
        return np.asarray(self.strategy.multipliers(residual) * norms * float(self.scale))

    def _evenly(self, residual: Attributes, attributes: Attributes, power: int) -> Floats:
        """A residual over all axes of a table, evenly over those that it lacks: estimates, or (power 2) variances."""
        if (residual, power) not in self._spread:  # once, for all tables that hold it
            spread = (
                spread_back(self._weights(residual)) if power == 1 else spread_squares(self._deviations(residual) ** 2)
            )
            self._spread[residual, power] = spread
        rest = prod(self.strategy.sizes[place] for place in attributes if place not in residual)
        shape = [self.strategy.sizes[place] if place in residual else 1 for place in attributes]
        return np.asarray(self._spread[residual, power].reshape(shape) / float(rest) ** power)


@frozen(eq=False)
class NoisyTables:
    """All measures of a release of tables by their identities; `domains` are the values of its keys."""

    domains: tuple[tuple[Key | None, ...], ...]
    measures: Mapping[str, NoisyContrasts]
    strength: Fraction

    def to_bytes(self) -> bytes:
        """A closed, versioned form: the length of a JSON header, the header, and the integers."""
        words, listed = [], []
        for identity, each in self.measures.items():
            residuals = []
            for residual, values in each.values.items():
                width = packed_width(values)
                residuals.append([list(residual), each.strategy.scales[residual], width])
                words.append(packed(values, width))
            listed.append([identity, {**_described(each), "residuals": residuals}])
        tree = {
            "version": _VERSION,
            "strength": str(self.strength),
            "domains": [[written_key(key) for key in domain] for domain in self.domains],
            "measures": listed,
        }
        header = json.dumps(tree, separators=(",", ":")).encode()
        return b"".join([len(header).to_bytes(_LENGTH, "little"), header, *words])

    @classmethod
    def from_bytes(cls, payload: bytes) -> NoisyTables:
        begin = _LENGTH + int.from_bytes(payload[:_LENGTH], "little")
        tree = json.loads(payload[_LENGTH:begin])
        if tree["version"] != _VERSION:
            raise Failed
        domains = tuple(tuple(read_key(key) for key in domain) for domain in tree["domains"])
        sizes, measures = tuple(map(len, domains)), {}
        for identity, said in tree["measures"]:
            values: dict[Attributes, Integers] = {}
            for places, _, width in said["residuals"]:
                shape = tuple(sizes[place] - 1 for place in places)
                end = begin + prod(shape) * width
                values[tuple(places)] = unpacked(payload[begin:end], width, shape)
                begin = end
            measures[identity] = _read(said, sizes, values)
        if begin != len(payload):
            raise Failed
        return cls(domains, measures, Fraction(tree["strength"]))


def _described(each: NoisyContrasts) -> dict[str, Any]:
    return {
        "tables": [list(table) for table in each.strategy.tables],
        "variance": str(each.variance),
        "scale": str(each.scale),
        "norm": str(each.norm),
        "kind": each.kind,
        "kept": each.kept,
        "masses": None if each.masses is None else [None if mass == float("inf") else mass for mass in each.masses],
    }


def _read(said: Mapping[str, Any], sizes: Sequence[int], values: Mapping[Attributes, Integers]) -> NoisyContrasts:
    scales = {tuple(places): scale for places, scale, _ in said["residuals"]}
    strategy = ResidualStrategy(tuple(sizes), tuple(tuple(table) for table in said["tables"]), scales)
    masses = said["masses"]
    if masses is not None and len(masses) != len(LEVELS):
        raise Failed
    return NoisyContrasts(
        strategy,
        values,
        Fraction(said["variance"]),
        Fraction(said["scale"]),
        Fraction(said["norm"]),
        said["kind"],
        None if masses is None else tuple(float("inf") if mass is None else mass for mass in masses),
        said["kept"],
    )
