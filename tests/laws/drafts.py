"""Random tables of dirty values: declarations of each column, and rows that ignore them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from random import Random

from tests.laws.dirty_values import PHYSICAL, VALUES, engine_type

from tacit.schema.description import Column
from tacit.schema.kind import Kind

_FIRST, _LAST = (Fraction((day - date(1970, 1, 1)).days) for day in (date(2023, 1, 1), date(2023, 3, 31)))
PERSONS = ["1", "2", "3", "4", "5"]

VISITS = (
    Column("visit", Kind.INTEGER),
    Column("age", Kind.INTEGER, Fraction(0), Fraction(110)),
    Column("dose", Kind.INTEGER, Fraction(-5), Fraction(7)),
    Column("cost", Kind.DECIMAL, Fraction(0), Fraction(200), scale=2),
    Column("stay", Kind.FLOAT, Fraction(-3), Fraction(731, 2)),
    Column("code", Kind.INTEGER),
    Column("region", Kind.TEXT, keys=("north", "south", "east")),
    Column("ward", Kind.TEXT),
    Column("day", Kind.DATE, _FIRST, _LAST),
    Column("seen", Kind.TIMESTAMP),
    Column("smoker", Kind.BOOLEAN),
)
ITEMS = (
    Column("visit", Kind.INTEGER),
    Column("quantity", Kind.INTEGER, Fraction(0), Fraction(9)),
    Column("price", Kind.DECIMAL, Fraction(-10), Fraction(50), scale=2),
    Column("label", Kind.TEXT),
)
PEOPLE = (Column("born", Kind.INTEGER, Fraction(1900), Fraction(2020)), Column("town", Kind.TEXT))
WARDS = (
    Column("ward", Kind.TEXT),
    Column("floor", Kind.INTEGER, Fraction(0), Fraction(3)),
    Column("area", Kind.TEXT, keys=("old", "new")),
)


@dataclass
class Draft:
    """A table as it is made up: for each column the physical type, and rows of literals."""

    types: Mapping[str, str]
    rows: list[list[str]] = field(default_factory=list)

    def sql(self, world: str, name: str) -> str:
        columns = ", ".join(f"{column} {engine_type(physical)}" for column, physical in self.types.items())
        values = ", ".join(f"({', '.join(row)})" for row in self.rows)
        insert = f"INSERT INTO {world}.{name} VALUES {values};" if values else ""
        return f"CREATE TABLE {world}.{name} ({columns}); {insert}"


def make_drafts(random: Random, by_row: bool) -> dict[str, Draft]:
    person = random.choice(["BIGINT", "text", "DOUBLE", "HUGEINT"])
    visits = _draft(random, VISITS, {"pid": person} if not by_row else {})
    for place, who in enumerate(PERSONS):
        for _ in range(random.choice([0, 1, 1, 2, 4])):
            visits.rows.append(_row(random, visits, VISITS, None if by_row else who))
            if place and random.random() < 0.4 and not by_row:  # R22: somebody else holds the very same row
                visits.rows.append([_named(PERSONS[place - 1], person), *visits.rows[-1][1:]])
    heavy = [_row(random, visits, VISITS, None if by_row else "heavy") for _ in range(3 if by_row else 30)]
    visits.rows += heavy + ([] if by_row else [["NULL", *heavy[0][1:]]])
    wards = _draft(random, WARDS, {})
    wards.rows += [_row(random, wards, WARDS, None) for _ in range(8)]
    wards.rows += [[key, *row[1:]] for row in wards.rows for key in ("'a'", "'north'") if wards.types["ward"] == "text"]
    drafts = {"visits": visits, "wards": wards}
    if not by_row:
        items = _draft(random, ITEMS, {})
        items.rows += [_row(random, items, ITEMS, None) for _ in range(25)]
        people = _draft(random, PEOPLE, {"who": random.choice([person, "text"])})
        people.rows += [_row(random, people, PEOPLE, random.choice([*PERSONS, "heavy"])) for _ in range(10)]
        drafts |= {"items": items, "people": people}
    for draft in drafts.values():
        random.shuffle(draft.rows)
    return drafts


def _draft(random: Random, columns: Sequence[Column], first: dict[str, str]) -> Draft:
    return Draft(first | {column.name: _physical(random, column) for column in columns})


def _physical(random: Random, column: Column) -> str:
    if column.name == "visit":
        return random.choice(["BIGINT", "number text", "DOUBLE"])
    return random.choice(PHYSICAL[column.kind])


def _row(random: Random, draft: Draft, columns: Sequence[Column], person: str | None) -> list[str]:
    row = [] if person is None else [_named(person, next(iter(draft.types.values())))]
    for column in columns:
        physical = draft.types[column.name]
        if column.name == "visit":  # few, so that keys are shared and doubled
            row.append(random.choice(["NULL", *(f"'{key}'" for key in range(8))]))
        else:
            row.append(random.choice(VALUES[physical]))
    return row


def _named(person: str, physical: str) -> str:
    return (
        f"'{person}'"
        if physical == "text"
        else {"heavy": "'NaN'" if physical == "DOUBLE" else "77"}.get(person, person)
    )


def changed_drafts(random: Random, person: str | int, drafts: Mapping[str, Draft], by_row: bool) -> dict[str, Draft]:
    """The tables with one person's visits replaced by others."""
    visits = drafts["visits"]
    if by_row:
        rows = list(visits.rows)
        rows[int(person)] = _row(random, visits, VISITS, None)
        return {**drafts, "visits": replace(visits, rows=rows)}
    name = _named(str(person), visits.types["pid"])
    others = [row for row in visits.rows if row[0] != name]
    new = [_row(random, visits, VISITS, str(person)) for _ in range(random.choice([0, 1, 25]))]
    return {**drafts, "visits": replace(visits, rows=new + others)}
