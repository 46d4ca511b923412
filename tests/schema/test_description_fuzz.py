"""Every file is either read soundly or refused (R08, R15, R42)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.schema.clinic_file import BUDGET, changed, read

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.schema.columns import MOST_KEYS
from tacit.schema.description import Column, Description, EachRow, Limits, Through
from tacit.schema.kind import Kind
from tacit.words import key_text, quoted

TEXT = changed(BUDGET, '{ epsilon = 4, delta = 1e-7, currency = "sums" }')
WORDS = ["", "age", "AGE", "visits", "wards", "ward", "__x", "int", "money", "zcdp", "50%", "1/0", "nan", "x.csv", "*/"]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
SCALARS = st.one_of(
    st.booleans(),
    st.sampled_from([0, 1, -1, 2**63, -(2**63), 10**130]) | st.integers(),
    st.sampled_from([float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1e308, 0.1]) | st.floats(),
    st.sampled_from(WORDS) | TEXTS,
    st.sampled_from([date.min, date.max, datetime.max, datetime(2020, 1, 1, tzinfo=UTC), time(1, 2)]),
)
NAMES = st.sampled_from([*WORDS, "min", "max", "keys", "type", "unit", "rows", "totals", "from", "to", "lookup"])
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))


def inline(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(name)} = {inline(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


def as_text(values: dict[str, object]) -> str:
    return "".join(f"{key_text(name)} = {inline(value)}\n" for name, value in values.items())


def places(values: dict[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in values.items():
        yield (*before, name)
        if isinstance(value, dict):
            yield from places(value, (*before, name))


PLACES = list(places(tomllib.loads(TEXT)))


def put(place: tuple[str, ...], value: object) -> str:
    """The file with this value at the place, new or old."""
    values = tomllib.loads(TEXT)
    part = values
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    return as_text(values)


def flaws(description: Description) -> list[str]:
    """Why a description, though it was read, must not be used."""
    found = []
    budget = description.budget
    amount = budget.rho if isinstance(budget, Zcdp) else budget.exact_epsilon if isinstance(budget, Approx) else 0
    delta = budget.exact_delta if isinstance(budget, (Zcdp, Approx)) else 1
    if not (amount > 0 and 0 <= delta < 1):
        found.append("budget")
    if not all(0 < share <= 1 for share in description.analysts.values()) or "steward" in description.analysts:
        found.append("analysts")
    for table in description.tables.values():
        owner = table.owner
        if (description.unit.identifier is None) != isinstance(owner, EachRow):
            found.append("owner")
        if isinstance(owner, Through) and owner.table not in description.tables:
            found.append("foreign key")
        counts = [count for count in (table.limits.rows, table.limits.keys) if count is not None]
        if not (all(count >= 1 for count in counts) and all(total > 0 for total in table.limits.totals.values())):
            found.append("limits")
        found += [f"column {column.name}" for column in table.columns.values() if is_flawed(column)]
    return found


def is_flawed(column: Column) -> bool:
    ends = [end for end in (column.low, column.high) if end is not None]
    if ends != sorted(ends) or (ends and not (column.kind.is_number or column.kind.is_time)):
        return True
    if column.kind is not Kind.FLOAT and any((end * 10**column.scale).denominator != 1 for end in ends):
        return True
    types = {Kind.INTEGER: int, Kind.TEXT: str, Kind.BOOLEAN: bool, Kind.DATE: date, Kind.TIMESTAMP: datetime}
    keys = column.keys
    return keys is not None and not (
        0 < len(set(keys)) == len(keys) <= MOST_KEYS and all(type(key) is types.get(column.kind) for key in keys)
    )


def check(folder: Path, text: str) -> None:
    try:
        description = read(folder, text)
    except Refused:
        return
    assert flaws(description) == []


@settings(max_examples=150)
@given(place=st.sampled_from(PLACES), value=VALUES)
def test_any_value_in_any_place(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[str, ...], value: object
) -> None:
    check(tmp_path_factory.getbasetemp(), put(place, value))


@settings(max_examples=100)
@given(place=st.sampled_from(PLACES), name=NAMES, value=VALUES)
def test_any_value_under_a_name_more(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[str, ...], name: str, value: object
) -> None:
    check(tmp_path_factory.getbasetemp(), put((*place[:-1], name), value))


@settings(max_examples=100)
@given(at=st.integers(0, len(TEXT)), dropped=st.integers(0, 30), added=TEXTS)
def test_any_slip_of_the_pen(tmp_path_factory: pytest.TempPathFactory, at: int, dropped: int, added: str) -> None:
    check(tmp_path_factory.getbasetemp(), TEXT[:at] + added + TEXT[at + dropped :])


@given(text=TEXTS)
def test_any_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    check(tmp_path_factory.getbasetemp(), text)


def test_the_writer_of_this_test_writes_what_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, as_text(tomllib.loads(TEXT))) == read(tmp_path, TEXT)


def test_broken_descriptions_would_be_noticed(tmp_path: Path) -> None:
    """R46: each flaw, planted."""
    clinic = read(tmp_path, TEXT)
    visits = clinic.tables["visits"]
    assert flaws(clinic) == []
    columns = [
        Column("a", Kind.INTEGER, Fraction(2), Fraction(1)),
        Column("a", Kind.INTEGER, Fraction(1, 2)),
        Column("a", Kind.TEXT, Fraction(1)),
        Column("a", Kind.INTEGER, keys=(1, 1)),
        Column("a", Kind.INTEGER, keys=(True,)),
        Column("a", Kind.DATE, keys=(datetime.max,)),
        Column("a", Kind.FLOAT, keys=(1,)),
        Column("a", Kind.TEXT, keys=()),
    ]
    broken_tables = [
        *(replace(visits, columns={"a": column}) for column in columns),
        replace(visits, owner=EachRow()),
        replace(visits, owner=Through("a", "nowhere", "b")),
        replace(visits, limits=Limits(rows=0)),
        replace(visits, limits=Limits(totals={"cost": Fraction(0)})),
    ]
    assert all(flaws(replace(clinic, tables={"visits": table})) for table in broken_tables)
    assert flaws(replace(clinic, budget=Approx(0, 0))) == ["budget"]
    assert flaws(replace(clinic, budget=Approx(1, 1))) == ["budget"]
    assert flaws(replace(clinic, analysts={"alice": Fraction(2)})) == ["analysts"]
