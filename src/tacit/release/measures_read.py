"""The measures of an evaluation, read from the JSON file in which they were written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import inf, nan
from pathlib import Path
from typing import Any, Final

import numpy as np

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Estimates, Keys, OutputColumn, Rendered
from tacit.release.cells import number_cell
from tacit.schema.kind import Kind

_ENDINGS: Final = ("_low", "_high", "_bounded", "_bounded_low", "_bounded_high")
_ACCEPTED: Final = "a file of `tacit learn evaluate … --out evaluation.json`."
_ALL: Final = "all"
SHOWN_DIGEST: Final = 16  # letters of a model's digest in the notes of its evaluation


@frozen(eq=False)
class ReadMeasures:
    """The rows of an evaluation as they stand in the file, and the remarks on them."""

    table: tuple[Mapping[str, Any], ...]
    remarks: tuple[str, ...]

    @classmethod
    def read(cls, place: Path, digest: str) -> ReadMeasures:
        """The evaluation in a file, as `parsed` reads it."""
        try:
            text = place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise Refused(f"the evaluation in {place}", "It cannot be read.", _ACCEPTED) from None
        return cls.parsed(text, digest)

    @classmethod
    def parsed(cls, text: str, digest: str) -> ReadMeasures:
        """The evaluation in a file; refused where it is none, or is of another model than the one with this digest."""
        try:
            whole = json.loads(text)
            rows = tuple(whole["rows"])
            notes = [str(note) for note in whole["notes"]]
            means = str(whole.get("means", ""))
            price = str(whole["price"]["loss"])
            for row in rows:
                if not all(isinstance(value, str | int | float | None) for value in row.values()):
                    raise TypeError
            if len({tuple(row) for row in rows}) != 1:
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise Refused("this evaluation", "It cannot be read.", _ACCEPTED) from None
        if not any(digest[:SHOWN_DIGEST] in note for note in notes):
            raise Refused("this evaluation", "It is of another model.", _ACCEPTED)
        return cls(rows, (*([means] if means else []), *notes, f"{price}."))

    @property
    def head(self) -> list[tuple[str, bool]]:
        """The columns' names, and whether each is a key."""
        names = [name for name in self.table[0] if not name.endswith(_ENDINGS)]
        return [(name, f"{name}_low" not in self.table[0]) for name in names]

    def rows(self) -> Iterator[list[tuple[str, bool]]]:
        """The texts of the cells, row by row: numbers with their intervals."""
        for row in self.table:
            yield [(self._key(row[name]) if is_key else self._cell(row, name), is_key) for name, is_key in self.head]

    def calibration(self) -> list[Rendered]:
        """The shares of all rows by predicted probability, where the file has several."""
        found = [row for row in self.table if isinstance(row.get("predicted"), str) and row["predicted"] != _ALL]
        if len(found) < 2 or "value_low" not in found[0]:
            return []
        ends = np.array([self._numbers(row, "value") for row in found])
        shares = Estimates(ends[:, 0], ends[:, 1], ends[:, 2])
        keys = Keys(tuple(row["predicted"] for row in found), Kind.TEXT)
        return [Rendered((OutputColumn("predicted", keys), OutputColumn(str(found[0].get("measure", "")), shares)))]

    @staticmethod
    def _key(value: Any) -> str:
        return "NULL" if value is None else str(value)

    @classmethod
    def _cell(cls, row: Mapping[str, Any], name: str) -> str:
        return str(number_cell(*cls._numbers(row, name)))

    @staticmethod
    def _numbers(row: Mapping[str, Any], name: str) -> tuple[float, float, float]:
        read = [(row[name], nan), (row[f"{name}_low"], -inf), (row[f"{name}_high"], inf)]
        value, low, high = (float(missing if each is None else each) for each, missing in read)
        return value, low, high
