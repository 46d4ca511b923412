"""Functions of one public column that are evaluated on its values: `age // 5`, months of dates, `ward LIKE 'A%'`.

They have the same meaning as in queries (`query/sql/expressions`): // cuts towards zero, % has the sign of the left
side, weeks are ISO weeks, and a pattern's letters are code points.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.post_noise.scope import canonical
from tacit.query.sql.expressions.date_truncation import UNITS, start_of
from tacit.schema.kind import Key, Kind

Shown = Key | float | None

_PARTS: Final[dict[str, Callable[[date], int]]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar().week,
    "day": lambda day: day.day,
    "dow": lambda day: day.isoweekday() % 7,
    "isodow": lambda day: day.isoweekday(),
    "doy": lambda day: day.timetuple().tm_yday,
}
_SYNONYMS: Final = {"dayofweek": "dow", "weekday": "dow", "dayofyear": "doy", "weekofyear": "week", "dayofmonth": "day"}
_NAMED: Final[dict[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfYear: "doy",
}


@frozen(eq=False)
class PublicFunction:
    """A function of one column: its canonical SQL, the column's, its kind, what it is of a value, and of which kind."""

    name: str
    column: str
    kind: Kind
    of: Callable[[Shown], Shown]
    takes: Kind

    def is_of(self, kind: Kind) -> bool:
        """Whether a column of this kind may have it: no text has those of numbers and dates."""
        return (kind is Kind.TEXT) == (self.takes is Kind.TEXT)


def functions_in(node: exp.Expr) -> Iterator[PublicFunction]:
    """The functions of one column that stand in an expression."""
    for each in node.walk():
        found = _function(each)
        if found is not None:
            yield found


def _function(node: exp.Expr) -> PublicFunction | None:
    if isinstance(node, exp.IntDiv | exp.Mod):
        return _division(node)
    if isinstance(node, exp.Like | exp.StartsWith | exp.EndsWith):
        return _pattern(node)
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        unit = node.args["unit"].name.lower()
        return _of_date(node, node.this, lambda day: start_of(day, unit), Kind.DATE) if unit in UNITS[:5] else None
    if isinstance(node, exp.Extract):
        unit = node.this.name.lower()
        part = _PARTS.get(_SYNONYMS.get(unit, unit))
        return None if part is None else _of_date(node, node.expression, part, Kind.INTEGER)
    name = _NAMED.get(type(node))
    return None if name is None else _of_date(node, node.this, _PARTS[name], Kind.INTEGER)


def _division(node: exp.IntDiv | exp.Mod) -> PublicFunction | None:
    column, other = node.this.unnest(), node.expression.unnest()
    is_whole = isinstance(other, exp.Literal) and not other.is_string and other.name.isdecimal() and int(other.name) > 0
    if not (isinstance(column, exp.Column) and is_whole):
        return None
    divisor, is_rest = int(other.name), isinstance(node, exp.Mod)

    def of(value: Shown) -> Shown:
        if not isinstance(value, int):
            return None
        whole = abs(value) // divisor * (1 if value >= 0 else -1)
        return value - whole * divisor if is_rest else whole

    return PublicFunction(canonical(node), canonical(column), Kind.INTEGER, of, Kind.INTEGER)


def _pattern(node: exp.Like | exp.StartsWith | exp.EndsWith) -> PublicFunction | None:
    """A match with a literal pattern; one with an escape letter, or of ILIKE, is none of these."""
    column, pattern = node.this.unnest(), node.expression.unnest()
    is_literal = isinstance(pattern, exp.Literal) and pattern.is_string
    if not (isinstance(column, exp.Column) and is_literal) or isinstance(node.parent, exp.Escape):
        return None
    if isinstance(node, exp.Like):
        signs = {"%": ".*", "_": "."}
        wanted = "".join(signs.get(letter, re.escape(letter)) for letter in pattern.name)
    else:
        letters = re.escape(pattern.name)
        wanted = f"{letters}.*" if isinstance(node, exp.StartsWith) else f".*{letters}"
    matcher, is_negated = re.compile(wanted, re.DOTALL), bool(node.args.get("negate"))

    def of(value: Shown) -> Shown:
        return None if not isinstance(value, str) else (matcher.fullmatch(value) is not None) != is_negated

    return PublicFunction(canonical(node), canonical(column), Kind.BOOLEAN, of, Kind.TEXT)


def _of_date(node: exp.Expr, inner: exp.Expr, part: Callable[[date], Key], kind: Kind) -> PublicFunction | None:
    column = inner.unnest()
    if isinstance(column, exp.TsOrDsToDate | exp.Cast) and isinstance(column.this, exp.Column):
        column = column.this
    if not isinstance(column, exp.Column):
        return None
    return PublicFunction(
        canonical(node),
        canonical(column),
        kind,
        lambda value: part(value) if isinstance(value, date) else None,
        Kind.DATE,
    )
