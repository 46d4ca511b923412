"""An open data set: its books, engine, signing key, and the watcher of its runs.

Before any charge it is checked that an engine with another dialect can express the description and the query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

from tacit.curator.books import Books, open_ledger
from tacit.curator.engine_choice import check_frames, engine_of, public_values, with_frames, with_resources
from tacit.curator.materialization import FormFolder, Preparation
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.signature import SigningKey, key_beside
from tacit.query.aggregates.rank_grid import Edges
from tacit.query.engines.protocol import Engine, Headers, Session
from tacit.query.materialized.form import forms_of
from tacit.query.materialized.statements import Statements
from tacit.query.plans.question import Question
from tacit.query.sql.rows import UNIT, Ownership, quoted
from tacit.query.sql.scan import reading
from tacit.schema.catalogue import Catalogue, compare_headers
from tacit.schema.lookups import levels_of
from tacit.schema.reader import read_description

if TYPE_CHECKING:
    from tacit.query.bounding.profile import Profile


Watcher: TypeAlias = Callable[[Session, int], None]
"""Called with a session and its number of statements before it runs. Its progress is for the steward only."""


def unwatched(session: Session, statements: int) -> None:
    """No-op watcher."""


PROFILE: Final = "profile."
"""The prefix of the digest of a released profile."""


@frozen(eq=False)
class Opened(Books):
    """An open data set, as the door needs it. Opening reads the description and the files' headers, but no row."""

    engine: Engine
    watcher: Watcher = unwatched

    @cached_property
    def catalogue(self) -> Catalogue:
        """The public facts for the planner; refused where the description does not fit the files."""
        headers = {table.name: dict(self.engine.header(table.source)) for table in self.description.sources}
        wrong = compare_headers(self.description, {name: list(header.items()) for name, header in headers.items()})
        if wrong:
            raise Refused(
                f"the data set {self.description.name}",
                " ".join(wrong),
                "a description that fits its files, or files that fit it.",
            )
        levels = levels_of(self.description.lookups, self.engine.public_values)
        catalogue = Catalogue(self.description, headers, levels)
        check_columns(catalogue, self.engine)
        return catalogue

    @cached_property
    def preparation(self) -> Preparation:
        """The prepared form of these data, if the steward made one."""
        folder = FormFolder(self.ledger.beside, self.written_name)
        statements = Statements(forms_of(self.catalogue))
        return Preparation(self.catalogue, self.engine, folder, self.data_version, self._edges, statements)

    def profile(self) -> Profile | None:
        """The newest, most accurate profile of these data."""
        from tacit.query.bounding.profile import Profile  # imported only where there may be a profile

        stored = self.stored_under(PROFILE)
        return Profile.from_bytes(stored[0].payload) if stored else None

    def _edges(self) -> Edges:
        profile = self.profile()
        return {} if profile is None else profile.edges

    @cached_property
    def signing_key(self) -> SigningKey:
        return SigningKey.open(key_beside(self.ledger.beside))

    def data_version(self) -> str:
        """A version that changes with the rows, keyed with the ledger's secret, so that it reveals nothing about them.

        It includes table names with sources: under another description the same name may mean other rows.
        """
        versions = [
            [table.name, table.source.identity, table.source.delimiter, self.engine.version(table.source)]
            for table in self.description.sources
        ]
        return self.ledger.keyed(json.dumps(versions))[:32]


def open_data(
    path: str | Path,
    ledger: str | Path | None = None,
    engine: Engine | None = None,
    frames: Mapping[str, object] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    watcher: Watcher = unwatched,
) -> Opened:
    """Read a description and open its engine and a ledger: the one given, the one it names, or the user's default."""
    if frames:
        engine = with_frames(engine or engine_of([]), frames)
    description = read_description(Path(path), public_values if engine is None else engine.public_values)
    check_frames(description, frames or {})
    engine = with_resources(engine or engine_of(table.source for table in description.sources), memory, threads)
    return Opened(description, open_ledger(description, ledger), engine, watcher)


@runtime_checkable
class Translating(Protocol):
    """An engine that translates SQL into its own dialect."""

    def said(self, sql: str, physical: Headers) -> str:
        """A SELECT over tables with these headers in its dialect; refused where it cannot express it."""
        ...


def check_columns(catalogue: Catalogue, engine: Engine) -> None:
    """Refuse, by its name, a column that the engine cannot read as declared."""
    if not isinstance(engine, Translating):
        return
    for table in catalogue.description.sources:
        for (_, name), typed in reading(table, table.name, catalogue).items():
            try:
                engine.said(f"SELECT {typed.sql} AS value FROM {quoted(table.name)}", catalogue.physical)
            except Refused as refusal:
                raise Refused(f"{table.name}.{name}: {refusal.asked}", refusal.why, refusal.accepted) from None


def check_question(question: Question, catalogue: Catalogue, engine: Engine) -> None:
    """Refuse a query with a function that the engine lacks.

    These expressions include everything that depends on the query.
    """
    if not isinstance(engine, Translating):
        return
    rows = question.rows
    values = [*(key.sql for key in question.keys), *(part.sql for part in question.parts)]
    if question.distincts:
        values += [f"CAST({value} AS VARCHAR)" for value in values]
    if rows.ownership is not Ownership.EACH:
        values.append(f"CAST({UNIT} AS VARCHAR)" if len(values) > len(question.keys) + len(question.parts) else UNIT)
    listed = ", ".join(f"{value} AS v{place}" for place, value in enumerate(values)) or "1 AS v0"
    engine.said(f'SELECT {listed} FROM ({rows.under(listed)}) AS "__rows"', catalogue.physical)


def in_words_of(engine: Engine, sql: str, catalogue: Catalogue) -> str:
    """A statement in the engine's dialect."""
    return engine.said(sql, catalogue.physical) if isinstance(engine, Translating) else sql
