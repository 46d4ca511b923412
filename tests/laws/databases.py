"""Random small data sets in which nothing holds that was declared, and their neighbours, side by side in one engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from random import Random

from tests.laws.dirty_values import PHYSICAL, VALUES, engine_type

from tacit.loss.families.approx import Approx, Pure
from tacit.loss.filters.budget import budget_from
from tacit.loss.relation import Relation
from tacit.query.catalogue import Catalogue
from tacit.query.engines.duckdb_engine import DuckDBEngine, DuckDBSession
from tacit.schema.description import (
    Column,
    Description,
    EachRow,
    Limits,
    Lookup,
    OwnColumn,
    Source,
    Table,
    Through,
    Unit,
)
from tacit.schema.kind import Kind

_NOWHERE = Source("parquet", Path("nowhere.parquet"))
_FIRST, _LAST = (Fraction((day - date(1970, 1, 1)).days) for day in (date(2023, 1, 1), date(2023, 3, 31)))
_PEOPLE = ["1", "2", "3", "4", "5"]

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


@dataclass(frozen=True)
class Worlds:
    """A data set and its neighbours, each a schema of the same names in one connection."""

    session: DuckDBSession
    description: Description
    catalogue: Catalogue
    base: str
    removed: tuple[str, ...]  # the base without one person
    replaced: tuple[str, ...]  # the base with one person's rows changed

    @property
    def has_people(self) -> bool:
        """Whether a person is called by an identifier; else each row is one."""
        return self.description.unit.identifier is not None

    def answer(self, world: str, sql: str) -> tuple[list[tuple[str, str]], list[dict[str, object]]]:
        """The names and types of the columns, and the rows, of a statement in one of the worlds."""
        connection = self.session.connection
        connection.execute(f"USE {world}")
        described = connection.execute(sql).description or []
        names = [column[0] for column in described]
        rows = [dict(zip(names, row, strict=True)) for row in connection.fetchall()]
        return [(column[0], str(column[1])) for column in described], rows


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


@contextmanager
def engine_session() -> Iterator[DuckDBSession]:
    """A session of the real engine, with its settings, over no files."""
    budget = Pure(1)
    empty = Description("empty", Path("empty.toml"), Unit(Relation.ADD_REMOVE, "one", "pid"), budget, budget, {})
    with DuckDBEngine(threads=1).session(empty) as session:
        yield session


@contextmanager
def worlds(random: Random, session: DuckDBSession) -> Iterator[Worlds]:
    """A random data set with every neighbour by removal, and some by replacement; gone when done."""
    by_row = random.random() < 0.3
    drafts = _drafts(random, by_row)
    made: list[str] = []

    def schema() -> str:
        made.append(f"w{len(made)}")
        session.connection.execute(f"CREATE SCHEMA {made[-1]}")
        return made[-1]

    try:
        base = schema()
        for name, draft in drafts.items():
            session.connection.execute(draft.sql(base, name))
        people = range(len(drafts["visits"].rows)) if by_row else [*_PEOPLE, "heavy"]
        chosen = random.sample(people, min(len(people), 6)) if by_row else people
        removed = []
        for person in chosen:
            removed.append(schema())
            for sql in _without(person, base, removed[-1], drafts):
                session.connection.execute(sql)
        replaced = []
        for person in random.sample(list(chosen), min(2, len(chosen))):
            replaced.append(schema())
            for name, draft in _changed(random, person, drafts, by_row).items():
                session.connection.execute(draft.sql(replaced[-1], name))
        description = _description(random, by_row)
        physical = {name: {c: engine_type(t) for c, t in draft.types.items()} for name, draft in drafts.items()}
        catalogue = Catalogue(description, physical if random.random() < 0.8 else {})
        yield Worlds(session, description, catalogue, base, tuple(removed), tuple(replaced))
    finally:
        session.connection.execute("USE main")
        for name in made:
            session.connection.execute(f"DROP SCHEMA {name} CASCADE")


def _drafts(random: Random, by_row: bool) -> dict[str, Draft]:
    person = random.choice(["BIGINT", "text", "DOUBLE", "HUGEINT"])
    visits = _draft(random, VISITS, {"pid": person} if not by_row else {})
    for place, who in enumerate(_PEOPLE):
        for _ in range(random.choice([0, 1, 1, 2, 4])):
            visits.rows.append(_row(random, visits, VISITS, None if by_row else who))
            if place and random.random() < 0.4 and not by_row:  # R22: somebody else holds the very same row
                visits.rows.append([_named(_PEOPLE[place - 1], person), *visits.rows[-1][1:]])
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
        people.rows += [_row(random, people, PEOPLE, random.choice([*_PEOPLE, "heavy"])) for _ in range(10)]
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


def _spellings(person: str) -> str:
    """Every text that a person's name is cast to, whatever the physical type."""
    names = ("heavy", "77", "nan") if person == "heavy" else (person, f"{person}.0")
    return ", ".join(f"'{name}'" for name in names)


