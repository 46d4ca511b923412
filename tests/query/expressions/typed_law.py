"""The claim of `Typed`, checked on the values of the engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction

import duckdb

from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import number_of, sql_type
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind


def faults(connection: duckdb.DuckDBPyConnection, table: str, items: Sequence[Typed]) -> list[str]:
    """The violations of each expression's claims on this table."""
    wanted = ", ".join(item.sql for item in items)
    try:
        relation = connection.execute(f"SELECT {wanted} FROM {table}")
    except duckdb.Error as error:
        return [f"{type(error).__name__}: {str(error)[:200]}"]
    types = [str(column[1]) for column in relation.description]
    found = [f"{item.kind} is {given}" for item, given in zip(items, types, strict=True) if given != sql_type(item)]
    for item, values in zip(items, zip(*relation.fetchall(), strict=True), strict=False):
        fault = broken(item, values)
        if fault is not None:
            found.append(fault)
    return found


def broken(item: Typed, values: Sequence[object]) -> str | None:
    """The violations of an expression's claims by its values."""
    known = domain(item)
    keys = None if known is None else set(known)
    for value in values:
        fault = _fault(item, value)
        if fault is None and keys is not None and value is not None and _unscaled(item, value) not in keys:
            fault = "outside its domain"
        if fault is not None:
            return f"{fault}: {value!r} of {item}"[:400]
    return None


def _unscaled(item: Typed, value: object) -> object:
    return Fraction(value, 10**item.scale) if item.kind is Kind.DECIMAL and isinstance(value, int) else value


def _fault(item: Typed, value: object) -> str | None:
    if value is None:
        return None if item.nullable else "NULL"
    if item.kind is Kind.TEXT:
        if not isinstance(value, str):
            return "not a text"
        return None if len(value) <= item.longest else "longer than it may be"
    if item.kind is Kind.BOOLEAN:
        return None if isinstance(value, bool) else "not a truth value"
    number = _number(item, value)
    if number is None:
        return "not of its kind"
    if item.low is not None and number < item.low:
        return "below its bound"
    return "above its bound" if item.high is not None and number > item.high else None


def _number(item: Typed, value: object) -> Fraction | None:
    if item.kind is Kind.FLOAT:
        return Fraction(value) if isinstance(value, float) and math.isfinite(value) else None
    if item.kind is Kind.DATE:
        return number_of(value) if isinstance(value, date) and not isinstance(value, datetime) else None
    if item.kind is Kind.TIMESTAMP:
        return number_of(value) if isinstance(value, datetime) else None
    return Fraction(value, 10**item.scale) if isinstance(value, int) and not isinstance(value, bool) else None
