"""The canonical spelling of an answer, whose digest a certificate signs: every shown row, in exact decimals.

It contains only the rows shown: no withheld groups, none that HAVING or LIMIT removed, and not the order of rows. A
reader of the answer can compute it again. It is JSON without spaces, its names sorted, in ASCII: `columns` are the
names; `confidence` is that of the intervals, as a fraction; each of the `rows` has a text (or null) for a key, and
three texts for a number, the value and its two ends: all their decimal digits (a double has finitely many), or null
where a number is unknown; three more follow where the answer has `c_bounded` too. Rows are sorted by the spelling of
their keys, then by their own.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

from tacit.query.post_noise.estimates import Keys, OutputColumn, Rendered
from tacit.schema.kind import Key

_Cell: TypeAlias = str | list[str | None] | None


def canonical_text(rendered: Rendered, confidence: Fraction) -> str:
    """The answer in its canonical spelling."""
    cells = [_cells(column) for column in rendered.columns]
    keys = [place for place, column in enumerate(rendered.columns) if column.is_key]
    rows = [list(row) for row in zip(*cells, strict=True)]
    rows.sort(key=lambda row: (_spelled([row[place] for place in keys]), _spelled(row)))
    names = [column.name for column in rendered.columns]
    return _spelled({"columns": names, "confidence": str(confidence), "rows": rows})


def canonical_digest(rendered: Rendered, confidence: Fraction) -> str:
    """The SHA-256 of that spelling, in hex."""
    return hashlib.sha256(canonical_text(rendered, confidence).encode("ascii")).hexdigest()


def _cells(column: OutputColumn) -> list[_Cell]:
    values = column.values
    if isinstance(values, Keys):
        return [_key(value) for value in values.values]
    shown = [values] if column.bounded is None else [values, column.bounded]
    ends = [end.tolist() for each in shown for end in (each.value, each.low, each.high)]
    return [[_digits(end) for end in cell] for cell in zip(*ends, strict=True)]


def _key(value: Key | float | None) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _digits(value)
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return None if value is None else str(value)


def _digits(value: float) -> str | None:
    return format(Decimal(value + 0.0), "f") if isfinite(value) else None


def _spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
