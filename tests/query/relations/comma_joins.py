"""Random joins written with commas, in any order, over small tables that keep their declarations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random

import duckdb

from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Column, Description, Lookup, OwnColumn, Source, Table, Through, Unit
from tacit.schema.kind import Kind

_NOWHERE = Source("parquet", Path("nowhere.parquet"))


def _columns(*texts: str, **numbers: int) -> dict[str, Column]:
    written = {name: Column(name, Kind.TEXT) for name in texts}
    return written | {name: Column(name, Kind.INTEGER, Fraction(0), Fraction(most)) for name, most in numbers.items()}


_TABLES = {
    "visits": Table("visits", _NOWHERE, _columns("ward", visit=99, cost=20), OwnColumn("pid")),
    "items": Table("items", _NOWHERE, _columns("label", visit=99, quantity=9), Through("visit", "visits", "visit")),
    "people": Table("people", _NOWHERE, _columns("town", born=2020), OwnColumn("who")),
}
_LOOKUPS = {
    "wards": Lookup("wards", _NOWHERE, _columns("ward", "area", floor=3), "ward"),
    "areas": Lookup("areas", _NOWHERE, _columns("area", "boss"), "area"),
}
_UNIT = Unit(Relation.ADD_REMOVE, "one person", "pid")
_BUDGET = Approx(8, Fraction(1, 10**5))
DESCRIPTION = Description("clinic", Path("clinic.toml"), _UNIT, _BUDGET, _BUDGET, _TABLES, _LOOKUPS)
CATALOGUE = Catalogue(DESCRIPTION)


def _maybe(random: Random, value: object) -> str:
    return "NULL" if random.random() < 0.15 else repr(value)


@contextmanager
def clinic(random: Random) -> Iterator[duckdb.DuckDBPyConnection]:
    """Tables with NULLs in the columns of joins, rows twice, and keys without partners."""
    with duckdb.connect() as rows:
        rows.execute("CREATE TABLE visits (pid BIGINT, visit BIGINT, ward VARCHAR, cost BIGINT)")
        rows.execute("CREATE TABLE items (visit BIGINT, label VARCHAR, quantity BIGINT)")
        rows.execute("CREATE TABLE people (who BIGINT, town VARCHAR, born BIGINT)")
        rows.execute("CREATE TABLE wards (ward VARCHAR, area VARCHAR, floor BIGINT)")
        rows.execute("CREATE TABLE areas (area VARCHAR, boss VARCHAR)")
        for visit in range(14):
            ward = _maybe(random, random.choice("abcd"))
            cost = _maybe(random, random.randrange(4))
            rows.execute(f"INSERT INTO visits VALUES ({random.randrange(4)}, {_maybe(random, visit)}, {ward}, {cost})")
        for _ in range(12):
            item = f"({_maybe(random, random.randrange(16))}, {_maybe(random, random.choice('xy'))}, 1)"
            rows.execute(f"INSERT INTO items VALUES {', '.join([item] * random.choice((1, 1, 2)))}")
        for who in (0, 1, 1, 2, 9):
            rows.execute(f"INSERT INTO people VALUES ({who}, {_maybe(random, random.choice('tu'))}, {1990 + who})")
        for ward in "abcx":
            area = _maybe(random, random.choice("mno"))
            rows.execute(f"INSERT INTO wards VALUES ('{ward}', {area}, {_maybe(random, random.randrange(3))})")
        rows.execute("INSERT INTO areas VALUES ('m', 'k'), ('n', NULL), ('z', 'l')")
        yield rows


_LINKS = {
    "i": ("items", ("v.visit = i.visit",), ("i.label", "i.quantity")),
    "p": ("people", ("p.who = v.pid",), ("p.town", "p.born")),
    "b": ("visits", ("b.pid = v.pid", "v.ward = b.ward"), ("b.cost", "b.ward")),
    "w": ("wards", ("w.ward = v.ward",), ("w.area", "w.floor")),
    "a": ("areas", ("w.area = a.area",), ("a.boss", "a.area")),
    "x": ("wards", ("v.ward = x.ward", "w.area = x.area"), ("x.floor", "x.area")),
}
_FURTHER = {"a": "w", "x": "w"}  # what is joined through another public table
_TESTS = ("v.cost > 0", "v.cost <> 2 OR v.ward = 'a'", "v.ward IN ('a', 'b')", "v.cost IS NOT NULL")


def random_from(random: Random) -> tuple[list[str], str]:
    """Columns that may be selected, and FROM with WHERE."""
    names = random.sample([*_LINKS], random.choice((1, 2, 2, 3, 4)))
    names += [_FURTHER[name] for name in names if name in _FURTHER and _FURTHER[name] not in names]
    order = [*dict.fromkeys(names), "v"]
    random.shuffle(order)
    waiting = [part for name in order if name != "v" for part in _LINKS[name][1]]
    columns = ["v.ward", "v.cost", *(column for name in order if name != "v" for column in _LINKS[name][2])]
    left = ""
    if random.random() < 0.3:
        left, columns = " LEFT JOIN wards AS l ON l.ward = v.ward", [*columns, "l.area"]
    text, there = "", set[str]()
    for name in order:
        table = "visits AS v" + left if name == "v" else f"{_LINKS[name][0]} AS {name}"
        there.add(name)
        ready = [part for part in waiting if {side.split(".")[0] for side in part.split(" = ")} <= there]
        if text and ready and name != "v" and random.random() < 0.3:
            waiting = [part for part in waiting if part not in ready]
            text += f" JOIN {table} ON {' AND '.join(ready)}"
        else:
            text += (", " if random.random() < 0.7 or (name == "v" and left) else " CROSS JOIN ") * bool(text) + table
    tests = random.sample(_TESTS, random.choice((0, 1, 2)))
    if waiting and random.random() < 0.25:
        common = waiting.pop()
        tests.append(f"({common} AND v.cost = 1) OR (v.cost IS NULL AND {common})")
    where = [part if " OR " not in part else f"({part})" for part in (*waiting, *tests)]
    random.shuffle(where)
    return columns, text + (f" WHERE {' AND '.join(where)}" if where else "")
