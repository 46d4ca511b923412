"""Worlds of dirty rows with the kept form of each beside it, and runs of plans whose every table is written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa
from tests.laws.databases import Worlds
from tests.query.running.all_stages import run

from tacit.noise.bits import Seeded
from tacit.query.aggregates.rank_grid import Edges
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.materialized.form import KEPT, TableForm, creation_steps, forms_of, with_edges
from tacit.query.materialized.statements import Statements
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price

Table = list[tuple[object, ...]]


def keep_forms(connection: duckdb.DuckDBPyConnection, forms: Mapping[str, TableForm], kept: str) -> None:
    """Make the kept tables of what the connection sees now, in a database of this name."""
    connection.execute(f"ATTACH ':memory:' AS {kept}")
    steps = [step for form in forms.values() for step in creation_steps(form)]
    for step in steps:
        kind = "TEMP TABLE" if step.is_draft else "TABLE"
        connection.execute(f"CREATE {kind} {step.name.replace(KEPT, kept)} AS {step.sql.replace(KEPT, kept)}")
    for step in steps:
        if step.is_draft:
            connection.execute(f"DROP TABLE {step.name}")


@dataclass(frozen=True)
class KeptWorlds:
    """A data set and its neighbours, each with its kept form."""

    worlds: Worlds
    forms: Mapping[str, TableForm]

    @property
    def statements(self) -> Statements:
        return Statements(self.forms)

    def named(self, world: str, sql: str) -> str:
        """The SQL in a session that has several kept databases."""
        return sql.replace(KEPT, f'"kept {world}"')

    def answer(self, world: str, sql: str) -> tuple[list[tuple[str, str]], list[dict[str, object]]]:
        return self.worlds.answer(world, self.named(world, sql))

    def kept_tables(self, world: str) -> dict[str, Counter[tuple[object, ...]]]:
        """Every kept table of a world: how often each row is in it. NaN is written as text: it equals itself."""
        connection = self.worlds.session.connection
        found = {}
        for (name,) in connection.execute(
            f"SELECT table_name FROM duckdb_tables() WHERE database_name = 'kept {world}'"
        ).fetchall():
            rows = connection.execute(f'SELECT * FROM "kept {world}"."{name}"').fetchall()
            found[name] = Counter(tuple(map(repr, row)) for row in rows)
        return found


@contextmanager
def kept_worlds(world: Worlds, names: Sequence[str], edges: Edges | None = None) -> Iterator[KeptWorlds]:
    """The same worlds, those that are named with their kept forms, with norms on even grids; gone when done."""
    connection, forms = world.session.connection, with_edges(forms_of(world.catalogue), edges or {})
    made: list[str] = []
    try:
        for name in names:
            connection.execute(f"USE {name}")
            made.append(f'"kept {name}"')
            keep_forms(connection, forms, made[-1])
        yield KeptWorlds(world, forms)
    finally:
        connection.execute("USE memory.main")
        for name in made:
            connection.execute(f"DETACH {name}")


@dataclass
class Recorder:
    """A session that writes down every table it gives; what is kept for a while ends with the recorder."""

    connection: duckdb.DuckDBPyConnection
    kept: str = KEPT
    tables: list[tuple[list[str], Table]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def run(self, sql: str) -> pa.Table:
        sql = sql.replace(KEPT, self.kept)
        self.sent.append(sql)
        table = DuckDBSession(self.connection).run(sql)
        rows = zip(*table.to_pydict().values(), strict=True)
        self.tables.append((table.column_names, sorted(rows, key=repr)))
        return table

    def keep(self, name: str, sql: str) -> None:
        sql = sql.replace(KEPT, self.kept)
        DuckDBSession(self.connection).keep(name, sql)
        self.sent.append(sql)
        self.names.append(name)

    def forget(self) -> None:
        for name in self.names:
            self.connection.execute(f'DROP VIEW "{name}"; DROP TABLE "{name} of all"')


def recorded(
    plan: Plan, price: Price, connection: duckdb.DuckDBPyConnection, statements: Statements, kept: str = KEPT
) -> tuple[bytes, Recorder]:
    """(the noisy integers under frozen entropy, every table that the engine gave on the way)."""
    session = Recorder(connection, kept)
    try:
        return run(plan, price, session, Seeded(1), statements).to_bytes(), session
    finally:
        session.forget()
