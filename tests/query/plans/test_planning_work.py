"""Planning time is proportional to the query, for nested and for listed parts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from tests.query.fixtures.rendering import Lowered

_LISTED: dict[str, Callable[[int], str]] = {
    "coalesce of totals": lambda n: f"COALESCE({', '.join(['MAX(ward)'] * n)})",
    "cases of totals": lambda n: "CASE " + " ".join(f"WHEN MAX(age) = {i} THEN {i}" for i in range(n)) + " END",
    "sum of totals": lambda n: " + ".join(["MAX(age)"] * (n // 4)),
}


def _steps(query: str, folder: Path) -> int:
    """Lines of Python that run while the query is planned and lowered."""
    count = 0

    def local(frame: FrameType, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return local

    before = sys.gettrace()
    sys.settrace(local)
    try:
        list(Lowered.of(query, folder, is_pure=False).statements())
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("listed", list(_LISTED))
def test_a_query_twice_as_long_takes_twice_the_steps(listed: str, tmp_path: Path) -> None:
    """Before, each part of a query was written out once for every part around it, and lists were renumbered."""

    def query(size: int) -> str:
        people = f"SELECT patient, {_LISTED[listed](size)} AS x FROM visits GROUP BY patient"
        return f"SELECT COUNT(*) FROM ({people}) AS people WHERE x IS NULL"

    _, least, once, twice = (_steps(query(size), tmp_path) for size in (20, 20, 200, 380))  # the first imports
    assert twice - least < 2.3 * (once - least)
