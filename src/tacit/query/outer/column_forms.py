"""The forms of columns that are computed from released numbers, as SQL: exact, linear, or a ratio of linear ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from tacit.frozen import frozen

TWIN = "\x03"
"""Stands in SQL for the number of a released number, in the name of its twins."""


@frozen(eq=False)
class Linear:
    """SQL of a column that is linear, and of its weights; None: it is exact."""

    value: exp.Expr
    twin: exp.Expr | None = None


@frozen(eq=False)
class LinearRatio:
    """SQL of a column that is the ratio of two linear ones."""

    top: Linear
    bottom: Linear


Form: TypeAlias = Linear | LinearRatio | None


@frozen(eq=False)
class NamedColumns:
    """The columns of a table or sub-query under a name, and whether noise chose its rows."""

    alias: str
    columns: dict[str, Form]
    is_chosen: bool


def column_form(name: str, source: NamedColumns) -> Form:
    """A column of a source, whose twins and parts stand beside it."""
    form = source.columns[name.lower()]

    def column(ending: str) -> exp.Expr:
        return exp.column(f"{name.lower()}{ending}", table=source.alias, quoted=True)

    if isinstance(form, LinearRatio):
        top = Linear(column("\x04"), column(f"\x04{TWIN}") if form.top.twin else None)
        bottom = Linear(column("\x05"), column(f"\x05{TWIN}") if form.bottom.twin else None)
        return LinearRatio(top, bottom)
    if isinstance(form, Linear):
        value = exp.column(name, table=source.alias, quoted=True)
        return Linear(value, column(TWIN) if form.twin is not None else None)
    return None


def hidden(name: str, form: Form) -> tuple[dict[str, exp.Expr], dict[str, exp.Expr]]:
    """The columns beside one: its parts, and its twins, which are written once for each released number."""
    name = name.lower()
    if isinstance(form, Linear):
        return {}, ({f"{name}{TWIN}": form.twin} if form.twin is not None else {})
    if isinstance(form, LinearRatio):
        pairs = ((f"{name}\x04", form.top), (f"{name}\x05", form.bottom))
        return {own: part.value for own, part in pairs}, {
            f"{own}{TWIN}": part.twin for own, part in pairs if part.twin is not None
        }
    return {}, {}


def twin_of(form: Linear) -> exp.Expr:
    """The twin of a linear column; of an exact one it is 0, and NULL where that is: AVG and SUM pass over both."""
    if form.twin is not None:
        return form.twin.copy()
    zero = exp.Literal.number(0)
    if isinstance(form.value, exp.Literal):
        return zero
    missing = exp.Is(this=exp.paren(form.value.copy()), expression=exp.Null())
    return exp.paren(exp.Case(ifs=[exp.If(this=missing, true=exp.Null())], default=zero))


def is_exact(form: Form) -> bool:
    return isinstance(form, Linear) and form.twin is None


def scaled(form: Form, change: Callable[[exp.Expr], exp.Expr]) -> Form:
    if isinstance(form, LinearRatio):
        top = scaled(form.top, change)
        return LinearRatio(top, form.bottom) if isinstance(top, Linear) else None
    if form is None:
        return None
    return Linear(change(form.value.copy()), None if form.twin is None else change(form.twin.copy()))


def added(kind: type[exp.Binary], left: Linear | LinearRatio, right: Linear | LinearRatio) -> Form:
    def joined(a: exp.Expr, b: exp.Expr) -> exp.Expr:
        return exp.paren(kind(this=exp.paren(a.copy()), expression=exp.paren(b.copy())))

    if isinstance(left, Linear) and isinstance(right, Linear):
        is_so = left.twin is None and right.twin is None
        twin = None if is_so else joined(twin_of(left), twin_of(right))
        return Linear(joined(left.value, right.value), twin)
    if isinstance(left, LinearRatio) and isinstance(right, LinearRatio):
        if left.bottom.value != right.bottom.value:
            return None
        top = added(kind, left.top, right.top)
        return LinearRatio(top, left.bottom) if isinstance(top, Linear) else None
    ratio, other = (left, right) if isinstance(left, LinearRatio) else (right, left)
    if not isinstance(ratio, LinearRatio) or not isinstance(other, Linear) or other.twin is not None:
        return None
    times = scaled(ratio.bottom, lambda part: exp.Mul(this=exp.paren(part), expression=exp.paren(other.value.copy())))
    assert isinstance(times, Linear)
    parts = (ratio.top, times) if ratio is left else (times, ratio.top)
    top = added(kind, *parts)
    return LinearRatio(top, ratio.bottom) if isinstance(top, Linear) else None
