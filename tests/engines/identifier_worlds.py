"""A small data set with identifiers of awkward types and collations, with and without each person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Protocol

from tests.laws.movement import Probe, Reading, planned, probes

from tacit.query.engines.protocol import Engine
from tacit.schema.catalogue import Catalogue, compare_headers
from tacit.schema.description import Description
from tacit.schema.reader import read_description

COLUMNS = {"visits": ("pid", "visit", "cost"), "people": ("who", "bonus"), "items": ("visit", "price")}
QUERIES = (
    "SELECT COUNT(*), SUM(cost) FROM visits",
    "SELECT SUM(t) FROM (SELECT pid, SUM(cost) AS t FROM visits GROUP BY pid) AS s",
    "SELECT COUNT(DISTINCT pid), MEDIAN(cost) FROM visits",
    "SELECT COUNT(*), SUM(v.cost) FROM visits AS v JOIN people AS p ON v.pid = p.who",
    "SELECT SUM(v.cost), SUM(p.bonus) FROM visits AS v LEFT JOIN people AS p ON v.pid = p.who",
    "SELECT COUNT(*), SUM(price) FROM items",
    "SELECT SUM(i.price) FROM items AS i JOIN visits AS v ON i.visit = v.visit",
    "SELECT SUM(w) FROM (SELECT who, MAX(bonus) AS w FROM people GROUP BY who) AS s",
)
_DESCRIPTION = """\
[dataset]
name = "names"
unit = { id = "pid", hides = "one person" }
budget = { epsilon = 100, delta = 1e-6 }
"""
_TABLES = {
    "visits": 'limits = { rows = 4 }\n[tables.visits.columns]\nvisit = { type = "text" }\n'
    'cost = { type = "int", min = -100, max = 100 }\n',
    "people": 'unit = { id = "who" }\nlimits = { rows = 2 }\n[tables.people.columns]\n'
    'bonus = { type = "int", min = -9, max = 9 }\n',
    "items": 'unit = { column = "visit", table = "visits", key = "visit" }\nlimits = { rows = 4 }\n'
    '[tables.items.columns]\nvisit = { type = "text" }\nprice = { type = "int", min = -9, max = 9 }\n',
}

Cell = str | int | None
Rows = Mapping[str, Sequence[tuple[Cell, ...]]]


@dataclass(frozen=True)
class Names:
    """How people and visits are called: types of the engine's, and names that differ where their texts do."""

    pid: str
    who: str
    visit: str
    pointer: str
    people: tuple[str, ...]
    visits: tuple[str, ...]

    @property
    def types(self) -> Mapping[str, Mapping[str, str]]:
        return {
            "visits": {"pid": self.pid, "visit": self.visit, "cost": "INTEGER"},
            "people": {"who": self.who, "bonus": "INTEGER"},
            "items": {"visit": self.pointer, "price": "INTEGER"},
        }

    def rows(self, without: str | None = None) -> Rows:
        """Neighbouring names have values of opposite signs: taking two people for one moves sums by two radii."""
        visits: list[tuple[Cell, ...]] = [(None, visit, 7) for visit in self.visits[:1]]
        people: list[tuple[Cell, ...]] = []
        items: list[tuple[Cell, ...]] = [(visit, 9 - 18 * (place % 2)) for place, visit in enumerate(self.visits)] * 3
        for place, who in enumerate(self.people):
            if who != without:
                sign, visit = 1 - 2 * (place % 2), self.visits[place % len(self.visits)]
                visits += [(who, visit, sign * 100)] * (4 + 8 * (place % 2))
                people += [(who, sign * 9)] * (1 + place % 2)
        return {"visits": visits, "people": people, "items": items}


TEXTS = ("A", "a", "á", "a\u0301", "a ", "7", "07")
NUMBERS = ("-3", "0", "3", "7", "12")
UUIDS = ("00000000-0000-0000-0000-00000000000a", "ffffffff-0000-4000-8000-00000000000b")


class Place(Protocol):
    """Where an engine reads tables of its own types."""

    def engine(self) -> Engine: ...

    def load(self, names: Names, rows: Rows, folder: Path) -> dict[str, str]:
        """By the name of each table the lines that stand for its source in a description."""
        ...


def opened(place: Place, names: Names, folder: Path) -> tuple[Engine, Catalogue]:
    """The data set, and what the planner knows of it."""
    engine, description = written(place, names, folder)
    return engine, Catalogue(description, headers(engine, description))


def written(place: Place, names: Names, folder: Path, without: str | None = None) -> tuple[Engine, Description]:
    """The data set, without one of its people if asked."""
    folder.mkdir()
    text, engine = _DESCRIPTION, place.engine()
    for table, lines in place.load(names, names.rows(without), folder).items():
        text += f"[tables.{table}]\n{lines}\n{_TABLES[table]}"
    (folder / "names.toml").write_text(text)
    return engine, described(folder)


def described(folder: Path) -> Description:
    return read_description(folder / "names.toml", lambda *_: [])


def headers(engine: Engine, description: Description) -> dict[str, dict[str, str]]:
    return {table.name: dict(engine.header(table.source)) for table in description.sources}


def wrong_headers(place: Place, names: Names, folder: Path) -> list[str]:
    """The result of the description's check of the tables."""
    _, catalogue = opened(place, replace(names, people=(), visits=()), folder)
    found = {name: list(header.items()) for name, header in catalogue.physical.items()}
    return compare_headers(catalogue.description, found)


def moved(place: Place, names: Names, folder: Path, queries: Sequence[str] = QUERIES) -> Iterator[str | None]:
    """Comparisons with each person's neighbour: None, or what moved too far."""
    engine, catalogue = opened(place, names, folder / "all")
    asked = [
        (sql, probe)
        for number, sql in enumerate(queries)
        for probe in probes(*planned(sql, catalogue, Random(number), edges={}))
    ]
    found = _integers(engine, catalogue.description, catalogue, asked)
    for number, who in enumerate(names.people):
        other = _integers(*written(place, names, folder / f"w{number}", who), catalogue, asked)
        for (sql, base), (_, without) in zip(found, other, strict=True):
            yield None if base.is_within(without, 1) else f"{names.pid}/{names.who}, without {who!r}: {sql}"


def _integers(
    engine: Engine, description: Description, planned_by: Catalogue, asked: Sequence[tuple[str, Probe]]
) -> list[tuple[str, Reading]]:
    """What is added up in a world: its types are those of the world that was planned by."""
    found = []
    with engine.session(description, planned_by.physical) as session:
        for sql, probe in asked:
            found += [(sql, each) for each in probe.read(session.run(probe.sql).to_pylist())]
    return found
