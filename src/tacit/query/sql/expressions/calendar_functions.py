"""Names of months and days, the last day of a month, dates from their parts: written with other functions."""

from __future__ import annotations

from calendar import day_name, month_name
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.arithmetic import numbers
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, composed, part
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, null_of, number_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

MONTHS, WEEKDAYS = tuple(month_name)[1:], tuple(day_name)
_LAST_MONTH = number_of(date(9999, 12, 1))
_DIGITS = "RIGHT('{zeros}' || CAST({number} AS VARCHAR), {width})"


def digits(number: str, width: int) -> str:
    """A form: the number, which is not negative, with zeros before it."""
    return _DIGITS.format(zeros="0" * (width - 1), number=number, width=width)


def named(number: str, names: Sequence[str]) -> str:
    """A form: the name that a number from 1 on stands for."""
    cases = " ".join(f"WHEN {place} THEN '{name}'" for place, name in enumerate(names, start=1))
    return f"CASE {number} {cases} END"


def time_operand(node: exp.Expression, given: exp.Expression, typer: Typer) -> Typed:
    """The operand; refused unless it is a date or a timestamp."""
    value = typer(given)
    if is_null(value):
        return null_of(Kind.DATE)
    if not value.kind.is_time:
        raise refuse(node, f"A date is wanted; this is {value.kind}.", "CAST(… AS DATE) around it.")
    return value


def _name(part_of_date: str, names: Sequence[str]) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        return composed(named(part_of_date, names), typer, x=time_operand(node, part(node), typer))

    return rule


def _last_day(node: exp.Expression, typer: Typer) -> Typed:
    """The last day of the month, which in the last month of the calendar no shift would reach."""
    day = composed("CAST(x AS DATE)", typer, x=time_operand(node, part(node), typer))
    form = "CAST(date_trunc('month', x) + INTERVAL 1 MONTH - INTERVAL 1 DAY AS DATE)"
    if day.high is not None and day.high >= _LAST_MONTH:
        form = f"CASE WHEN x >= DATE '9999-12-01' THEN DATE '9999-12-31' ELSE {form} END"
    return composed(form, typer, x=day)


def _made(node: exp.Expression, typer: Typer) -> Typed:
    """The date of a year, a month and a day; NULL where the calendar, from year 1 to 9999, has none."""
    names = ("year", "month", "day")
    if any(not isinstance(node.args.get(name), exp.Expression) for name in names):
        raise refuse(node, "It takes a year, a month and a day.", "MAKE_DATE(2024, 1, 31).")
    given = numbers(node, *(typer(part(node, name)) for name in names))
    if any(is_null(each) for each in given):
        return null_of(Kind.DATE)
    if any(each.kind is not Kind.INTEGER for each in given):
        raise refuse(node, "Its parts are whole numbers.", "CAST(x AS INTEGER) around it.")
    year, month, day = given
    written = " || '-' || ".join((digits("y", 4), digits("m", 2), digits("d", 2)))
    is_day = "y BETWEEN 1 AND 9999 AND m BETWEEN 1 AND 12 AND d BETWEEN 1 AND 31"
    found = composed(f"CASE WHEN {is_day} THEN CAST({written} AS DATE) END", typer, y=year, m=month, d=day)
    if year.low is None or year.high is None:
        return found
    first, last = (int(min(max(end, Fraction(1)), Fraction(9999))) for end in (year.low, year.high))
    return replace(found, low=number_of(date(first, 1, 1)), high=number_of(date(last, 12, 31)))


CALENDAR = Family.of(
    "calendar",
    SqlFunction(("MONTHNAME",), _name("month(x)", MONTHS), (exp.Monthname,)),
    SqlFunction(("DAYNAME",), _name("isodow(x)", WEEKDAYS), (exp.Dayname,)),
    SqlFunction(("LAST_DAY",), _last_day, (exp.LastDay,)),
    SqlFunction(("MAKE_DATE",), _made, (exp.DateFromParts,)),
)
