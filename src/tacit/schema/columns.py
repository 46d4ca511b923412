"""Columns, from what a file declares of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from tacit.schema.bounds import bound_from
from tacit.schema.description import Column
from tacit.schema.file_models import ColumnFile, KeyLookup, KeyRange
from tacit.schema.kind import Key, Kind
from tacit.schema.names import check_name, clashes
from tacit.schema.problems import Problems
from tacit.schema.public_keys import listed_keys, range_keys

MONEY_SCALE = 2
LARGEST_SCALE = 9

Place: TypeAlias = tuple[str, ...]
KeysOf: TypeAlias = Callable[[KeyLookup, Kind], tuple[Key, ...]]
"""Reads the keys that a lookup gives to a column of a kind."""


def read_columns(
    written: Mapping[str, ColumnFile], place: Place, keys_of: KeysOf, problems: Problems
) -> dict[str, Column]:
    """The columns of a table, each by its name."""
    for first, second in clashes(written):
        problems.add(
            (*place, second), f"To SQL it is the same name as {first}.", "names that differ by more than case."
        )
    return {name: _column(name, column, (*place, name), keys_of, problems) for name, column in written.items()}


def _column(name: str, written: ColumnFile, place: Place, keys_of: KeysOf, problems: Problems) -> Column:
    problems.attempt(place, None, check_name, name)
    kind = Kind.DECIMAL if written.type == "money" else Kind(written.type)
    scale = _scale(written, place, problems)
    low = _bound(written.low, kind, scale, (*place, "min"), problems)
    high = _bound(written.high, kind, scale, (*place, "max"), problems)
    if low is not None and high is not None and not low <= high:
        problems.add((*place, "max"), "It is less than min.", "a max that is at least min.")
    keys = _keys(written, kind, (*place, "keys"), keys_of, problems)
    if keys is not None and (low is not None or high is not None):
        problems.add((*place, "keys"), "Keys say already which values count.", "keys, or min and max, not both.")
    return Column(name, kind, low, high, written.nullable, scale, keys)


def _scale(written: ColumnFile, place: Place, problems: Problems) -> int:
    place = (*place, "scale")
    if written.type == "money":
        if written.scale is not None:
            problems.add(place, "Money has two digits after the point.", 'leave scale out, or type = "decimal".')
        return MONEY_SCALE
    if written.type != "decimal":
        if written.scale is not None:
            problems.add(place, f"A column of type {written.type} has no scale.", 'leave it out, or type = "decimal".')
        return 0
    if written.scale is None or not 0 <= written.scale <= LARGEST_SCALE:
        problems.add(
            place, "A decimal needs its number of digits after the point.", f"scale = 0 to scale = {LARGEST_SCALE}."
        )
        return 0
    return written.scale


def _bound(value: object, kind: Kind, scale: int, place: Place, problems: Problems) -> Fraction | None:
    return None if value is None else problems.attempt(place, None, bound_from, value, kind, scale)


def _keys(written: ColumnFile, kind: Kind, place: Place, keys_of: KeysOf, problems: Problems) -> tuple[Key, ...] | None:
    if written.keys is None:
        return None
    if isinstance(written.keys, KeyLookup):
        return problems.attempt(place, None, keys_of, written.keys, kind)
    if isinstance(written.keys, KeyRange):
        return problems.attempt(place, None, range_keys, written.keys.first, written.keys.last, kind)
    return problems.attempt(place, None, listed_keys, written.keys, kind)