def _without(person: str | int, base: str, world: str, drafts: Mapping[str, Draft]) -> list[str]:
    """The tables without one person: a child row goes if nobody else owns it."""
    if isinstance(person, int):
        visits = f"CREATE TABLE {world}.visits AS SELECT * FROM {base}.visits WHERE rowid <> {person}"
        return [visits, f"CREATE TABLE {world}.wards AS SELECT * FROM {base}.wards"]
    named = _spellings(person)
    owned = f"CAST(visit AS VARCHAR) IN (SELECT CAST(visit AS VARCHAR) FROM {base}.visits WHERE pid IS NOT NULL AND"
    gone = f"({owned} CAST(pid AS VARCHAR) IN ({named})) AND NOT {owned} CAST(pid AS VARCHAR) NOT IN ({named})))"
    kept = {
        "visits": f"WHERE pid IS NULL OR CAST(pid AS VARCHAR) NOT IN ({named})",
        "people": f"WHERE who IS NULL OR CAST(who AS VARCHAR) NOT IN ({named})",
        "items": f"WHERE coalesce(NOT {gone}, TRUE)",
        "wards": "",
    }
    return [f"CREATE TABLE {world}.{name} AS SELECT * FROM {base}.{name} {kept[name]}" for name in drafts]


def _changed(random: Random, person: str | int, drafts: Mapping[str, Draft], by_row: bool) -> dict[str, Draft]:
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


def _description(random: Random, by_row: bool) -> Description:
    relation = random.choice([Relation.ADD_REMOVE, Relation.REPLACE])
    unit = Unit(relation, "one person", None if by_row else "pid")
    promise = Pure(8) if random.random() < 0.3 else Approx(8, Fraction(1, 10**5))
    budget = promise if isinstance(promise, Pure) or random.random() < 0.3 else budget_from(8, Fraction(1, 10**5))
    own = EachRow() if by_row else OwnColumn("pid")
    tables = {"visits": Table("visits", _NOWHERE, _columns(random, VISITS), own, _limits(random, by_row))}
    if not by_row:
        through = Through("visit", "visits", "visit")
        tables["items"] = Table("items", _NOWHERE, _columns(random, ITEMS), through, _limits(random, by_row))
        tables["people"] = Table(
            "people", _NOWHERE, _columns(random, PEOPLE), OwnColumn("who"), _limits(random, by_row)
        )
    lookups = {"wards": Lookup("wards", _NOWHERE, {column.name: column for column in WARDS}, "ward")}
    return Description("clinic", Path("clinic.toml"), unit, budget, promise, tables, lookups)


def _columns(random: Random, columns: Sequence[Column]) -> dict[str, Column]:
    """The columns, some of them declared to have no NULL."""
    return {column.name: replace(column, nullable=random.random() < 0.7) for column in columns}


def _limits(random: Random, by_row: bool) -> Limits:
    if by_row or random.random() < 0.5:
        return Limits()
    return Limits(random.choice([1, 2, 5]), random.choice([None, 1, 3]))
