"""Ledgers for tests: where they are, how they are asked, and their rows read by other means than their own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.ledger import Account, AccountName, Ledger, Request
from tacit.loss import Approx, Gdp, Loss, Pure, Zcdp

NAME = AccountName(("parquet:/data/visits.parquet",), "one patient, all visits; add/remove")


def places(folder: Path) -> tuple[Path, Path]:
    """(ledger, witness), in two folders."""
    return folder / "share" / "ledger.sqlite", folder / "state" / "witness"


def opened(folder: Path) -> Ledger:
    return Ledger.open(*places(folder))


def account_of(folder: Path, budget: Loss, name: AccountName = NAME) -> Account:
    return opened(folder).account(name, budget)


def request(
    digest: str,
    loss: Loss,
    *,
    accuracy: Fraction = Fraction(1),
    analyst: str = "ann",
    share: Fraction | None = None,
    fresh: bool = False,
) -> Request:
    return Request(digest, accuracy, loss, analyst, "SELECT COUNT(*) FROM visits", share, fresh)


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """Every row of every table, and the witness: all that a ledger is."""
    path, witness = places(folder)
    with closing(sqlite3.connect(path)) as connection:
        tables = ("SELECT * FROM meta", "SELECT number, body, hash FROM entries", "SELECT * FROM payloads")
        found = [row for table in tables for row in connection.execute(table).fetchall()]
    return [*found, (witness.read_bytes(),)]


def bodies(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The entries of one kind, by plain SQLite and plain JSON."""
    with closing(sqlite3.connect(places(folder)[0])) as connection:
        texts = connection.execute("SELECT body FROM entries ORDER BY number").fetchall()
    return [body for (text,) in texts if (body := json.loads(text))["kind"] == kind]


def spent(folder: Path, account: int) -> dict[str, Fraction]:
    """What an account's charges add up to, component by component, by plain arithmetic."""
    total: dict[str, Fraction] = {}
    for body in bodies(folder, "charge"):
        if body["account"] == account:
            ((_, amounts),) = body["loss"].items()
            for component, text in amounts.items():
                total[component] = total.get(component, Fraction(0)) + Fraction(text)
    return total


def nth(budget: Loss, n: int) -> Loss:
    """One n-th of a budget, exactly."""
    if isinstance(budget, Pure):
        return Pure(budget.exact_epsilon / n)
    if isinstance(budget, Approx):
        return Approx(budget.exact_epsilon / n, budget.exact_delta / n)
    if isinstance(budget, Zcdp):
        return Zcdp(budget.rho / n, budget.exact_delta / n)
    assert isinstance(budget, Gdp)
    return Gdp(budget.mu_squared / n)
