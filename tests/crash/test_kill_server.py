"""A shared ledger's server is killed: acknowledged entries survive, and a retry never draws again (R33)."""

from __future__ import annotations

import os
import signal
import time
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.crash.killing import count_statements
from tests.ledger.books import NAME, SHARED_ONLY, account_of, bodies, opened, request, spent
from tests.ledger.kept import InPostgres

from tacit.errors import Failed, Refused
from tacit.ledger import Charge, Stored
from tacit.loss import Pure

pytestmark = SHARED_ONLY
PROCESSES = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
BUDGET = Pure(1)  # exactly one release: a retry that paid again would be refused


def test_killed_between_charge_and_store(tmp_path: Path, kept_in: InPostgres) -> None:
    """R33: immediate shutdown, recovery: the charge is there, the handle finds the server, the release is stored."""
    account = account_of(tmp_path, BUDGET)
    charge = account.charge(request("q", BUDGET))
    assert isinstance(charge, Charge)
    kept_in.server.crash()
    with pytest.raises(Failed):
        account.store(charge, b"while it was away")
    with pytest.raises(Refused, match="could not be read or written"):
        account.charge(request("q", BUDGET))
    kept_in.server.start()
    assert account.charge(request("q", BUDGET)) == charge
    assert account.store(charge, b"answer").payload == b"answer"
    kept_in.server.crash()
    kept_in.server.start()
    given = account.charge(request("q", BUDGET))
    assert isinstance(given, Stored)
    assert given.payload == b"answer"
    with opened(tmp_path) as ledger:
        assert ledger.verify().holds
    assert spent(tmp_path, account.id) == {"epsilon": Fraction(1)}


def attempt(folder: Path) -> bytes | None:
    """Charge, draw, store, answer; None where the ledger was not available."""
    try:
        with opened(folder) as ledger:
            account = ledger.account(NAME, BUDGET)
            given = account.charge(request("q", BUDGET))
            return (given if isinstance(given, Stored) else account.store(given, os.urandom(8))).payload
    except (Refused, Failed):
        return None


def ready(kept_in: InPostgres) -> None:
    """Returns once the server accepts connections again."""
    for _ in range(600):
        try:
            kept_in.server.connect().close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise TimeoutError


def ended(connection: psycopg.Connection[Any]) -> None:
    """Returns once the server has noticed what was killed: then it ends everybody's connection."""
    for _ in range(600):
        try:
            connection.execute("SELECT 1")
            time.sleep(0.05)
        except psycopg.OperationalError:
            return
    raise TimeoutError


@pytest.mark.long
def test_killed_before_every_statement(tmp_path: Path, kept_in: InPostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """R33: kill −9 of a server process, which ends all of them: before each statement of the door in turn."""
    for step in count(1):
        here = tmp_path / str(step)
        account_of(here, BUDGET)
        left = [step]
        bystander = kept_in.server.connect()
        others = f"{PROCESSES} AND pid <> {bystander.info.backend_pid}"

        def kill(left: list[int] = left, others: str = others) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(kept_in.found(tmp_path, others)[0][0], signal.SIGKILL)

        with monkeypatch.context() as patch:
            patch.setattr(psycopg.Connection, "execute", psycopg.Connection.execute)  # put back afterwards
            count_statements(kill)
            first = attempt(here)
        if left[0] <= 0:
            ended(bystander)
        bystander.close()
        ready(kept_in)
        charged = len(bodies(here, "charge"))
        assert first is None or charged == 1
        again = attempt(here)
        assert again is not None
        assert first in (None, again)
        assert [len(bodies(here, kind)) for kind in ("charge", "store")] == [1, 1]
        with opened(here) as ledger:
            assert ledger.verify().holds
        kept_in.take_back(here)
        if left[0] > 0:
            assert step > 6
            return
