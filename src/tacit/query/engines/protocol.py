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
"""For each table the names and types of its columns, in the engine's terms."""


class Session(Protocol):
    """A fresh, read-only view of the data set's tables. Every error in it is a constant `Failed`."""

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
    """A session that can add up shard by shard where all people together do not fit memory."""

    def add_up(self, sql: str, where: str | None = None) -> pa.Table:
        """The rows of one SELECT whose columns y0 … and w are sums over people, and all others keys.

        `where` is a condition on the sums over all people, never on those of a shard.
        """
        ...

    def add_few_up(self, sql: str, where: str | None = None) -> Mapping[str, Sequence[Any]]:
        """The same for a result with few rows."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A session that caches the largest number of rows of a person, while the tables do not change."""

    def most_rows(self, sql: str) -> int | None:
        """The most rows that one person ("__unit") has among those of a SELECT.

        None where counting is too expensive.
        """
        ...


@runtime_checkable
class Brief(Protocol):
    """A session that returns few rows as Python values, because loading Arrow takes longer than counting them."""

    def few(self, sql: str) -> Mapping[str, Sequence[Any]]:
        """The rows of one SELECT, column by column."""
        ...


@runtime_checkable
class Lending(Protocol):
    """A session that returns whole rows in batches: for the steward's own copy, never for an answer."""

    def lend(self, sql: str) -> tuple[Mapping[str, str], Iterator[pa.Table]]:
        """The columns of one SELECT with their types, and its rows."""
        ...


@runtime_checkable
class Watchable(Protocol):
    """A session that reports progress, which reveals something about rows and is for the steward only."""

    def watch(self) -> None:
        """Begin to count."""
        ...

    def progress(self) -> tuple[int, float]:
        """The number of statements done, and the approximate share of time of the current one."""
        ...


class Engine(Protocol):
    """An engine, which has the data. Only engines use a database driver."""

    def header(self, source: Source) -> tuple[tuple[str, str], ...]:
        """The columns' names and types, from the header only."""
        ...

    def version(self, source: Source) -> str:
        """A version that changes with the rows: sizes and times of files, a digest of a frame.

        It must be kept secret.
        """
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
    """The rows of a SELECT of sums over people: shard by shard, if the session needs and supports it.

    `where` is a condition on the sums over all people; other rows are not fetched.
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
