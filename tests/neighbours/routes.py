"""The routes of rows to a release: kinds of source, engines, and prepared forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.engines import EngineUnderTest
from tests.neighbours.population import Population, Tables, describe

from tacit.curator.dataset import Dataset
from tacit.curator.open_data import Opened
from tacit.ledger.ledger import Ledger
from tacit.query.engines.duckdb import session as duckdb_session
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.frames import read_frames
from tacit.query.engines.protocol import Engine
from tacit.schema.description import Source
from tacit.schema.sources import read_source

SOURCES = ("parquet", "csv", "duckdb", "frame")
MADE = ("as it is", "parts", "prepared", "profiled", "profiled and prepared", "asked in ibis")
_COLLATIONS = ("NOCASE", "NOACCENT", "")


@dataclass(frozen=True)
class Route:
    """A kind of source, or a server, and the preparation before the first question."""

    source: str = "parquet"
    made: str = "as it is"
    server: EngineUnderTest | None = None

    @contextmanager
    def opened(self, population: Population, tables: Tables, seed: int, folder: Path) -> Iterator[Dataset]:
        """The data set behind its curator, with a ledger of its own."""
        folder.mkdir()
        arrow = population.arrow(tables)
        sources, engine = self._loaded(arrow, folder, Random(seed))
        description = describe(population, Random(seed), sources, folder)
        with ExitStack() as stack:
            if self.made == "parts":
                patch = stack.enter_context(pytest.MonkeyPatch.context())
                patch.setattr(duckdb_session, "parts_expected", lambda *_: 4)
            ledger = Ledger.open(folder / "ledger.sqlite")
            dataset = stack.enter_context(Dataset(Opened(description, ledger, engine), "steward"))
            yield dataset

    def _loaded(
        self, arrow: Mapping[str, pa.Table], folder: Path, random: Random
    ) -> tuple[Mapping[str, Source], Engine]:
        engine = DuckDBEngine(threads=1, memory="1GB" if self.made == "parts" else None)
        if self.server is not None:
            with duckdb.connect() as rows:
                for name, given in arrow.items():
                    rows.register("given", given)
                    rows.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
                said = self.server.load(rows, list(arrow), folder)
            return {name: _source(lines, folder) for name, lines in said.items()}, self.server.engine()
        if self.source == "frame":
            sources = {name: Source("frame", Path("clinic"), name) for name in arrow}
            return sources, replace(engine, frames=read_frames(arrow))
        if self.source == "duckdb":
            _write_database(arrow, folder, random)
            return {name: Source("duckdb", folder / "clinic.duckdb", name) for name in arrow}, engine
        for name, given in arrow.items():
            if self.source == "parquet":
                pq.write_table(given, folder / f"{name}.parquet")
            else:
                with duckdb.connect() as rows:
                    rows.register("given", given)
                    rows.execute(f"COPY given TO '{folder / name}.csv' (HEADER)")
        return {name: Source(self.source, folder / f"{name}.{self.source}") for name in arrow}, engine


def _source(lines: str, folder: Path) -> Source:
    given = dict(line.replace('"', "").split(" = ", 1) for line in lines.splitlines())
    return read_source(given["source"], folder, given.get("table"))


def _write_database(arrow: Mapping[str, pa.Table], folder: Path, random: Random) -> None:
    """A DuckDB file whose columns of text are compared by some rule, in each table another."""
    with duckdb.connect(str(folder / "clinic.duckdb")) as database:
        for name, given in arrow.items():
            database.register("given", given)
            rule = random.choice(_COLLATIONS)
            kinds = {column: kind for column, kind, *_ in database.execute("DESCRIBE SELECT * FROM given").fetchall()}
            listed = ", ".join(
                f'"{column}" {kind}' + (f" COLLATE {rule}" if rule and kind == "VARCHAR" else "")
                for column, kind in kinds.items()
            )
            database.execute(f"CREATE TABLE {name} ({listed})")
            database.execute(f"INSERT INTO {name} SELECT * FROM given")
