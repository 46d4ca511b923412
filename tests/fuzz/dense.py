"""One engine that holds the table of dense rows, and gives the values of many expressions by one statement."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
from tests.engines.engines import EngineUnderTest
from tests.fuzz import awkward
from tests.fuzz.block import Block, shape

from tacit.curator.open_data import Translating
from tacit.errors import Failed, Refused
from tacit.query.engines.protocol import Engine, Headers, Session
from tacit.query.sql.expressions import sql_type
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Description
from tacit.schema.reader import read_description

_ARROW = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
}
_HEAD = '[dataset]\nname = "dense"\nunit = { row = true, hides = "one" }\nbudget = { rho = 1, delta = 0.1 }'


def create_tables(rows: duckdb.DuckDBPyConnection, blocks: Sequence[Block]) -> None:
    """The table of each block, its rows numbered."""
    for block in blocks:
        arrays = {"row": pa.array(range(awkward.ROWS))}
        for name, kind in block.physical.items():
            arrays[name] = pa.array(block.values[name], _ARROW.get(kind) or pa.decimal128(*shape(kind)))
        rows.register("given", pa.table(arrays))
        rows.execute(f'CREATE OR REPLACE TABLE "{block.table}" AS SELECT * FROM given')
        rows.unregister("given")


@dataclass
class Dense:
    """An engine with the tables; a session that failed is never used again."""

    name: str
    engine: Engine
    description: Description
    headers: Headers
    _stack: ExitStack = field(default_factory=ExitStack)
    _session: Session | None = None

    @classmethod
    def of(
        cls, engine: EngineUnderTest, rows: duckdb.DuckDBPyConnection, folder: Path, blocks: Sequence[Block]
    ) -> Dense:
        """An engine that holds the tables of the blocks, which are those of `rows`."""
        folder.mkdir(parents=True, exist_ok=True)
        parts = [
            f'[tables.{table}]\n{lines}\ncolumns = {{ row = {{ type = "int" }} }}'
            for table, lines in engine.load(rows, sorted({block.table for block in blocks}), folder).items()
        ]
        file = folder / "dense.toml"
        file.write_text("\n".join([_HEAD, *parts]))
        own = engine.engine()
        description = read_description(file, own.public_values)
        headers = {table.name: dict(own.header(table.source)) for table in description.sources}
        return cls(engine.name, own, description, headers)

    def has_words_for(self, item: Typed, block: Block) -> bool:
        """The engine can say the expression; DuckDB, in whose words it is, always."""
        if not isinstance(self.engine, Translating):
            return True
        try:
            own = {block.table: self.headers[block.table]}
            self.engine.said(f'SELECT {item.sql} AS v FROM "{block.table}"', own)
        except Refused:
            return False
        return True

    def columns(self, items: Sequence[Typed], block: Block) -> list[list[object]]:
        """The values of each expression on the rows of a block, in their order; `Failed` if the statement fails."""
        listed = ", ".join(f"{item.sql} AS v{place}" for place, item in enumerate(items))
        if self._session is None:
            self._session = self._stack.enter_context(self.engine.session(self.description))
        try:
            found = self._session.run(f'SELECT "{block.table}"."row" AS r, {listed} FROM "{block.table}"')
        except Failed:
            self.close()
            raise
        rows = found.column("r").to_pylist()
        order = sorted(range(len(rows)), key=rows.__getitem__)
        columns = [found.column(f"v{place}").to_pylist() for place in range(len(items))]
        return [[column[row] for row in order] for column in columns]

    def close(self) -> None:
        """End the session, if there is one."""
        self._session = None
        with suppress(Failed):
            self._stack.close()


@dataclass(frozen=True)
class Bare:
    """A bare connection to DuckDB, for tables of types that no file keeps."""

    connection: duckdb.DuckDBPyConnection
    name: str = "duckdb"

    def has_words_for(self, item: Typed, block: Block) -> bool:
        return True

    def columns(self, items: Sequence[Typed], block: Block) -> list[list[object]]:
        try:
            found = self.connection.execute(f"SELECT {', '.join(item.sql for item in items)} FROM {block.table}")
        except duckdb.Error:
            raise Failed from None
        types = [str(column[1]) for column in found.description]
        assert types == [sql_type(item) for item in items]
        return [list(column) for column in zip(*found.fetchall(), strict=True)]
