"""Random small data sets that violate their declarations, and their neighbours, side by side in one engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random

from tests.laws.dirty_values import engine_type
from tests.laws.drafts import ITEMS, PEOPLE, PERSONS, VISITS, WARDS, Draft, changed_drafts, make_drafts

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Relation
from tacit.query.engines.duckdb.engine import DuckDBEngine, DuckDBSession
from tacit.schema.catalogue import Catalogue
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
from tacit.schema.lookups import levels_of

_NOWHERE = Source("parquet", Path("nowhere.parquet"))


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
        """Whether people have identifiers; otherwise each row is a person."""
        return self.description.unit.identifier is not None

    def answer(self, world: str, sql: str) -> tuple[list[tuple[str, str]], list[dict[str, object]]]:
        """The names and types of the columns, and the rows, of a statement in one of the worlds."""
        connection = self.session.connection
        connection.execute(f"USE {world}")
        described = connection.execute(sql).description or []
        names = [column[0] for column in described]
        rows = [dict(zip(names, row, strict=True)) for row in connection.fetchall()]
        return [(column[0], str(column[1])) for column in described], rows


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
    drafts = make_drafts(random, by_row)
    made: list[str] = []

    def schema() -> str:
        made.append(f"w{len(made)}")
        session.connection.execute(f"CREATE SCHEMA {made[-1]}")
        return made[-1]

    try:
        base = schema()
        for name, draft in drafts.items():
            session.connection.execute(draft.sql(base, name))
        people = range(len(drafts["visits"].rows)) if by_row else [*PERSONS, "heavy"]
        chosen = random.sample(people, min(len(people), 6)) if by_row else people
        removed = []
        for person in chosen:
            removed.append(schema())
            for sql in _without(person, base, removed[-1], drafts):
                session.connection.execute(sql)
        replaced = []
        for person in random.sample(list(chosen), min(2, len(chosen))):
            replaced.append(schema())
            for name, draft in changed_drafts(random, person, drafts, by_row).items():
                session.connection.execute(draft.sql(replaced[-1], name))
        description = _description(random, by_row)
        physical = {name: {c: engine_type(t) for c, t in draft.types.items()} for name, draft in drafts.items()}

        def read_public(_: Source, column: str) -> list[object]:
            return [value for (value,) in session.connection.execute(f"SELECT {column} FROM {base}.wards").fetchall()]

        levels = levels_of(description.lookups, read_public)
        catalogue = Catalogue(description, physical if random.random() < 0.8 else {}, levels)
        yield Worlds(session, description, catalogue, base, tuple(removed), tuple(replaced))
    finally:
        session.connection.execute("USE main")
        for name in made:
            session.connection.execute(f"DROP SCHEMA {name} CASCADE")


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
