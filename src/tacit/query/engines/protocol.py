"""The engine protocol: headers before the charge, and one private session that gives integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from tacit.schema.description import Description, Source

if TYPE_CHECKING:
    import pyarrow as pa

    from tacit.noise.bits import Bits


Headers: TypeAlias = Mapping[str, Mapping[str, str]]
"""For each table its columns' names and types, as the engine calls them."""


class Session(Protocol):
    """A fresh, read-only view of the data set's tables. Whatever breaks in it is `Failed`, and says no more."""

    def run(self, sql: str) -> pa.Table:
        """The rows of one SELECT."""
        ...

    def keep(self, name: str, sql: str) -> None:
        """Keep the rows of one SELECT, each of one person ("__unit"), under a name, until the session ends."""
        ...


Stage: TypeAlias = "Callable[[Session, Bits, Sequence[bytes]], bytes]"
"""A stage of a release: from a session, its entropy and what earlier stages released, to what this one releases."""


@runtime_checkable
class Adding(Protocol):
    """A session that adds up one part of the people after the other where all at once would be too many."""

    def add_up(self, sql: str, where: str | None = None) -> pa.Table:
        """The rows of one SELECT whose columns y0 … and w are sums over people, and all others keys.

        `where` is a condition on the sums over everybody, never on those of a part.
        """
        ...

    def add_few_up(self, sql: str, where: str | None = None) -> Mapping[str, Sequence[Any]]:
        """The same, where the rows are few."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A session that remembers how many rows people have, as long as the tables stay what they are."""

    def most_rows(self, sql: str) -> int | None:
        """The most rows that one person ("__unit") has among those of a SELECT; None where that takes too much."""
        ...


@runtime_checkable
class Brief(Protocol):
    """A session that gives few rows as Python values: Arrow takes longer to load than they take to count."""

    def few(self, sql: str) -> Mapping[str, Sequence[Any]]:
        """The rows of one SELECT, column by column."""
        ...


@runtime_checkable
class Lending(Protocol):
    """A session that gives whole rows, batch by batch: for the steward's own copy, never for an answer."""

    def lend(self, sql: str) -> tuple[Mapping[str, str], Iterator[pa.Table]]:
        """The columns of one SELECT with their types, and its rows."""
        ...


@runtime_checkable
class Watchable(Protocol):
    """A session that knows how far it is. That tells about rows: it is for the steward's eyes alone."""

    def watch(self) -> None:
        """Keep count from now on."""
        ...

    def progress(self) -> tuple[int, float]:
        """How many statements are behind, and about what part of its time the one that runs has had."""
        ...


class Engine(Protocol):
    """Where the data lies. Nothing else knows a database driver."""

    def header(self, source: Source) -> tuple[tuple[str, str], ...]:
        """The columns' names and types, from the header alone."""
        ...

    def version(self, source: Source) -> str:
        """What changes when the rows do: sizes and times of files, a digest of a frame. Nobody may see it as it is."""
        ...

    def public_values(self, source: Source, column: str) -> list[object]:
        """The values of a column of a public table."""
        ...

    def session(self, description: Description, physical: Headers | None = None) -> AbstractContextManager[Session]:
        """A session over the description's tables, their columns in the types that a plan was made for."""
        ...


Fetched: TypeAlias = "pa.Table | Mapping[str, Sequence[Any]]"
"""An engine's table; where it has few rows, its columns by their names."""


def add_up(session: Session, sql: str, is_few: bool = False, where: str | None = None) -> Fetched:
    """The rows of a SELECT of sums over people: part by part, if the session has need of it and can.

    `where` is a condition on the sums over everybody; rows that do not meet it are not fetched.
    """
    if not isinstance(session, Adding):
        return session.run(rows_where(sql, where))
    return session.add_few_up(sql, where) if is_few else session.add_up(sql, where)


def rows_where(sql: str, where: str | None) -> str:
    """The rows of a SELECT that meet a condition on its columns."""
    return sql if where is None else f'SELECT * FROM ({sql}) AS "__sums" WHERE {where}'


def fetch(session: Session, sql: str, is_few: bool) -> Fetched:
    """The rows of any SELECT, few of them as Python values if the session can."""
    return session.few(sql) if is_few and isinstance(session, Brief) else session.run(sql)
