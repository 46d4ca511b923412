"""Cells as text: a number with its error, a key as it is written, and the spelling whose digest a certificate signs.

The canonical spelling has every shown row, in exact decimals: no withheld groups, none that HAVING or LIMIT removed,
and not the order of rows. A reader of the answer can compute it again. It is JSON without spaces, its names sorted, in
ASCII: `columns` are the names; `confidence` is that of the intervals, as a fraction; each of the `rows` has a text (or
null) for a key, and three texts for a number, the value and its two ends: all their decimal digits (a double has
finitely many), or null where a number is unknown, and a noisy time as a key's text; three more follow where the answer
has `c_bounded` too. Rows are sorted by the spelling of their keys, then by their own.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isinf, isnan
from typing import Final, TypeAlias

from tacit.frozen import frozen
from tacit.printable import printable
from tacit.query.post_noise.estimates import Estimates, Keys, OutputColumn, Rendered
from tacit.schema.kind import Key
from tacit.words import number

TOO_FEW: Final = "too few to say"
_LOPSIDED: Final = 0.02  # an interval is written with ± if its two sides differ by at most this share
_LONGEST: Final = 60


@frozen
class Cell:
    """The text of a cell: `value`, which is aligned in its column, and the text after it."""

    value: str
    rest: str = ""
    is_words: bool = False

    def __str__(self) -> str:
        return self.value + self.rest


def cells(column: OutputColumn) -> list[Cell]:
    """The column's cells."""
    if isinstance(column.values, Keys):
        return [Cell(text, is_words=True) for text in key_texts(column.values)]
    found = number_cells(column.values)
    if not column.is_derived:
        return found
    return [
        Cell("NULL", is_words=True) if isnan(value) else cell
        for value, cell in zip(column.values.value, found, strict=True)
    ]


def _time_cells(times: Estimates) -> list[Cell]:
    """The cells of noisy times, each with its two ends."""
    shown, lows, highs = (key_texts(each) for each in times.times)
    ends = (f" ({low} to {high})" for low, high in zip(lows, highs, strict=True))
    is_known = [value is not None for value in times.times[0].values]
    return [
        Cell(text if known else TOO_FEW, end, is_words=True)
        for text, end, known in zip(shown, ends, is_known, strict=True)
    ]


def cells_of(rendered: Rendered) -> list[list[Cell]]:
    """The cells of every column; those of a column for publication are numbers too."""
    return [
        [_published(cell) for cell in cells(column)] if rendered.is_published(column) else cells(column)
        for column in rendered.columns
    ]


def _published(cell: Cell) -> Cell:
    return Cell(f"{int(cell.value):,}") if cell.value.isdecimal() else cell


def number_cells(numbers: Estimates) -> list[Cell]:
    """The cells of numbers, and of noisy times."""
    if numbers.time is not None:
        return _time_cells(numbers)
    ends = zip(numbers.value, numbers.low, numbers.high, strict=True)
    return [number_cell(float(value), float(low), float(high), whole=numbers.whole) for value, low, high in ends]


def number_cell(value: float, low: float, high: float, *, whole: bool = False) -> Cell:
    """A number and its interval: ± where it is symmetric, from–to where not, and words where there is no number."""
    known = _known(low, high)
    if isnan(value):
        return Cell(TOO_FEW, f" ({known})" if known else "", is_words=True)
    if low == value == high:
        return Cell(number(value + 0.0, 0))
    if not (isfinite(low) and isfinite(high)):
        away = max((abs(value - end) for end in (low, high) if isfinite(end)), default=abs(value) / 100)
        return Cell(number(value + 0.0, 0 if whole else away), f" ({known or 'no bound known'})")
    half = (high - low) / 2
    if abs((high - value) - (value - low)) <= _LOPSIDED * half:
        shown = number(value + 0.0, half)
        return Cell(shown, f" ± {_like(shown, half)}")
    return Cell(number(value + 0.0, half), f" ({known})")


def _like(shown: str, half: float) -> str:
    """A half width with as many digits as the number it belongs to."""
    digits = len(shown.partition(".")[2])
    return f"{half:,.{digits}f}" if digits and "e" not in shown else number(half, half)


def _known(low: float, high: float) -> str:
    """An interval in words where there is no number."""
    half = (high - low) / 2
    if isinf(low) and isinf(high):
        return ""
    if isinf(high):
        return f"at least {number(low + 0.0, 0)}"
    if isinf(low):
        return f"at most {number(high + 0.0, 0)}"
    return f"{number(low + 0.0, half)} to {number(high + 0.0, half)}"


def key_texts(keys: Keys) -> list[str]:
    """Keys as text; timestamps that are all midnights are written as days."""
    moments = [value for value in keys.values if isinstance(value, datetime)]
    days = all(moment.time() == time() for moment in moments)
    return [_key_text(value, days) for value in keys.values]


def _key_text(value: Key | float | None, days: bool) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.date().isoformat() if days else value.isoformat(sep=" ")
    if isinstance(value, float):
        return f"{value + 0.0:.12g}"
    text = printable(str(value))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def is_exact(column: OutputColumn) -> bool:
    """Whether every number of the column is exact."""
    numbers = column.values
    return not isinstance(numbers, Estimates) or bool((numbers.low == numbers.high).all())


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
    if values.time is not None:
        spelled = [[_key(time) for time in end.values] for each in shown for end in each.times]
        return [list(cell) for cell in zip(*spelled, strict=True)]
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
