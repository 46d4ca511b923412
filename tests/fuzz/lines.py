"""The lines against failing rows, each without the others: total forms, TRY, and further attempts at a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.query.expressions import lines

from tacit.query.engines.duckdb.session import DuckDBSession
from tacit.query.engines.postgres import engine as postgres_engine
from tacit.query.engines.postgres import engine as postgres_second_line
from tacit.query.engines.postgres.connection import Again
from tacit.query.sql.expressions import second_line


@contextmanager
def one_attempt() -> Iterator[None]:
    """A statement that fails is not run again as it is written."""

    def once(session: DuckDBSession, work: Callable[[], Any]) -> Any:
        return work()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckDBSession, "_whatever_the_plan", once)
        yield


@contextmanager
def first_line_alone() -> Iterator[None]:
    """Expressions are made total, and nothing stands behind."""
    with lines.first_line_alone(), one_attempt():
        yield


@contextmanager
def always_attempted() -> Iterator[None]:
    """Statements run on PostgreSQL as if the first attempt at each had failed on a row."""
    real = postgres_engine.fetched

    def again_at_once(connection: Any, sql: str, again: Again | None = None) -> list[tuple[Any, ...]]:
        return real(connection, sql) if again is None else again()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_line, "IS_ON", True)
        patch.setattr(postgres_second_line, "IS_ON", True)
        patch.setattr(postgres_engine, "fetched", again_at_once)
        yield
