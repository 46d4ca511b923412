"""Features of a model: columns of a SELECT as levels, which are public. Nothing of them is fitted to rows.

A number or a date is cut into equal bins of its declared bounds; other columns have one level for each declared value.
The last level is for everything else: NULL, and values that are not declared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.plans.question import parsed_selects
from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import text_sql, time_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_ELSE: Final = "else"
MOST_LEVELS: Final = 1_000  # of one feature
Edge = int | float | date


@frozen
class ModelFeature:
    """A column of the SELECT as levels: bins between `edges`, or `values`; then one level for everything else."""

    name: str
    item: str  # the expression, in the analyst's SQL
    edges: tuple[Edge, ...] | None
    values: tuple[Key, ...] | None

    @property
    def levels(self) -> int:
        return (len(self.edges) + 1 if self.edges is not None else len(self.values or ())) + 1

    def level_sql(self) -> str:
        """The number of a row's level, in the analyst's SQL."""
        return self.chosen_sql(range(self.levels))

    def chosen_sql(self, of_levels: Iterable[int]) -> str:
        """The number that belongs to a row's level, in the analyst's SQL."""
        *numbers, otherwise = of_levels
        if self.values is not None:
            tests = [f"({self.item}) = {literal(value)}" for value in self.values]
        else:
            tests = [f"({self.item}) < {literal(edge)}" for edge in self.edges or ()] + [f"({self.item}) IS NOT NULL"]
        runs = " ".join(f"WHEN {test} THEN {number}" for test, number in zip(tests, numbers, strict=True))
        return f"CASE {runs} ELSE {otherwise} END" if runs else str(otherwise)

    def codes(self, column: Iterable[Any]) -> NDArray[np.int64]:
        """The levels of given values, as the database finds them; NULL is None or NaN."""
        last = self.levels - 1
        if self.values is not None:
            places: Mapping[Any, int] = {value: place for place, value in enumerate(self.values)}
            return np.fromiter((places.get(value, last) for value in column), np.int64)
        edges = list(self.edges or ())
        return np.fromiter((last if _is_missing(each) else _bin(edges, each, self.name) for each in column), np.int64)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns are called that it reads."""
        return (self.name,) if self.name else ()

    def codes_of(self, columns: Mapping[str, Sequence[Any]]) -> NDArray[np.int64]:
        """The levels of given rows; of the intercept, one row."""
        return self.codes(columns[self.name]) if self.name else np.zeros(1, np.int64)

    def labels(self) -> tuple[str, ...]:
        """What levels are called: values, or bins by their ends."""
        if self.edges is None:
            return (*map(str, self.values or ()), _ELSE)
        edges = [f"{edge:g}" if isinstance(edge, int | float) else str(edge) for edge in self.edges]
        if not edges:
            return "all", _ELSE
        between = [f"{low} to {high}" for low, high in pairwise(edges)]
        return (f"below {edges[0]}", *between, f"from {edges[-1]}", _ELSE)

    def fields(self) -> dict[str, Any]:
        """The feature for JSON."""
        listed = self.edges if self.values is None else self.values
        kind = "date" if listed and isinstance(listed[0], date) else "plain"
        said = [each.isoformat() if isinstance(each, date) else each for each in listed or ()]
        return {"name": self.name, "item": self.item, "cut" if self.values is None else "values": said, "type": kind}

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> ModelFeature:
        """The feature read from JSON fields."""
        listed = said["cut"] if "cut" in said else said["values"]
        read = tuple(date.fromisoformat(each) if said["type"] == "date" else each for each in listed)
        is_cut = "cut" in said
        return cls(said["name"], said["item"], read if is_cut else None, None if is_cut else read)


INTERCEPT: Final = ModelFeature("", "", None, ())
"""The feature of which all rows have the one level: what the others are above or below."""


def feature_of(name: str, item: str, typed: Typed, bins: int) -> ModelFeature:
    """The feature that a column makes; refused where nobody knows beforehand which values it has."""
    values = domain(typed)
    is_ordered = typed.kind.is_number or typed.kind is Kind.DATE
    if values is not None and (not is_ordered or len(values) <= bins) and typed.kind is not Kind.DECIMAL:
        if len(values) > MOST_LEVELS:
            raise Refused(
                f"{name} as a feature",
                f"It has {len(values):,} declared values, each with noise of its own.",
                f"at most {MOST_LEVELS:,} values: CASE, or a coarser column.",
            )
        return ModelFeature(name, item, None, values)
    if not is_ordered or typed.low is None or typed.high is None:
        raise Refused(
            f"{name} as a feature",
            "Which values it has is known only from the rows.",
            "declared keys, or min and max; CASE makes levels of anything; --private chooses keys, at a price.",
        )
    return ModelFeature(name, item, tuple(dict.fromkeys(_edges(typed, bins))), None)


def _edges(typed: Typed, bins: int) -> list[Edge]:
    """Where bins of equal width begin, but the first."""
    low, high = typed.low or Fraction(0), typed.high or Fraction(0)
    between = [low + (high - low) * place / bins for place in range(1, bins)]
    if typed.kind is Kind.DATE:
        return [time_of(Kind.DATE, Fraction(floor(each))) for each in between]
    if typed.kind is Kind.INTEGER:
        return [-floor(-each) for each in between]
    return [float(f"{float(each):.6g}") for each in between]


def literal(value: Key | float) -> str:
    """A public value in the analyst's SQL."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return f"({value!r})" if value < 0 else f"{value!r}"
    return f"DATE '{value}'" if isinstance(value, date) else text_sql(str(value))


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # NaN


def _bin(edges: list[Any], value: Any, name: str) -> int:
    try:
        return bisect_right(edges, value)
    except TypeError:
        raise Refused(f"a value of {name}", "It cannot be compared with its bins.", "numbers, or dates.") from None


def parsed_expression(sql: str) -> exp.Expression:
    """An expression of the analyst's SQL that this room wrote itself."""
    expressions: list[exp.Expression] = parsed_selects(f"SELECT {sql}")[0].expressions
    return expressions[0]
