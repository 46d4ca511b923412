"""The stored release of tables: noisy contrasts, from which every table, and every implied answer, is read for free.

Reading is post-processing (`table_estimates`): a table is the sum of its residuals, spread back over the axes it lacks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, repeat
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.query.aggregates.clipping_bias import LEVELS
from tacit.query.execution.noisy_table import packed, packed_width, read_key, unpacked, written_key
from tacit.schema.kind import Key
from tacit.workload.residual_basis import Attributes, ResidualStrategy
from tacit.workload.table_estimates import KnownSum, TableEstimates
from tacit.workload.tree import NO_TREE, LevelTree

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

    @cached_property
    def estimates(self) -> TableEstimates:
        """The estimates of the tables without public numbers."""
        return self.conditioned(())

    def conditioned(self, known: Sequence[KnownSum]) -> TableEstimates:
        """The estimates of the tables conditioned on public numbers."""
        return TableEstimates(self.strategy, self.values, self.variance, self.scale, known)

    def table(self, attributes: Attributes) -> Floats:
        """The unbiased estimate of every cell of a table, in steps."""
        return self.estimates.table(attributes)

    def variances(self, attributes: Attributes) -> Floats:
        """The exact variance of each cell of a table, in squared steps."""
        return self.estimates.variances(attributes)

    def answers(self, attributes: Attributes, questions: Floats) -> tuple[Floats, Floats]:
        """The estimates of linear questions over a table's cells (a row a question), and their exact variances."""
        return self.estimates.answers(attributes, questions)


@frozen(eq=False)
class NoisyTables:
    """All measures of a release of tables by their identities; `domains` are the values of its keys."""

    domains: tuple[tuple[Key | None, ...], ...]
    measures: Mapping[str, NoisyContrasts]
    strength: Fraction
    tree: LevelTree = NO_TREE

    def shape(self, attributes: Attributes) -> tuple[int, ...]:
        """The sizes of a table's axes."""
        depth = self.tree.depth(attributes)
        flat = tuple(len(self.domains[place]) for place in self.tree.flat(attributes))
        return (self.tree.size(depth), *flat) if depth else flat

    def columns(self, attributes: Attributes) -> dict[int, tuple[Key | None, ...]]:
        """The values of a table's keys, by their places, in every cell: nodes of its deepest level first."""
        depth, size = self.tree.depth(attributes), prod(self.shape(attributes))
        paths, found, within = (
            self.tree.paths(depth),
            dict[int, tuple[Key | None, ...]](),
            size // self.tree.size(depth),
        )
        for axis, place in enumerate(self.tree.places[:depth]):
            values = (self.domains[place][path[axis]] for path in paths)
            found[place] = tuple(chain.from_iterable(repeat(value, within) for value in values))
        for place in self.tree.flat(attributes):
            domain = self.domains[place]
            within //= len(domain)  # cells of one value of this key and those before it
            column = tuple(chain.from_iterable(repeat(value, within) for value in domain))
            found[place] = column * (size // len(column))
        return found

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
            "tree": [self.tree.places, self.tree.codes, self.tree.parents],
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
        places, codes, parents = tree["tree"]
        levels = LevelTree(tuple(places), tuple(map(tuple, codes)), tuple(map(tuple, parents)))
        sizes, measures = tuple(map(len, domains)), {}
        for identity, said in tree["measures"]:
            strategy, values = _strategy(said, sizes, levels), dict[Attributes, Integers]()
            for places, _, width in said["residuals"]:
                shape = strategy.values_shape(tuple(places))
                end = begin + prod(shape) * width
                values[tuple(places)] = unpacked(payload[begin:end], width, shape)
                begin = end
            measures[identity] = _read(said, strategy, values)
        if begin != len(payload):
            raise Failed
        return cls(domains, measures, Fraction(tree["strength"]), levels)


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


def _strategy(said: Mapping[str, Any], sizes: tuple[int, ...], tree: LevelTree) -> ResidualStrategy:
    scales = {tuple(places): scale for places, scale, _ in said["residuals"]}
    return ResidualStrategy(sizes, tuple(tuple(table) for table in said["tables"]), scales, tree)


def _read(said: Mapping[str, Any], strategy: ResidualStrategy, values: Mapping[Attributes, Integers]) -> NoisyContrasts:
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
