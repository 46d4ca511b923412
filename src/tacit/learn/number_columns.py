"""Columns that count as numbers: each is scaled by its declared bounds, and cut to them, whatever a row holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.clamp import Cut, cut_float
from tacit.query.sql.values.storage import as_float, double_sql
from tacit.query.sql.values.typed import Typed

NUMBER_STEPS: Final = 2**12  # of a number from 0 to 1
MOST_NUMBERS: Final = 1_024  # columns
_WIDEST: Final = 1e300  # beyond, differences are no doubles


@frozen
class NumberColumn:
    """A column of the SELECT as a number: 0 to 1 where its bounds begin at 0, else −1 to 1. NULL is the middle."""

    name: str
    item: str  # the expression, in the analyst's SQL
    low: float
    high: float

    @property
    def origin(self) -> float:
        """What becomes 0."""
        return 0.0 if self.low == 0 else self.low / 2 + self.high / 2

    @property
    def steps(self) -> tuple[int, int, int]:
        """The least and the greatest value, and the middle, in steps of 1/`NUMBER_STEPS`."""
        return (0, NUMBER_STEPS, NUMBER_STEPS // 2) if self.low == 0 else (-NUMBER_STEPS, NUMBER_STEPS, 0)

    def scaled_sql(self, typed: Typed) -> str:
        """The scaled number, as a DOUBLE that nothing bounds yet."""
        unit = double_sql(Fraction(self.high) - Fraction(self.origin))
        return f"(({as_float(typed).sql} - {double_sql(self.origin)}) / {unit})"

    def cut_sql(self, scaled: str) -> Cut:
        """A scaled number in whole steps, within bounds whatever it is."""
        low, high, middle = self.steps
        return cut_float(scaled, Fraction(1, NUMBER_STEPS), low, high, middle)

    def numbers(self, column: Iterable[Any]) -> NDArray[np.int64]:
        """Given values in whole steps, as the database has them; NULL is None or NaN."""
        low, high, middle = self.steps
        try:
            given = np.array([np.nan if each is None else float(each) for each in column], np.float64)
        except (TypeError, ValueError):
            raise Refused(f"a value of {self.name}", "The model reads it as a number.", "numbers.") from None
        scaled = (np.clip(given, self.low, self.high) - self.origin) / (self.high - self.origin)
        whole = np.floor(np.where(np.isnan(scaled), 0.0, scaled) * NUMBER_STEPS + 0.5)
        return np.where(np.isnan(given), middle, np.clip(whole, low, high)).astype(np.int64)

    def fields(self) -> dict[str, Any]:
        """The column for JSON."""
        return {"name": self.name, "item": self.item, "low": self.low, "high": self.high}

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> NumberColumn:
        """The column read from JSON fields."""
        read = cls(said["name"], said["item"], float(said["low"]), float(said["high"]))
        if not -_WIDEST < read.low < read.high < _WIDEST:
            raise ValueError
        return read


def number_column(name: str, item: str, typed: Typed) -> NumberColumn:
    """The column as a number; refused where its bounds are not declared."""
    if not typed.kind.is_number or typed.low is None or typed.high is None or not typed.low < typed.high:
        raise Refused(f"{name} as a number", "No bounds are known by which it is scaled.", "min and max, or a feature.")
    as_double = as_float(typed)
    low, high = float(as_double.low or 0), float(as_double.high or 0)
    if not -_WIDEST < low < high < _WIDEST:
        raise Refused(f"{name} as a number", "Its bounds are too far apart.", "narrower min and max.")
    return NumberColumn(name, item, low, high)


def named_numbers(names: Sequence[str], said: str) -> list[str]:
    """Which columns count as numbers, by names and patterns: `age, pixel_*`."""
    found: dict[str, None] = {}
    for pattern in (each.strip().lower() for each in said.split(",") if each.strip()):
        matched = [name for name in names if fnmatchcase(name, pattern)]
        if not matched:
            raise Refused(f"{pattern} as a number", "The SELECT names no such feature.", "a name, or pixel_* for many.")
        found |= dict.fromkeys(matched)
    if not len(found) <= MOST_NUMBERS:
        why = "All share the noise, and a longer row has more of it."
        raise Refused(f"{len(found):,} columns of numbers", why, f"at most {MOST_NUMBERS:,}.")
    return [name for name in names if name in found]


def refuse_unless_in_sql(settings: Mapping[str, Any]) -> None:
    """Refuse settings of a model that SQL cannot score, before anything is paid for it."""
    if settings.get("numbers"):
        why = "Models are scored in SQL, which a model of numbers is not."
        raise Refused("scores of a model of numbers", why, "`tacit learn fit`, and predictions of rows that you hold.")


def listed_numbers(columns: Sequence[NumberColumn], named: Mapping[str, Sequence[Any]]) -> NDArray[np.int16]:
    """Rows × columns, in whole steps, of rows given by columns."""
    return np.column_stack([each.numbers(named[each.name]) for each in columns]).astype(np.int16)
