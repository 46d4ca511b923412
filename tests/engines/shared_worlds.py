"""Random data sets of `tests/laws`, brought to the types that every engine has, and loaded into another engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pyarrow as pa
from tests.engines.engines import EngineUnderTest
from tests.laws.databases import Worlds
from tests.laws.movement import planned, probes

from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.engines.protocol import Headers, Session
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Column, Description, Lookup, Table
from tacit.schema.kind import Kind
from tacit.schema.sources import read_source

_COMMON = {"UBIGINT": "DECIMAL(38,0)", "HUGEINT": "DECIMAL(38,0)", "TIMESTAMP_NS": "TIMESTAMP"}
_NEIGHBOURS = 1  # beside the base
_EARLIEST = "TIMESTAMP '4700-01-01 (BC) 00:00:00'"


@dataclass(frozen=True)
class SharedWorld:
    """A data set and a neighbour, each in DuckDB and in another engine, in the same types."""

    catalogue: Catalogue
    pairs: tuple[tuple[DuckDBSession, str, Session], ...]

    def statements(self, sql: str, random: Random) -> Iterator[str]:
        """Every statement that a run of the query may send for integers."""
        plan, full, price = planned(sql, self.catalogue, random)
        for probe in probes(plan, full, price):
            yield probe.sql

    def answers(self, sql: str) -> Iterator[tuple[pa.Table, pa.Table]]:
        """What both engines say to a statement, in each data set."""
        for laws, schema, session in self.pairs:
            laws.connection.execute(f"USE {schema}")
            yield laws.run(sql), session.run(sql)


@contextmanager
def shared_world(world: Worlds, under_test: EngineUnderTest, folder: Path) -> Iterator[SharedWorld]:
    """The base and one of its neighbours; gone when done."""
    laws, pairs = world.session, []
    with ExitStack() as stack:
        for schema in (world.base, *world.removed[-_NEIGHBOURS:]):
            laws.connection.execute(f"USE {schema}")
            headers = _common(world, f"{schema}_shared")
            stack.callback(laws.connection.execute, f"USE main; DROP SCHEMA {schema}_shared CASCADE")
            place = folder / schema
            place.mkdir()
            sources = under_test.load(laws.connection, list(headers), place)
            described = _placed(world.description, sources, place)
            session = stack.enter_context(under_test.engine().session(described))
            pairs.append((laws, f"{schema}_shared", session))
        yield SharedWorld(Catalogue(world.description, headers), tuple(pairs))


def _common(world: Worlds, schema: str) -> Headers:
    """The tables in types that all engines have; what another type cannot hold is NULL."""
    connection = world.session.connection
    connection.execute(f"CREATE SCHEMA {schema}")
    described: Mapping[str, Table | Lookup] = {**world.description.tables, **world.description.lookups}
    headers: dict[str, dict[str, str]] = {}
    for name, table in described.items():
        types = {column: kind for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall()}
        headers[name] = {column: _type(kind, table.columns.get(column)) for column, kind in types.items()}
        listed = ", ".join(_read(column, kind) for column, kind in headers[name].items())
        connection.execute(f"CREATE TABLE {schema}.{name} AS SELECT {listed} FROM {name}")
    connection.execute(f"USE {schema}")
    return headers


def _type(kind: str, declared: Column | None) -> str:
    """Texts are not read as numbers or times everywhere."""
    if kind == "VARCHAR" and declared is not None and declared.kind.is_number:
        return "DOUBLE"
    if kind == "VARCHAR" and declared is not None and declared.kind.is_time:
        return "DATE" if declared.kind is Kind.DATE else "TIMESTAMP"
    return _COMMON.get(kind, kind)


def _read(column: str, kind: str) -> str:
    value = f'TRY_CAST("{column}" AS {kind})'
    if kind in ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"):
        value = f"CASE WHEN {value} >= CAST({_EARLIEST} AS {kind}) OR NOT isfinite({value}) THEN {value} END"
    return f'{value} AS "{column}"'


def _placed(description: Description, sources: Mapping[str, str], folder: Path) -> Description:
    """The description with tables where the engine has them."""

    def source(name: str, table: Table | Lookup) -> Table | Lookup:
        given = dict(line.replace('"', "").split(" = ", 1) for line in sources[name].splitlines())
        return replace(table, source=read_source(given["source"], folder, given.get("table")))

    tables = {name: source(name, table) for name, table in description.tables.items()}
    lookups = {name: source(name, table) for name, table in description.lookups.items()}
    return replace(
        description,
        tables={name: table for name, table in tables.items() if isinstance(table, Table)},
        lookups={name: table for name, table in lookups.items() if isinstance(table, Lookup)},
    )
