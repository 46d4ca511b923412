"""The file of a materialized form: written by the steward, attached read-only, accessible to the owner only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.query.engines.duckdb.engine import DuckDBEngine, DuckDBSession
from tacit.query.engines.protocol import Engine, Headers, Lending, Session
from tacit.query.materialized.form import KEPT, CreationStep, TableForm, creation_steps
from tacit.query.sql.rows import UNIT, quoted
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description

Progress = Callable[[str, int, int], None]
"""Called with the current work, the steps done, and their number."""


@frozen
class MaterializedFile:
    """A file of kept tables, and the engine that reads them, beside the sources or alone."""

    path: Path
    engine: DuckDBEngine

    @classmethod
    def beside(cls, path: Path, engine: DuckDBEngine) -> MaterializedFile:
        """The file read by an engine of its own with the same settings, so that it stays attached between questions."""
        return cls(path, replace(engine))

    @contextmanager
    def session(self, description: Description, physical: Headers | None = None) -> Iterator[DuckDBSession]:
        """A session that sees the description's sources and the kept tables."""
        with self.engine.session(description, physical) as session:
            try:
                session.connection.execute(f"ATTACH IF NOT EXISTS {_text(self.path)} AS {KEPT} (READ_ONLY)")
            except duckdb.Error:
                raise Failed from None
            yield DuckDBSession(session.connection)  # kept tables are read as a whole, not in shards

    def make(
        self,
        catalogue: Catalogue,
        forms: Mapping[str, TableForm],
        progress: Progress,
        is_current: Callable[[], bool] = lambda: True,
        lender: Engine | None = None,
    ) -> None:
        """Write the kept tables into a new file, atomically and readable by its owner only.

        `is_current` is called at the end: whether the sources are still those that were read. Rows that this engine
        cannot read are read by the engine that can (`Lending`).
        """
        with TemporaryDirectory(prefix=f".{self.path.stem}-", dir=self.path.parent) as own:  # its owner's alone
            draft = Path(own) / self.path.name
            if lender is None:
                with self.engine.session(catalogue.description, catalogue.physical) as session:
                    _made(session.connection, draft, forms, progress)
            else:
                nothing = replace(catalogue.description, tables={}, lookups={})
                with (
                    lender.session(catalogue.description, catalogue.physical) as lent,
                    self.engine.session(nothing) as session,
                ):
                    _made(session.connection, draft, forms, progress, _willing(lent, catalogue.description))
            if not is_current():
                raise Refused(
                    f"the preparation of {catalogue.description.name}",
                    "The data changed while they were read.",
                    "another `tacit prepare`, when they stay as they are.",
                )
            _settle(draft, self.path)


def _made(
    connection: duckdb.DuckDBPyConnection,
    draft: Path,
    forms: Mapping[str, TableForm],
    progress: Progress,
    lender: Lending | None = None,
) -> None:
    readings = {form.reading.sql for form in forms.values()}
    steps = [step for form in forms.values() for step in creation_steps(form)]
    try:
        connection.execute(f"ATTACH {_text(draft)} AS {KEPT}")
        os.chmod(draft, 0o600)
        for done, step in enumerate(steps):
            progress(step.words, done, len(steps))
            kind = "TEMP TABLE" if step.is_draft else "TABLE"
            if lender is not None and step.sql in readings:
                _borrow(connection, step, lender)
            else:
                connection.execute(f"CREATE {kind} {step.name} AS {step.sql}")
        progress("writing", len(steps), len(steps))
        for step in steps:
            if step.is_draft:
                connection.execute(f"DROP TABLE {step.name}")
        connection.execute(f"CHECKPOINT {KEPT}")
        connection.execute(f"DETACH {KEPT}")
    except duckdb.Error:
        raise Failed from None
    except RuntimeError as error:  # the driver catches Ctrl-C, which is raised again
        raise (KeyboardInterrupt if str(error) == "Query interrupted" else Failed) from None


def _willing(session: Session, description: Description) -> Lending:
    if not isinstance(session, Lending):
        raise Refused(
            f"the preparation of {description.name}",
            "Its rows are on a cluster, and the form would be a copy of them on this machine.",
            "queries as they are; or the data in files or in a database.",
        )
    return session


def _borrow(connection: duckdb.DuckDBPyConnection, step: CreationStep, lender: Lending) -> None:
    """The rows of another engine as a table here. An identifier of another type becomes text."""
    types, _ = lender.lend(step.sql)
    names = [f"CAST({UNIT} AS VARCHAR) AS {UNIT}" if name == "__unit" else quoted(name) for name in types]
    types, batches = lender.lend(f'SELECT {", ".join(names)} FROM ({step.sql}) AS "__lent"')
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
    connection.execute(f"CREATE TEMP TABLE {step.name} ({columns})")
    for batch in batches:
        connection.register("__batch", batch)
        connection.execute(f'INSERT INTO {step.name} SELECT * FROM "__batch"')
        connection.unregister("__batch")


def _settle(draft: Path, path: Path) -> None:
    """Give the finished file its final name."""
    handle = os.open(draft, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(draft, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
