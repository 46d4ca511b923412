"""The two lines against failing rows, each without the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tacit.query.engines.postgres import engine as postgres_engine
from tacit.query.sql.expressions import second_line


@contextmanager
def first_line_alone() -> Iterator[None]:
    """Expressions are total, without TRY around them, so that faults are visible."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_line, "IS_ON", False)
        patch.setattr(postgres_engine, "IS_ON", False)
        yield
