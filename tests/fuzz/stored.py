"""A file whose columns hold any octets, and the same without one person: questions of it are answered alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.octets import TYPES, plain, wild
from tests.neighbours.comparing import Asking, Outcome, differences

from tacit.curator.dataset import Dataset
from tacit.curator.open_data import Opened
from tacit.ledger.ledger import Ledger
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.protocol import Engine
from tacit.schema.catalogue import compare_headers
from tacit.schema.description import Description
from tacit.schema.reader import read_description

DECLARED = {
    "int": 'type = "int"',
    "count": 'type = "int", min = 0, max = 3',
    "decimal": 'type = "decimal", scale = 2, min = -1, max = 4',
    "float": 'type = "float", min = 0, max = 3',
    "text": 'type = "text"',
    "keys": 'type = "text", keys = ["1", "a"]',
    "bool": 'type = "bool"',
    "date": 'type = "date", min = 1970-01-01, max = 2030-12-31',
    "timestamp": 'type = "timestamp", min = 1970-01-01T00:00:00, max = 2030-12-31T00:00:00',
}
_HEAD = """\
[dataset]
name = "stored"
unit = {{ id = "pid", hides = "one" }}
budget = {{ rho = 1000, delta = 1e-3 }}
floor = 0
breaker = "off"
{engine}[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
"""
_QUESTIONS = {
    "bool": ("SELECT COUNT(*) FROM visits WHERE {0}", "SELECT {0}, COUNT(*) FROM visits GROUP BY 1"),
    "text": (
        "SELECT COUNT(DISTINCT {0}) FROM visits",
        "SELECT {0}, COUNT(*) FROM visits GROUP BY 1",
        "SELECT SUM(LENGTH({0}) % 7) FROM visits WHERE {0} LIKE '%1%'",
    ),
    "number": ("SELECT SUM({0}), COUNT({0}), MEDIAN({0}) FROM visits", "SELECT COUNT(*) FROM visits WHERE {0} > 1"),
    "free": ("SELECT SUM({0} % 7), COUNT(DISTINCT {0}) FROM visits", "SELECT COUNT(*) FROM visits WHERE {0} > 1"),
    "moment": (
        "SELECT MEDIAN({0}), COUNT({0}) FROM visits",
        "SELECT SUM(date_part('year', {0})) FROM visits",
        "SELECT COUNT(DISTINCT CAST({0} AS VARCHAR)) FROM visits",
    ),
}
_ASKED = {
    "int": "free",
    "count": "number",
    "decimal": "number",
    "float": "number",
    "bool": "bool",
    "text": "text",
    "keys": "text",
    "date": "moment",
    "timestamp": "moment",
}


@dataclass(frozen=True)
class Stored:
    """A file: each column's type there, what it is declared as, and how it is written."""

    columns: dict[str, tuple[pa.DataType, str]]
    table: pa.Table
    options: dict[str, object]

    @classmethod
    def of(cls, random: Random, columns: int = 4) -> Stored:
        """Person 0 has three rows of any octets; the nine others have such rows too, or what people mean."""
        types = {f"c{place}": (random.choice(TYPES), random.choice([*DECLARED])) for place in range(columns)}
        others = wild if random.random() < 0.3 else plain
        arrays = {
            name: pa.chunked_array([wild(kind, 3, random), others(kind, 9, random)])
            for name, (kind, _) in types.items()
        }
        options: dict[str, object] = {
            "row_group_size": random.choice((1, 4, 100)),
            "use_dictionary": random.random() < 0.5,
            "write_statistics": random.random() < 0.7,
            "version": random.choice(("1.0", "2.6")),
            "use_deprecated_int96_timestamps": random.random() < 0.2,
        }
        return cls(types, pa.table({"pid": pa.array([0, 0, 0, *range(1, 10)], pa.int64()), **arrays}), options)

    def described(self, folder: Path, table: pa.Table, engine: Engine, said: str) -> Description | None:
        """The file, and a description of the columns that may be declared as they are; None if none may."""
        folder.mkdir(parents=True)
        try:
            pq.write_table(table, folder / "visits.parquet", **self.options)
        except pa.ArrowException:  # moments that no file holds
            return None
        columns = dict(self.columns)
        while columns:
            lines = "".join(f"{name} = {{ {DECLARED[kind]} }}\n" for name, (_, kind) in columns.items())
            (folder / "stored.toml").write_text(_HEAD.format(engine=said) + lines)
            description = read_description(folder / "stored.toml", lambda *_: [])
            header = list(engine.header(description.tables["visits"].source))
            wrong = " ".join(compare_headers(description, {"visits": header}))
            if not wrong:
                return description
            columns = {name: own for name, own in columns.items() if f"visits.{name} is" not in wrong}
        return None

    def questions(self, description: Description) -> Iterator[str]:
        """What is asked of the columns that are described."""
        for name in description.tables["visits"].columns:
            for form in _QUESTIONS[_ASKED[self.columns[name][1]]]:
                yield form.format(name)


@dataclass
class Compared:
    """The questions to files and their neighbours, and the differences found."""

    asked: int = 0
    wrong: list[str] = field(default_factory=list)


def compare(seed: int, folder: Path, engine: Engine | None = None, said: str = "") -> Compared:
    """A random file with and without person 0: status, shape and ledger are equal, integers within the radius."""
    stored, found = Stored.of(Random(seed)), Compared()
    own = engine or DuckDBEngine(threads=1)
    without = stored.table.slice(3)
    worlds = [
        (place, stored.described(folder / place, rows, own, said))
        for place, rows in (("with", stored.table), ("without", without))
    ]
    outcomes: dict[str, Outcome] = {}
    for place, description in worlds:
        if description is None:
            return found
        ledger = Ledger.open(folder / place / "ledger.sqlite")
        asking = Asking(seed)
        with Dataset(Opened(description, ledger, own), "steward") as dataset:
            for sql in stored.questions(description):
                outcome = asking.outcome(dataset, sql, "1", outcomes.get(sql), anew=True)
                if place == "with":
                    outcomes[sql] = outcome
                    found.asked += 1
                told = f"seed {seed}: {sql}; {stored.columns}"
                if outcome.status.startswith("failed"):
                    found.wrong.append(f"it fails {place}; {told}")
                elif place == "without":
                    found.wrong += [f"{words}; {told}" for words in differences(outcomes[sql], outcome, 1)]
    return found
