"""The result of a run: noisy integers by group, all that is stored of the data, and the answers from them.

Integers are stored little-endian, each as wide as the widest needs. Reading aggregates with their errors is
post-processing, and may be repeated at no cost. An engine's columns are read as whole numbers, and its keys as Python
values in an order that depends only on them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias
from tacit.query.engines.protocol import Fetched
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.post_noise.estimates import Groups, Keys
from tacit.schema.kind import Key, Kind

_VERSION = 2
_LENGTH = 4  # bytes of the header's length


@frozen(eq=False)
class NoisyColumn:
    """One part's noisy integers: one number per group, or for ranks one row of tree counts per group.

    `law` is the noise in every place, `scale` the units of the law for one step (or row), `norm` the limit in force.
    `interval` is the kind of its interval, and `bias` the clipping bias, where the interval includes it.
    """

    values: NDArray[np.int64]
    law: RoundedGaussian | DiscreteLaplace
    scale: Fraction
    norm: Fraction
    interval: IntervalKind = IntervalKind.BOUNDED
    bias: ClippingBias | None = None


@frozen(eq=False)
class NoisyTable:
    """Noisy integers, group by group, by the identity of the part they are of.

    `keys` lists the groups where keys are private; public ones are in the plan. Everything in it is already private.
    """

    keys: tuple[tuple[Key | None, ...], ...] | None
    columns: Mapping[str, NoisyColumn]
    strength: Fraction  # strength of the noise on each column, for comparison with later requests

    def to_bytes(self) -> bytes:
        """A closed, versioned form: the length of a JSON header, the header, and the integers of each column."""
        widths = {part: packed_width(column.values) for part, column in self.columns.items()}
        tree = {
            "version": _VERSION,
            "strength": str(self.strength),
            "keys": None if self.keys is None else [[written_key(key) for key in group] for group in self.keys],
            "columns": [[part, _described(column, widths[part])] for part, column in self.columns.items()],
        }
        header = json.dumps(tree, separators=(",", ":")).encode()
        words = [packed(column.values, widths[part]) for part, column in self.columns.items()]
        return b"".join([len(header).to_bytes(_LENGTH, "little"), header, *words])

    @classmethod
    def from_bytes(cls, payload: bytes) -> NoisyTable:
        begin = _LENGTH + int.from_bytes(payload[:_LENGTH], "little")
        tree = json.loads(payload[_LENGTH:begin])
        if tree["version"] != _VERSION:
            raise Failed
        columns = {}
        for part, described in tree["columns"]:
            end = begin + prod(described["shape"]) * described["width"]
            columns[part] = _column(described, payload[begin:end])
            begin = end
        if begin != len(payload):
            raise Failed
        keys = tree["keys"]
        return cls(
            None if keys is None else tuple(tuple(read_key(key) for key in group) for group in keys),
            columns,
            Fraction(tree["strength"]),
        )


def _described(column: NoisyColumn, width: int) -> dict[str, Any]:
    is_gaussian = isinstance(column.law, RoundedGaussian)
    size = column.law.variance if isinstance(column.law, RoundedGaussian) else column.law.scale
    return {
        "law": ["rounded gaussian" if is_gaussian else "discrete laplace", str(size)],
        "scale": str(column.scale),
        "norm": str(column.norm),
        "shape": list(column.values.shape),
        "width": width,
        **({} if column.interval is IntervalKind.BOUNDED else {"interval": column.interval.value}),
        **({} if column.bias is None else {"bias": _bias(column.bias)}),
    }


def _bias(bias: ClippingBias) -> dict[str, Any]:
    masses = None if bias.is_unknown else [float(mass) for mass in bias.masses]
    return {"masses": masses, "kept": float(bias.kept), "is_grouped": bias.is_grouped}


def _read_bias(written: Mapping[str, Any] | None) -> ClippingBias | None:
    if written is None:
        return None
    masses = np.full(len(LEVELS), np.inf) if written["masses"] is None else np.array(written["masses"], np.float64)
    if masses.shape != LEVELS.shape:
        raise Failed
    return ClippingBias(masses, written["kept"], written["is_grouped"])


def _column(described: Mapping[str, Any], words: bytes) -> NoisyColumn:
    name, size = described["law"]
    law = {"rounded gaussian": RoundedGaussian, "discrete laplace": DiscreteLaplace}[name](Fraction(size))
    if not isinstance(law, (RoundedGaussian, DiscreteLaplace)):
        raise Failed
    values = unpacked(words, described["width"], tuple(described["shape"]))
    scale, norm = Fraction(described["scale"]), Fraction(described["norm"])
    interval = IntervalKind(described.get("interval", IntervalKind.BOUNDED.value))  # older releases are all bounded
    return NoisyColumn(values, law, scale, norm, interval, _read_bias(described.get("bias")))


def written_key(key: Key | None) -> Mapping[str, object] | None:
    if key is None:
        return None
    if isinstance(key, datetime):
        return {"timestamp": key.isoformat()}
    if isinstance(key, date):
        return {"date": key.isoformat()}
    return {type(key).__name__: key}


def read_key(written: Mapping[str, object] | None) -> Key | None:
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


_WORD = 8


def packed_width(values: NDArray[np.int64]) -> int:
    """The number of bytes for each of them, including the sign: 1 to 8."""
    reach = max((max(int(values.max()), ~int(values.min())) if values.size else 0), 0)
    return reach.bit_length() // 8 + 1


def packed(values: NDArray[np.int64], width: int) -> bytes:
    """The integers, one after the other, `width` bytes each."""
    words = np.ascontiguousarray(values, "<i8").ravel()
    return words.view(np.uint8).reshape(-1, _WORD)[:, :width].tobytes()


def unpacked(octets: bytes, width: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """The inverse of `packed`."""
    many = int(np.prod(shape, dtype=np.int64))
    if not (1 <= width <= _WORD and len(octets) == many * width):
        raise Failed
    words = np.zeros((many, _WORD), np.uint8)
    words[:, _WORD - width :] = np.frombuffer(octets, np.uint8).reshape(many, width)
    shifted = words.view("<i8").astype(np.int64) >> (8 * (_WORD - width))  # which extends the sign
    return np.asarray(shifted.reshape(shape))


def answered(plan: Plan, table: NoisyTable, *, is_bounded: bool = False) -> Groups:
    """The groups of a release, every aggregate read from the noisy integers; with bounded intervals on request."""
    columns = {part: table.columns[plan.identity(part)] for part in plan.question.parts}
    noisy = {
        part: part.noisy(column.values, column.law, column.scale, None if is_bounded else column.bias)
        for part, column in columns.items()
    }
    groups = (plan.groups if table.keys is None else list(table.keys)) or []
    keys = {
        key.name: Keys(
            tuple(_shown(group[place], key.scale) for group in groups),
            Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind,
        )
        for place, key in enumerate(plan.question.keys)
    }
    aggregates = {name: aggregate.read(noisy) for name, aggregate in plan.question.aggregates.items()}
    return Groups(keys, aggregates, len(groups))


def _shown(key: Key | None, scale: int) -> Key | float | None:
    return key / 10**scale if scale and isinstance(key, int) else key


_WORDS: Final = {"int32": np.int32, "int64": np.int64}  # types that need no cast

Group: TypeAlias = tuple[Key | None, ...]


def key_columns(table: Fetched, keys: int) -> list[list[Key | None]]:
    """The key columns k0 … of an engine's table."""
    return [[_key(value) for value in _values(table, f"k{place}")] for place in range(keys)]


def _values(table: Fetched, name: str) -> Sequence[Any]:
    return table[name] if isinstance(table, Mapping) else table.column(name).to_pylist()


def _key(value: Key | Decimal | None) -> Key | None:
    """An integer of more than 64 bits comes as a decimal without digits after the point."""
    return int(value) if isinstance(value, Decimal) else value


def integers(table: Fetched, name: str) -> NDArray[np.int64]:
    """A column of whole numbers without NULLs, read from its buffer: Arrow's conversions are slow to load."""
    if isinstance(table, Mapping):
        return np.array(table[name], np.int64)
    column = table.column(name)
    words = np.dtype(_WORDS.get(str(column.type), np.int64))
    chunks = (column if str(column.type) in _WORDS else column.cast("int64")).chunks
    parts = [np.frombuffer(c.buffers()[1], words, len(c), words.itemsize * c.offset) for c in chunks if len(c)]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64, copy=False)


def in_group_order(columns: Sequence[Sequence[Key | None]]) -> list[Group]:
    """The groups, sorted by their keys, NULL last."""
    return sorted(zip(*columns, strict=True), key=lambda group: [(key is None, key) for key in group])
