"""What a run leaves: noisy integers by group, all that is ever stored or shown of the data."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.rounded_gaussian import RoundedGaussian
from tacit.schema.kind import Key

_VERSION = 1


@dataclass(frozen=True, eq=False)
class NoisyColumn:
    """One part's noisy integers: a number a group, or for ranks a row of tree counts a group.

    `law` is the noise in every place, `scale` the units of the law for one step (or row), `norm` the limit in force.
    """

    values: NDArray[np.int64]
    law: RoundedGaussian | DiscreteLaplace
    scale: Fraction
    norm: Fraction


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Noisy integers, group by group, by the identity of the part they are of.

    `keys` lists the groups where keys are private; public ones are in the plan. Everything in it is private already.
    """

    keys: tuple[tuple[Key | None, ...], ...] | None
    columns: Mapping[str, NoisyColumn]
    strength: Fraction  # of the noise on each column: what a later request is compared with

    def to_bytes(self) -> bytes:
        """A closed, versioned form: JSON with packed integers, compressed."""
        tree = {
            "version": _VERSION,
            "strength": str(self.strength),
            "keys": None if self.keys is None else [[_written(key) for key in group] for group in self.keys],
            "columns": {part: _packed(column) for part, column in self.columns.items()},
        }
        return zlib.compress(json.dumps(tree, separators=(",", ":")).encode(), 1)

    @classmethod
    def from_bytes(cls, payload: bytes) -> NoisyTable:
        tree = json.loads(zlib.decompress(payload))
        if tree["version"] != _VERSION:
            raise Failed
        keys = tree["keys"]
        return cls(
            None if keys is None else tuple(tuple(_read(key) for key in group) for group in keys),
            {part: _unpacked(column) for part, column in tree["columns"].items()},
            Fraction(tree["strength"]),
        )


def _packed(column: NoisyColumn) -> dict[str, Any]:
    is_gaussian = isinstance(column.law, RoundedGaussian)
    size = column.law.variance if isinstance(column.law, RoundedGaussian) else column.law.scale
    return {
        "law": ["rounded gaussian" if is_gaussian else "discrete laplace", str(size)],
        "scale": str(column.scale),
        "norm": str(column.norm),
        "shape": list(column.values.shape),
        "words": b64encode(column.values.astype("<i8").tobytes()).decode(),
    }


def _unpacked(tree: Mapping[str, Any]) -> NoisyColumn:
    name, size = tree["law"]
    law = {"rounded gaussian": RoundedGaussian, "discrete laplace": DiscreteLaplace}[name](Fraction(size))
    if not isinstance(law, (RoundedGaussian, DiscreteLaplace)):
        raise Failed
    values = np.frombuffer(b64decode(tree["words"]), "<i8").astype(np.int64).reshape(tree["shape"])
    return NoisyColumn(values, law, Fraction(tree["scale"]), Fraction(tree["norm"]))


def _written(key: Key | None) -> Mapping[str, object] | None:
    if key is None:
        return None
    if isinstance(key, datetime):
        return {"timestamp": key.isoformat()}
    if isinstance(key, date):
        return {"date": key.isoformat()}
    return {type(key).__name__: key}


def _read(written: Mapping[str, object] | None) -> Key | None:
    if written is None:
        return None
    ((tag, value),) = written.items()
    if tag == "timestamp":
        return datetime.fromisoformat(str(value))
    if tag == "date":
        return date.fromisoformat(str(value))
    if tag not in ("bool", "int", "str") or not isinstance(value, (bool, int, str)):
        raise Failed
    return value
