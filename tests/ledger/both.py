"""Fixtures that run the same tests on a ledger in a file and on one in PostgreSQL."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ledger import books
from tests.ledger.kept import InFile, InPostgres, Kept
from tests.ledger.ledger_server import LedgerServer, running_ledger_server


@pytest.fixture(scope="session")
def ledger_server() -> Iterator[InPostgres]:
    with running_ledger_server() as server:
        yield InPostgres(server)


@pytest.fixture(scope="module", params=["file", "postgresql"], autouse=True)
def kept_in(request: pytest.FixtureRequest) -> Iterator[Kept]:
    """Where `books` keeps ledgers."""
    kept: Kept = InFile() if request.param == "file" else request.getfixturevalue("ledger_server")
    before, books.kept = books.kept, kept
    yield kept
    books.kept = before


@pytest.fixture(autouse=True)
def nothing_left(kept_in: Kept, tmp_path: Path) -> Iterator[None]:
    """A ledger of the test's own, that processes it starts know too; closed and gone afterwards."""
    others = books.close_since(sys.maxsize)
    before = set(kept_in.lent) if isinstance(kept_in, InPostgres) else set()
    kept_in.place(tmp_path)
    yield
    books.close_since(others)
    if isinstance(kept_in, InPostgres):
        for folder in set(kept_in.lent) - before:
            kept_in.take_back(folder)


__all__ = ["LedgerServer", "kept_in", "ledger_server", "nothing_left"]
