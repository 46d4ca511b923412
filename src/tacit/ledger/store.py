"""The store of a ledger: the interface that the chain needs of a SQLite file and of a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from tacit.errors import Failed, Refused

_TRIES: Final = 5
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class Unavailable(Refused):
    """The ledger or its witness could not be used: no space, no permission, no database, too many writers."""


class Conflicted(Unavailable):
    """Two transactions conflicted; this one was rolled back and wrote nothing."""


class StoredRows(Protocol):
    """The rows of a statement's result."""

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class SqlExecutor(Protocol):
    """Runs SQL: the part that SQLite and PostgreSQL share, with `?` for each value."""

    def execute(self, sql: str, values: tuple[Any, ...] = ..., /) -> StoredRows: ...


class Store(Protocol):
    """A ledger's tables, open. It belongs to the process that opened it; its threads use it one at a time."""

    @property
    def words(self) -> str:
        """Its name in messages: `the ledger at …`, without a secret."""
        ...

    @property
    def beside(self) -> Path:
        """The path on this machine next to which the signing key and prepared data are kept."""
        ...

    def reading(self) -> AbstractContextManager[SqlExecutor]:
        """A read of the committed state; within `writing`, also of uncommitted changes."""
        ...

    def writing(self) -> AbstractContextManager[SqlExecutor]:
        """An exclusive write transaction: all of it is committed and durable at the end, or nothing is."""
        ...

    def hold(self, number: int) -> bool:
        """Hold the charge of this entry to run it; false if another holds it. The hold ends with its process."""
        ...

    def is_held(self, number: int) -> bool:
        """Whether any process, here or elsewhere, holds it."""
        ...

    def let_go(self, number: int) -> None:
        """Release it, if this store holds it."""
        ...

    def close(self) -> None: ...


def retried(work: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Run the work, and run it again after a conflict; only for work that returns its results at the end.

    Entries committed by then are found again: a charge that was not returned is returned to the next identical request.
    """

    @wraps(work)
    def done(*given: _Given.args, **named: _Given.kwargs) -> _Made:
        for _ in range(_TRIES - 1):
            try:
                return work(*given, **named)
            except Conflicted:
                continue
        return work(*given, **named)

    return done


@contextmanager
def failing() -> Iterator[None]:
    """Raise `Failed`, not a refusal, for a ledger that becomes unavailable after something was spent."""
    try:
        yield
    except Unavailable:
        raise Failed from None
