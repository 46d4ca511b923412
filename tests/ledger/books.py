"""Ledgers for tests: their places, requests to them, and direct reads of their rows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.kept import InFile, Kept

from tacit.ledger import AccountName, Breaker, BudgetAccount, Charge, Ledger, Request, Terms
from tacit.loss import Approx, Gdp, Loss, Pure, Relation, Zcdp

NAME = AccountName(("parquet:/data/visits.parquet",), "one patient, all visits; add/remove")
FILE_ONLY = pytest.mark.parametrize("kept_in", ["file"], indirect=True)
SHARED_ONLY = pytest.mark.parametrize("kept_in", ["postgresql"], indirect=True)
kept: Kept = InFile()
_open: list[Ledger] = []


def places(folder: Path) -> tuple[str | Path, Path]:
    """(ledger, witness), in two folders."""
    return kept.place(folder), folder / "state" / "witness"


def opened(folder: Path) -> Ledger:
    ledger = Ledger.open(*places(folder))
    _open.append(ledger)
    return ledger


def close_since(others: int) -> int:
    """Close every ledger that was opened here after the first so many; return how many are left."""
    while len(_open) > others:
        _open.pop().close()
    return len(_open)


def account_of(folder: Path, budget: Loss, name: AccountName = NAME) -> BudgetAccount:
    return opened(folder).account(name, budget)


def let_go(account: BudgetAccount, charge: Charge) -> None:
    """Release the lock of this charge, as if its process had died."""
    account._chain.database.let_go(charge.number)


def request(
    digest: str,
    loss: Loss,
    *,
    accuracy: Fraction = Fraction(1),
    analyst: str = "ann",
    share: Fraction | None = None,
    fresh: bool = False,
    floor: Fraction = Fraction(0),
    breaker: Breaker | None = None,
    relation: Relation | None = Relation.ADD_REMOVE,
) -> Request:
    """A request whose loss, where it says no relation itself, is stated under this one."""
    terms = Terms(share, floor, breaker)
    stated = None if isinstance(loss, Loss) and loss.relations else relation
    return Request(digest, accuracy, loss, analyst, "SELECT COUNT(*) FROM visits", terms, fresh, relation=stated)


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """Every row of every table, and the witness: all that a ledger is."""
    tables = (
        "SELECT name, value FROM meta ORDER BY name",
        "SELECT number, body, hash FROM entries ORDER BY number",
        "SELECT entry, bytes FROM payloads ORDER BY entry",
    )
    return [row for table in tables for row in kept.found(folder, table)] + [(places(folder)[1].read_bytes(),)]


def bodies(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The entries of one kind, by plain SQL and plain JSON."""
    texts = kept.found(folder, "SELECT body FROM entries ORDER BY number")
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
