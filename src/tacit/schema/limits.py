"""Contribution limits: how much of one person counts, where the steward says so."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import positive
from tacit.schema.description import Column, EachRow, Limits, Owner
from tacit.schema.file_models import LimitsFile
from tacit.schema.names import suggestion
from tacit.schema.numbers import number_from, whole_from
from tacit.schema.problems import Problems


def read_limits(
    table: str, written: LimitsFile, columns: Mapping[str, Column], owner: Owner, problems: Problems
) -> Limits:
    """The limits of a table: whole numbers of rows and of keys, and a largest total for numeric columns."""
    place = ("tables", table, "limits")
    rows = _count(written.rows, (*place, "rows"), owner, problems)
    keys = _count(written.keys, (*place, "keys"), owner, problems)
    totals = {
        name: problems.attempt((*place, "totals", name), Fraction(1), _total, name, value, columns)
        for name, value in written.totals.items()
    }
    return Limits(rows, keys, totals)


def _count(value: object, place: tuple[str, ...], owner: Owner, problems: Problems) -> int | None:
    if value is None:
        return None
    count = problems.attempt(place, 1, whole_from, value, place[-1], 1)
    if isinstance(owner, EachRow) and count != 1:
        problems.add(place, "Each row is a person of its own, so one row is all there is.", "1, or leave it out.")
    return count


def _total(name: str, value: object, columns: Mapping[str, Column]) -> Fraction:
    if name not in columns:
        raise Refused(name, "There is no such column.", suggestion(name, columns))
    if not columns[name].kind.is_number:
        raise Refused(name, "Its values cannot be added up.", "a total of an int, decimal, money or float column.")
    return positive(number_from(value, name), name)
