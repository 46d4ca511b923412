"""The fuzzers test the first line alone, because the second would hide its faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.query.expressions.lines import first_line_alone


@pytest.fixture(autouse=True, scope="module")
def _first_line_alone() -> Iterator[None]:
    with first_line_alone():
        yield
