"""The columns of a model as public numbers: a number from −1 to 1 by its declared bounds, a key as one of its levels.

Only complete rows count: one with NULL, or with a value that is not declared, is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import ModelFeature, literal, parsed_expression
from tacit.learn.training_text import TrainingTarget, named_items, parsed_rows
from tacit.query.sql.clamp import Cut, cut, cut_float
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.from_clause import read_rows
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import as_float, double_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.kind import Key, Kind

Floats = NDArray[np.float64]

STEPS: Final = 2**12  # of a number scaled to 1
MOST_ROWS: Final = 1_000  # that one person may count for
MOST_NUMBERS: Final = 32
MOST_LEVELS: Final = 1_000  # of all keys together
_WIDEST: Final = 1e300


@frozen
class ScaledNumber:
    """A number column: `low` becomes −1 and `high` becomes 1."""

    name: str
    item: str
    low: float
    high: float

    def scaled_sql(self) -> str:
        """The number from −1 to 1, cut at its bounds, in the analyst's SQL."""
        within = f"least(greatest(({self.item}), {literal(self.low)}), {literal(self.high)})"
        return f"(({within} - {literal(self.centre)}) / {literal(self.half)})"

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2

    @property
    def centre(self) -> float:
        return self.low + self.half

    def scaled(self, column: Sequence[Any]) -> Floats:
        """Given values from −1 to 1, cut at the bounds; NaN for NULL."""
        values = np.array([np.nan if each is None else float(each) for each in column], np.float64)
        return np.asarray((np.clip(values, self.low, self.high) - self.centre) / self.half)

    def fields(self) -> dict[str, Any]:
        return {"name": self.name, "item": self.item, "low": self.low, "high": self.high}

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> ScaledNumber:
        """The column read from JSON fields."""
        low, high = float(said["low"]), float(said["high"])
        if not low < high:
            raise ValueError
        return cls(str(said["name"]), str(said["item"]), low, high)


@frozen(eq=False)
class ScaledDesign:
    """Complete rows of a SELECT: numbers, the last of them the target if there is one, and keys with their levels."""

    sql: str
    rows: Rows
    target: TrainingTarget
    numbers: tuple[ScaledNumber, ...]
    keys: tuple[ModelFeature, ...]
    number_sql: tuple[str, ...]
    level_sql: tuple[str, ...]

    @property
    def is_many(self) -> bool:
        return self.rows.ownership is Ownership.MANY

    @property
    def scaled(self) -> list[Cut]:
        """The numbers of a kept row, in steps."""
        return [cut(f"x{place}", -STEPS, STEPS).named(f"x{place}") for place in range(len(self.numbers))]

    def limit_words(self, rows_each: int) -> str:
        """What is said of people with many rows."""
        many = "one row" if rows_each == 1 else f"{rows_each:,} rows"
        return f" All rows of one person weigh as much as {many} at most." if self.is_many else ""

    @cached_property
    def digest(self) -> str:
        own = [self.rows.sql, self.rows.ownership.value, *self.number_sql, *self.level_sql]
        columns = [each.fields() for each in self.numbers] + [each.fields() for each in self.keys]
        said = json.dumps([own, columns])
        return hashlib.sha256(said.encode()).hexdigest()

    def kept_sql(self) -> str:
        """One SELECT with columns "__unit", x0 …, the numbers in steps, and c0 …, the levels: the complete rows."""
        read = [f"{sql} AS x{place}" for place, sql in enumerate(self.number_sql)]
        read += [f"{sql} AS c{place}" for place, sql in enumerate(self.level_sql)]
        unit = "1" if self.rows.ownership is Ownership.EACH else UNIT
        listed = ", ".join([f"{unit} AS {UNIT}", *read])
        whole = [f"x{place} IS NOT NULL" for place in range(len(self.numbers))]
        whole += [f"c{place} < {len(key.values or ())}" for place, key in enumerate(self.keys)]
        columns = [
            f"{cut_float(f'x{at}', Fraction(1, STEPS), -STEPS, STEPS)} AS x{at}" for at in range(len(self.numbers))
        ]
        columns += [f"{cut(f'c{at}', 0, len(key.values or ()) - 1)} AS c{at}" for at, key in enumerate(self.keys)]
        rows = f'SELECT {listed} FROM ({self.rows.under(listed)}) AS "__rows"'
        return f'SELECT {", ".join([UNIT, *columns])} FROM ({rows}) AS "__read" WHERE {" AND ".join(whole)}'


def check_rows(rows_each: int) -> None:
    """Refuse a number of rows that no person may count for."""
    if not 1 <= rows_each <= MOST_ROWS:
        raise Refused(f"{rows_each} rows of one person", "Noise grows with them.", f"1 to {MOST_ROWS:,} rows.")


