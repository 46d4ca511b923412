"""The lines against failing rows, each without the others: total forms, TRY, and the attempt without an optimizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.query.expressions import lines

from tacit.query.engines.duckdb_session import DuckDBSession


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
