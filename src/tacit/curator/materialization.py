"""Materializing a data set: a private copy with every unit's totals, and the choice to answer from it.

Copies lie beside the ledger, named by account and version. One process works on them; a dead one's lock is free.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.durable import make_folder
from tacit.ledger.registry import AccountName
from tacit.query.aggregates.rank_grid import Edges
from tacit.query.engines.protocol import Engine, Session
from tacit.query.materialized.form import TableForm, edges_digest, form_digest, with_edges
from tacit.query.materialized.statements import STATEMENTS, Statements
from tacit.query.plans.plan import Plan
from tacit.query.sql.rows import quoted
from tacit.schema.catalogue import Catalogue

if TYPE_CHECKING:
    from tacit.query.engines.duckdb.materialized_file import MaterializedFile, Progress


@frozen(eq=False)
class Preparation:
    """The prepared form of a data set: its path, and whether it is of the current data."""

    catalogue: Catalogue
    engine: Engine
    folder: FormFolder
    version: Callable[[], str]
    edges: Callable[[], Edges]  # of even grids, as the profile has them now
    statements: Statements  # statements for a prepared data set with any profile
    _attached: dict[Path, MaterializedFile] = field(
        default_factory=dict, repr=False
    )  # at most one: that of the newest data

    def at(self, version: str, edges: Edges) -> Preparation:
        """The preparation for one reading of the data and the profile."""
        return replace(self, version=lambda: version, edges=lambda: edges)

    @property
    def path(self) -> Path:
        """The path of the form of the current data, with norms on the profile's grids, whether it exists or not."""
        return self._path(with_edges(self.statements.forms, self.edges()))

    @property
    def is_ready(self) -> bool:
        """Whether a complete form of the current data exists."""
        return self._current is not None and self.path.exists()

    @property
    def is_stale(self) -> bool:
        """Whether a form exists, but of other data or another description."""
        return bool(self.folder.files()) and self._current is None

    def make(self, progress: Progress) -> Path:
        """Prepare the current data; a form of older data is removed."""
        if not self.statements.forms:
            raise Refused(
                f"the preparation of {self.catalogue.description.name}",
                "Each row is a person, so that nothing has to be added up beforehand.",
                "queries as they are.",
            )
        with self.folder.alone():
            forms = with_edges(self.statements.forms, self.edges())
            path, data = self._path(forms), self._data
            if not path.exists():
                kept = self._kept_file(path)
                lender = None if self._is_local else self.engine
                kept.make(self.catalogue, forms, progress, lambda: self._data == data, lender)
            self.folder.clear(spared=path)
        return path

    def drop(self) -> int:
        """Remove every form of these data, including unfinished ones; return the number of finished ones."""
        return self.folder.drop()

    def statements_for(self, plan: Plan) -> Statements:
        """The statements for a plan: they read the form where it is ready and has everything the plan reads."""
        is_kept = plan.question.rows.tables <= set(self.statements.forms)
        current = self._current if is_kept else None
        if current is None or not self._can_read(plan):
            return STATEMENTS
        if not any(part.edges for part in plan.ranks):
            return self.statements
        forms = with_edges(self.statements.forms, self.edges())
        return Statements(forms) if self._path(forms) == current else self.statements

    def statements_for_all(self) -> Statements:
        """The statements for a profile, which reads exactly the tables that a form includes."""
        return STATEMENTS if self._current is None else self.statements

    def words(self, plan: Plan) -> str | None:
        """Whether the form or the sources answer a plan, and why; None where the data were never prepared."""
        if self.is_stale:
            return (
                "A prepared form is there, but the data or their description changed since: `tacit prepare` renews it."
            )
        if self._current is None:
            return None
        statements = self.statements_for(plan)
        if statements is STATEMENTS:
            return "It is answered from the source: the prepared form does not hold all that it reads."
        rows = plan.question.rows
        if statements is self.statements and rows.bare and any(part.edges for part in plan.ranks):
            return (
                "It is answered from the prepared form's rows. The profile's grids are newer than the form: "
                "`tacit prepare` keeps people's norms on them too."
            )
        if self.statements.totals(plan) is not None and not plan.distincts:
            return "It is answered from the prepared form, where people's totals are kept: the same sums, sooner."
        return "It is answered from the prepared form's rows, which are in the order of people: the same sums, sooner."

    @contextmanager
    def session(self, statements: Statements, plan: Plan | None = None) -> Iterator[Session]:
        """A session for these statements: of the sources, of the form, or of both where a plan needs both."""
        description, physical = self.catalogue.description, self.catalogue.physical
        if statements is STATEMENTS:
            with self.engine.session(description, physical) as session:
                yield session
            return
        if plan is None or not self._needs_sources(plan):
            description = replace(description, tables={}, lookups={})
        with self._kept.session(description, physical) as session:
            yield session

    def _can_read(self, plan: Plan) -> bool:
        return self._is_local or not self._needs_sources(plan)

    def _needs_sources(self, plan: Plan) -> bool:
        """Whether statements read a source; a name that only resembles one counts too."""
        text = self.statements.on_kept(plan.question.rows).sql
        return any(f"{quoted(table.name)}." in text for table in self.catalogue.description.sources)

    @property
    def _is_local(self) -> bool:
        from tacit.query.engines.duckdb.engine import DuckDBEngine  # a driver loads when it is needed

        return isinstance(self.engine, DuckDBEngine)

    @property
    def _kept(self) -> MaterializedFile:
        """The file of the current data, which stays attached between questions."""
        path = self._current or self.path
        if path not in self._attached:
            self._attached.clear()
            self._attached[path] = self._kept_file(path)
        return self._attached[path]

    def _kept_file(self, path: Path) -> MaterializedFile:
        from tacit.query.engines.duckdb.engine import DuckDBEngine
        from tacit.query.engines.duckdb.materialized_file import MaterializedFile

        engine = self.engine
        return MaterializedFile.beside(path, engine if isinstance(engine, DuckDBEngine) else DuckDBEngine())

    @property
    def _current(self) -> Path | None:
        """The form of the current data, with norms on any grids."""
        return self.folder.form_of(self._data) if self.folder.files() else None

    @property
    def _data(self) -> str:
        """A key that changes with the data and with how they are read, so that an older form is not used."""
        return form_digest(self.statements.forms) + self.version()

    def _path(self, forms: Mapping[str, TableForm]) -> Path:
        return self.folder.place(self._data, edges_digest(forms))


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the exclusive lock of the folder, after waiting for it; the kernel frees the lock of a killed process."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@dataclass(frozen=True, eq=False)
class FormFolder:
    """The forms of one account's data. A file name has three parts: account, version of the data, grids."""

    beside: Path  # the ledger
    account: AccountName

    def place(self, data: str, grids: str) -> Path:
        """The path of the form of these data, with norms on these grids, whether it exists or not."""
        return self._folder / f"{self._named(data)}-{_short(grids, 16)}.duckdb"

    def form_of(self, data: str) -> Path | None:
        """The form of these data, with norms on any grids."""
        return next((path for path in self.files() if path.name.startswith(f"{self._named(data)}-")), None)

    def files(self) -> list[Path]:
        """Every finished form of the account."""
        return list(self._folder.glob(f"{self._owner}-*.duckdb"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder, and remove files left by killed processes."""
        make_folder(self._folder)
        with alone_in(self._folder):
            for draft in self._folder.glob(f".{self._owner}-*"):
                rmtree(draft, ignore_errors=True)
            yield

    def drop(self) -> int:
        """Remove every form, including unfinished ones; return the number of finished ones."""
        if not self._folder.is_dir():
            return 0
        with self.alone():
            return self.clear(None)

    def clear(self, spared: Path | None) -> int:
        """Remove every finished form except this one; return their number."""
        others = set(self.files()) - {spared}
        for path in others:
            path.unlink(missing_ok=True)
        return len(others)

    @property
    def _folder(self) -> Path:
        return self.beside.parent / "prepared"

    @cached_property
    def _owner(self) -> str:
        named = repr((self.beside.name, self.account.sources, self.account.unit))  # ledgers may share a folder
        return _short(named, 16)

    def _named(self, data: str) -> str:
        return f"{self._owner}-{_short(data, 24)}"


def _short(text: str, letters: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:letters]