def encoded(
    numbers: Sequence[ScaledNumber], keys: Sequence[ModelFeature], columns: Mapping[str, Sequence[Any]]
) -> tuple[Floats, list[NDArray[np.int64]]]:
    """Given rows as numbers, one column each, and levels; the level of an unknown key is one too many."""
    named = {name.lower(): values for name, values in columns.items()}
    wanted = [number.name for number in numbers] + [key.name for key in keys]
    missing = [name for name in wanted if name not in named]
    if missing:
        raise Refused(f"rows without {missing[0]}", "The model reads it.", f"columns {', '.join(wanted)}.")
    rows = len(named[wanted[0]])
    scaled = [each.scaled(named[each.name]) for each in numbers]
    return np.array(scaled, np.float64).reshape(len(numbers), rows).T, [key.codes(named[key.name]) for key in keys]


def read_design(
    sql: str,
    target: str | None,
    catalogue: Catalogue,
    learned: str = "",
    found: Mapping[str, tuple[Key, ...]] | None = None,
) -> ScaledDesign:
    """The design that a SELECT and the name of its target ask for; refused, before any row is read, if it has none.

    Where no column is the target, `learned` says what is learned. Columns in `found` have these levels, which were
    chosen before; without any, such a column is left out.
    """
    chosen = found or {}
    select = parsed_rows(sql)
    rows, items = read_rows(select, catalogue), named_items(select)
    if target is not None and target.lower() not in items:
        raise Refused(f"the target {target}", "The SELECT names no such column.", ", ".join(items) + ".")
    ordered = [name for name in items if target is None or name != target.lower()]
    if not ordered:
        raise Refused("a model of nothing beside the target", "It has no columns to learn from.", "further columns.")
    numbers, keys, number_sql = [], [], []
    for name in ordered + ([] if target is None else [target.lower()]):
        typed, text = type_expression(items[name], rows), items[name].sql("duckdb")
        if name in chosen:
            keys += [ModelFeature(name, text, None, chosen[name])] if chosen[name] else []
        elif _is_bounded(typed) and not _has_few(typed):
            number = _number(name, text, typed)
            numbers.append(number)
            number_sql.append(_scaled_sql(typed, number))
        elif target is not None and name == target.lower():
            raise Refused(f"{name} as a target", "It is no number with bounds.", "a number with min and max.")
        else:
            keys.append(_key(name, text, typed))
    _refuse_large(numbers, keys)
    level_sql = [type_expression(parsed_expression(key.level_sql()), rows).sql for key in keys]
    aim = TrainingTarget(learned, "", None, None)
    if target is not None:
        aim = TrainingTarget(numbers[-1].name, numbers[-1].item, None, (numbers[-1].low, numbers[-1].high))
    return ScaledDesign(sql, rows, aim, tuple(numbers), tuple(keys), tuple(number_sql), tuple(level_sql))


def _has_few(typed: Typed) -> bool:
    """Whether it has declared keys, which are levels even where they are numbers."""
    return typed.keys is not None


def _is_bounded(typed: Typed) -> bool:
    return typed.kind.is_number and typed.low is not None and typed.high is not None and typed.low < typed.high


def _number(name: str, text: str, typed: Typed) -> ScaledNumber:
    double = as_float(typed)
    low, high = float(double.low or 0), float(double.high or 0)
    if not (-_WIDEST < low < high < _WIDEST and high - low > 1e-300):
        raise Refused(f"{name} as a number", "Its bounds are too far apart, or too close.", "other min and max.")
    return ScaledNumber(name, text, low, high)


def _scaled_sql(typed: Typed, number: ScaledNumber) -> str:
    """The number from −1 to 1, as a DOUBLE; NULL stays."""
    return f"(({as_float(typed).sql} - {double_sql(number.centre)}) / {double_sql(number.half)})"


def _key(name: str, text: str, typed: Typed) -> ModelFeature:
    values = domain(typed)
    if values is None or typed.kind is Kind.DECIMAL or not 2 <= len(values) <= MOST_LEVELS:
        raise Refused(
            f"{name} in a model",
            "It is neither a number with bounds nor a column with some declared values.",
            "declared keys, or min and max; CASE makes levels of anything; --private chooses keys, at a price.",
        )
    return ModelFeature(name, text, None, values)


def _refuse_large(numbers: Sequence[ScaledNumber], keys: Sequence[ModelFeature]) -> None:
    levels = sum(len(key.values or ()) for key in keys)
    if not (len(numbers) <= MOST_NUMBERS and levels <= MOST_LEVELS):
        raise Refused(
            f"{len(numbers)} numbers and {levels:,} levels",
            "All share one price, and every two of them have a sum of their own.",
            f"up to {MOST_NUMBERS} numbers and {MOST_LEVELS:,} levels.",
        )
