"""An open data set: its books, engine, signing key, and the watcher of its runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from tacit.curator.books import Books, open_ledger
from tacit.curator.engine_choice import check_frames, engine_of, public_values, with_frames, with_resources
from tacit.curator.form_folder import FormFolder
from tacit.curator.materialization import Preparation
from tacit.curator.translation_check import check_columns
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.signature import SigningKey, key_beside
from tacit.query.aggregates.rank_grid import Edges
from tacit.query.catalogue import Catalogue
from tacit.query.engines.protocol import Engine, Session
from tacit.query.materialized.form import forms_of
from tacit.query.materialized.statements import Statements
from tacit.schema.header_types import compare_headers
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
        catalogue = Catalogue(self.description, headers)
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
