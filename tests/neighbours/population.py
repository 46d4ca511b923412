"""Random small data sets of awkward values and identifiers, and their neighbours under both relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import pyarrow as pa
from tests.fuzz.block import PHYSICAL, Block, Value, make_block

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
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

Name = str | int
Row = dict[str, Value]
Tables = Mapping[str, Sequence[Row]]
_NAMES: tuple[tuple[str, tuple[Name, ...]], ...] = (
    ("BIGINT", (7, 0, -7, 70, 2**63 - 1, -(2**63), 2**53, 2**53 + 1, 1)),
    ("DECIMAL(38,0)", (7, 0, 10**37, 10**37 + 1, 2**64, 2**64 + 1, -1, 70)),
    ("VARCHAR", ("7", " 7", "7 ", "07", "7.0", "A", "a", "", " ")),
    ("VARCHAR", ("\u00e9", "e\u0301", "E", "e", "\u00df", "ss", "SS", "\u212b", "\u00c5")),
    ("VARCHAR", ("x" * 40, "x" * 39 + "y", "x", "X", "0", "-0", "0.0", "\U0001f600", "\u0130")),
)
"""Identifiers: of this type in one table, perhaps text in others."""
_TYPES = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
}
_LOOKUP = ("j", "x", "t", "p")  # the columns of the public table; the first is its key


def arrow_type(physical: str) -> pa.DataType:
    if physical.startswith("DECIMAL"):
        return pa.decimal128(*map(int, physical[8:-1].split(",")))
    return _TYPES[physical]


@dataclass(frozen=True)
class Population:
    """A data set: its rows, declarations, and people."""

    block: Block
    types: Mapping[str, Mapping[str, str]]  # by table and column
    tables: Tables
    people: tuple[Name | int, ...]  # names, or places of rows where each row is a person
    by_row: bool

    def without(self, *people: Name) -> Tables:
        """The rows without those of some people; rows that pointed to their visits stay, without an owner."""
        if self.by_row:
            return {**self.tables, "visits": [row for row in self.tables["visits"] if row["place"] not in people]}
        gone = {str(person) for person in people}
        return {
            name: [row for row in rows if name not in _OWN or str(row[_OWN[name]]) not in gone]
            for name, rows in self.tables.items()
        }

    def replaced(self, person: Name, random: Random) -> Tables:
        """The rows with somebody's changed: fewer, as many or far more, of the same windows of values."""
        if self.by_row:
            new = _row(self.block, random) | {"place": person, "visit": random.randrange(12)}
            rows = [new if row["place"] == person else row for row in self.tables["visits"]]
            return {**self.tables, "visits": rows}
        others = dict(self.without(person))
        for name, own in _OWN.items():
            more = random.choice((0, 1, 3, 25))
            others[name] = [*others[name], *(self._named(name, own, person, random) for _ in range(more))]
        return others

    def _named(self, table: str, own: str, person: Name, random: Random) -> Row:
        is_text = self.types[table][own] == "VARCHAR"
        return _row(self.block, random) | {own: str(person) if is_text else person, "visit": random.randrange(12)}

    def arrow(self, tables: Tables) -> dict[str, pa.Table]:
        """The tables as Arrow has them, in the declared types whatever they hold."""
        return {name: _arrow(tables[name], types) for name, types in self.types.items()}


_OWN = {"visits": "pid", "people": "who"}


def _arrow(rows: Sequence[Row], types: Mapping[str, str]) -> pa.Table:
    fields = {column: arrow_type(physical) for column, physical in types.items()}

    def value(row: Row, column: str) -> Value:
        given = row[column]
        return Decimal(given) if isinstance(given, int) and types[column].startswith("DECIMAL") else given

    return pa.table({column: pa.array([value(row, column) for row in rows], kind) for column, kind in fields.items()})


def _row(block: Block, random: Random) -> Row:
    return {name: random.choice(values) for name, values in block.values.items()}


