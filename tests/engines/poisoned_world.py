"""A data set of poison: every type, every way to read it, planned against and run without its ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
from tests.engines.poison_values import TYPES, table_sql
from tests.query.running.all_stages import run

from tacit.loss.families.approx import Pure
from tacit.noise.bits import Seeded
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.protocol import Engine
from tacit.query.execution.noisy_table import NoisyTable
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue, can_be_read, is_read_without_fail
from tacit.schema.kind import Kind
from tacit.schema.reader import read_description

_AGGREGATES = (
    "COUNT({0}), SUM({0}), AVG({0}), VAR_POP({0}), STDDEV_SAMP({0}), MEDIAN({0}), QUANTILE_CONT({0}, 0.9), MIN({0}), "
    "MAX({0}), COUNT(DISTINCT {0}), COUNT(DISTINCT person) FILTER (WHERE {0} > 1)"
)
_TIMES = "COUNT({0}), COUNT(DISTINCT {0}), COUNT(*) FILTER (WHERE {0} > DATE '2023-01-01'), COUNT(DISTINCT person)"
_FEW = "COUNT({0}), COUNT(DISTINCT {0}), COUNT(*) FILTER (WHERE {0} IS NULL)"


@dataclass(frozen=True)
class Way:
    """A way to read columns: as which kind, with which declaration; what is asked of them, and by what they group."""

    kind: Kind
    declared: str
    aggregates: str
    group: str | None


WAYS = {
    "int": Way(Kind.INTEGER, 'type = "int", min = -5, max = 100', _AGGREGATES, "{0}"),
    "filled": Way(Kind.INTEGER, 'type = "int", min = -5, max = 100, nullable = false', _AGGREGATES, "{0} // 10"),
    "wide": Way(Kind.INTEGER, 'type = "int"', _FEW, "{0}"),
    "edge": Way(Kind.INTEGER, f'type = "int", min = {-(2**60)}, max = {2**60}', "SUM({0}), AVG({0})", "{0} * 3"),
    "money": Way(Kind.DECIMAL, 'type = "money", min = 0, max = 2000.5', _AGGREGATES, "{0}"),
    "float": Way(Kind.FLOAT, 'type = "float", min = -1.5, max = 1e6', _AGGREGATES, None),
    "free": Way(Kind.FLOAT, 'type = "float"', _FEW, "CAST({0} AS BIGINT)"),
    "text": Way(Kind.TEXT, 'type = "text"', _FEW, "{0}"),
    "keyed": Way(Kind.TEXT, 'type = "text", keys = ["1", "x", "true"]', _FEW, "{0}"),
    "bool": Way(Kind.BOOLEAN, 'type = "bool"', _FEW, "{0}"),
    "date": Way(Kind.DATE, 'type = "date"', _TIMES, "{0}"),
    "near": Way(Kind.DATE, 'type = "date", min = 2023-01-01, max = 2023-12-31', _TIMES, "date_trunc('month', {0})"),
    "timestamp": Way(Kind.TIMESTAMP, 'type = "timestamp"', _TIMES, "date_trunc('year', {0})"),
}


def described(folder: Path, ending: str, extra: str = "") -> Path:
    """A description of the poisoned file beside it, once for each way to read it."""
    names = {column: "VARCHAR" if ending == "csv" else kind for column, (kind, _) in TYPES.items() if column != "span"}
    if ending == "parquet":
        names = {column: kind for column, kind in names.items() if is_read_without_fail(kind)}
    lines = [
        '[dataset]\nname = "poison"\nunit = { id = "person", hides = "one person" }\n'
        f'budget = {{ rho = 1000000, delta = 0.5 }}\nfloor = 0\nbreaker = "off"\nledger = "ledger.sqlite"\n{extra}'
    ]
    for way, reading in WAYS.items():
        source = f'source = "poison.{ending}"' + ('\ntable = "poison"' if ending == "duckdb" else "")
        columns = [
            f"{column} = {{ {reading.declared} }}" for column, kind in names.items() if can_be_read(kind, reading.kind)
        ]
        lines.append(
            f"[tables.{way}]\n{source}\nlimits = {{ rows = 3 }}\n[tables.{way}.columns]\n" + "\n".join(columns)
        )
    file = folder / "poison.toml"
    file.write_text("\n".join(lines))
    return file


def poisoned(folder: Path, ending: str, without: int | None = None) -> Path:
    """The description of a file of poison, perhaps without one person."""
    folder.mkdir()
    place = folder / f"poison.{ending}"
    with duckdb.connect(str(place) if ending == "duckdb" else ":memory:") as connection:
        connection.execute(table_sql("poison", without))
        if ending != "duckdb":
            options = "" if ending == "parquet" else "(HEADER)"
            connection.execute(f"COPY (SELECT * EXCLUDE (span) FROM poison) TO '{place}' {options}")
    return described(folder, ending)


@dataclass(frozen=True)
class World:
    """A poisoned data set, ready to be planned against and run."""

    catalogue: Catalogue
    engine: Engine

    @classmethod
    def opened(cls, file: Path, engine: Engine | None = None) -> World:
        engine = engine or DuckDBEngine(threads=1)
        description = read_description(file, engine.public_values)
        header = dict(engine.header(next(iter(description.tables.values())).source))
        return cls(Catalogue(description, dict.fromkeys(description.tables, header)), engine)

    def alone(self, way: str, column: str) -> World:
        """The same with one table of one column: what is asked of it is short."""
        description = self.catalogue.description
        table = description.tables[way]
        narrow = replace(table, columns={column: table.columns[column]})
        return replace(self, catalogue=replace(self.catalogue, description=replace(description, tables={way: narrow})))

    def planned(self, sql: str) -> tuple[Plan, Price]:
        """The plan of a query and its price, the same for every neighbour, since they do not depend on rows."""
        description = self.catalogue.description
        question = read_question(sql, self.catalogue)
        price = price_of(description.budget, description.promise, 10, None, question.has_private_keys)
        return make_plan(question, self.catalogue, is_gaussian=not isinstance(description.budget, Pure)), price

    def noisy(self, sql: str, planned: tuple[Plan, Price] | None = None) -> NoisyTable:
        """The noisy integers of a query, with frozen entropy; the charge is left out, nothing else."""
        plan, price = planned or self.planned(sql)
        with self.engine.session(self.catalogue.description) as session:
            return run(plan, price, session, Seeded(1))


def of_both(neighbours: Sequence[World], way: str, column: str, sql: str) -> list[NoisyTable]:
    """The noisy integers of a query about one column in every neighbour; it is planned once."""
    worlds = [world.alone(way, column) for world in neighbours]
    planned = worlds[0].planned(sql)
    return [world.noisy(sql, planned) for world in worlds]


def columns_of(world: World, way: str, every: int) -> list[str]:
    """Every so many-th of the columns that can be read in a way; another choice for each way."""
    return list(world.catalogue.description.tables[way].columns)[list(WAYS).index(way) % every :: every]
