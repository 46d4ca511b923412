"""A table that a caller holds, as a data set: a description made of declarations, and the rows as Arrow columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.words import quoted

TARGET: Final = "target"
_UNIT: Final = "unit_id"
_TABLE: Final = "rows"
_TYPES: Final[Mapping[type, str]] = {bool: "bool", int: "int", str: "text"}
_ARROW: Final = {"bool": pa.bool_(), "int": pa.int64(), "text": pa.string(), "float": pa.float64()}
_NUMBERS: Final = (int, float)


@frozen(eq=False)
class DeclaredColumn:
    """A column with declared bounds, or with declared keys; `name` is its name in SQL."""

    name: str
    bounds: tuple[float, float] | None
    keys: tuple[Any, ...] | None

    @classmethod
    def of(cls, name: str, label: object, bounds: object, keys: Sequence[Any] | None) -> DeclaredColumn:
        """The column; refused where neither bounds nor keys are declared, or both."""
        if (bounds is None) == (keys is None):
            why = "Whoever has not seen the rows must know which values there can be."
            raise Refused(f"the column {label}", why, "bounds=(low, high), or keys=[…], for each column.")
        if keys is not None:
            if len({type(key) for key in keys}) != 1 or type(keys[0]) not in _TYPES:
                raise Refused(f"the keys of {label}", "They are no values of one type.", "texts, integers or booleans.")
            return cls(name, None, tuple(keys))
        low, high = bounds if isinstance(bounds, tuple | list) and len(bounds) == 2 else (None, None)
        if not (isinstance(low, _NUMBERS) and isinstance(high, _NUMBERS) and low < high):
            raise Refused(f"the bounds of {label}", "They are no two numbers, the lower first.", "(0, 100).")
        return cls(name, (float(low), float(high)), None)

    @property
    def type(self) -> str:
        return "float" if self.keys is None else _TYPES[type(self.keys[0])]

    @property
    def toml(self) -> str:
        """Its line in the description."""
        if self.bounds is not None:
            return f'{self.name} = {{ type = "float", min = {self.bounds[0]!r}, max = {self.bounds[1]!r} }}'
        if self.type == "bool":
            return f'{self.name} = {{ type = "bool" }}'
        listed = ", ".join(quoted(key) if isinstance(key, str) else repr(key) for key in self.keys or ())
        return f'{self.name} = {{ type = "{self.type}", keys = [{listed}] }}'

    def values(self, column: Sequence[Any]) -> list[Any]:
        """Values of plain types; None for what is missing or not declared."""
        if self.keys is None:
            return [None if each is None or each != each else float(each) for each in column]
        known = {key: key for key in self.keys}
        return [None if each != each else known.get(each) for each in column]


@frozen(eq=False)
class DeclaredTable:
    """Declared columns, whose rows hide the units of an identifier, or single rows; and the account that pays.

    The account is that of `name` in the ledger: all tables that are opened under one name share one budget.
    """

    name: str
    hides: str
    budget: tuple[Number, Number]
    ledger: str | Path | None
    columns: tuple[DeclaredColumn, ...]
    has_unit: bool

    @contextmanager
    def opened(self, rows: Mapping[str, Sequence[Any]], units: Sequence[Any] | None) -> Iterator[Dataset]:
        """The data set of these rows."""
        columns = {each.name: pa.array(each.values(rows[each.name]), _ARROW[each.type]) for each in self.columns}
        if units is not None:
            columns[_UNIT] = pa.array([None if each != each else str(each) for each in units], pa.string())
        with TemporaryDirectory(prefix="tacit-") as folder:
            place = Path(folder) / "table.toml"
            place.write_text(self._description, encoding="utf-8")
            with open_dataset(place, ledger=self.ledger, frames={_TABLE: pa.table(columns)}) as dataset:
                yield dataset

    @property
    def sql(self) -> str:
        """The SELECT of the target and all features."""
        return f"SELECT {', '.join(each.name for each in self.columns)} FROM {_TABLE}"

    @property
    def _description(self) -> str:
        unit = f'id = "{_UNIT}"' if self.has_unit else "row = true"
        epsilon, delta = self.budget
        lines = [
            "[dataset]",
            f"name = {quoted(self.name)}",
            f"unit = {{ {unit}, hides = {quoted(self.hides)} }}",
            f"budget = {{ epsilon = {epsilon}, delta = {delta} }}",
            "floor = 0",
            f"[tables.{_TABLE}]",
            'source = "frame"',
            f"[tables.{_TABLE}.columns]",
            *(each.toml for each in self.columns),
        ]
        return "\n".join(lines) + "\n"


def columns_of(table: Any) -> tuple[list[Any], list[Sequence[Any]]]:
    """The labels and the values of a pandas, Polars or Arrow table, or of an array of two dimensions."""
    if isinstance(table, pa.Table):
        return list(table.column_names), [column.to_pylist() for column in table.columns]
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        return list(table.columns), [np.asarray(table[label], dtype=object).tolist() for label in table.columns]
    array = np.asarray(table)
    return list(range(array.shape[1])), [array[:, place].tolist() for place in range(array.shape[1])]