def populate(random: Random, reads_texts: bool = True) -> Population:
    """A random data set: one person with many rows, some with a few, many with one; keys that people share.

    Where the engine reads no text as another type, columns that are written so are not described.
    """
    block, by_row = make_block("0", random), random.random() < 0.3
    if not reads_texts:
        described = {name: column for name, column in block.columns.items() if not name.startswith("written_")}
        block = replace(block, columns=described)
    own, names = random.choice(_NAMES)
    people = tuple(random.sample(names, random.randint(4, len(names))))
    rows: list[Row] = []
    for place, person in enumerate(people):
        for _ in range(random.choice((1, 1, 2, 4)) if place else random.choice((3, 20, 40))):
            rows.append(_row(block, random) | {"pid": person, "visit": random.randrange(12)})
            if place and random.random() < 0.3:  # somebody else has the very same row
                rows.append({**rows[-1], "pid": people[place - 1]})
    rows += [_row(block, random) | {"pid": None, "visit": 3}]
    random.shuffle(rows)
    rows = [row | {"place": place} for place, row in enumerate(rows)]
    letters = dict(PHYSICAL)
    visits = letters | {"visit": "BIGINT"} | ({} if by_row else {"pid": own})
    lookup = [{name: random.choice(block.values[name]) for name in _LOOKUP} for _ in range(20)]
    tables: dict[str, list[Row]] = {"visits": rows, "wards": lookup}
    types = {"visits": visits, "wards": {name: PHYSICAL[name] for name in _LOOKUP}}
    if not by_row:
        tables["items"] = [_row(block, random) | {"visit": random.choice((None, *range(12)))} for _ in range(25)]
        types["items"] = letters | {"visit": random.choice(("BIGINT", "BIGINT", "DECIMAL(38,0)"))}
        who = random.choice((own, "VARCHAR"))
        types["people"] = letters | {"who": who, "visit": "BIGINT"}
        called = [str(person) if who == "VARCHAR" else person for person in (*people, None)]
        tables["people"] = [_row(block, random) | {"who": random.choice(called), "visit": 0} for _ in range(12)]
    return Population(block, types, tables, tuple(range(len(rows))) if by_row else people, by_row)


def describe(population: Population, random: Random, sources: Mapping[str, Source], folder: Path) -> Description:
    """Descriptions of it, in both relations and both currencies."""
    relation = random.choice((Relation.ADD_REMOVE, Relation.REPLACE))
    promise: Loss = Pure(10**6) if random.random() < 0.25 else Approx(10**6, Fraction(1, 10**3))
    budget = promise if isinstance(promise, Pure) or random.random() < 0.3 else budget_from(10**4, Fraction(1, 10**3))
    columns = population.block.columns
    visit = {"visit": Column("visit", Kind.INTEGER)}

    def table(name: str, owner: OwnColumn | Through | EachRow) -> Table:
        return Table(name, sources[name], columns | visit, owner, _limits(random, population.by_row))

    tables = {"visits": table("visits", EachRow() if population.by_row else OwnColumn("pid"))}
    if not population.by_row:
        tables["items"] = table("items", Through("visit", "visits", "visit"))
        tables["people"] = table("people", OwnColumn("who"))
    public = {name: Column(name, columns[name].kind, columns[name].low, columns[name].high) for name in _LOOKUP}
    lookups = {"wards": Lookup("wards", sources["wards"], public, "j")}
    unit = Unit(relation, "one person", None if population.by_row else "pid")
    path = folder / "clinic.toml"  # no floor and no breaker: they would hide what is looked for
    return Description("clinic", path, unit, budget, promise, tables, lookups, floor=Fraction(0), breaker=None)


def _limits(random: Random, by_row: bool) -> Limits:
    if by_row or random.random() < 0.5:
        return Limits()
    return Limits(random.choice((1, 2, 5)), random.choice((None, 1, 3)))
