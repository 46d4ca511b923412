"""A shared ledger when the network, the server or a rival writer fails it: nothing is lost, nothing is spent twice."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from fractions import Fraction
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.ledger.books import NAME, SHARED_ONLY, account_of, bodies, opened, request, spent
from tests.ledger.kept import InPostgres

from tacit.errors import Failed, Refused
from tacit.ledger import BudgetAccount, Charge, Stored, postgres_database
from tacit.ledger.affordability import refuse_unless_affordable
from tacit.ledger.store import Conflicted, Unavailable
from tacit.loss import Pure, Relation

pytestmark = SHARED_ONLY
FORK = multiprocessing.get_context("fork")
OTHERS = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"


def cut(kept_in: InPostgres, folder: Path) -> None:
    """Ends every connection to the ledger but this one."""
    kept_in.found(folder, f"SELECT pg_terminate_backend(pid) {OTHERS}")
    while kept_in.found(folder, f"SELECT pid {OTHERS}"):
        time.sleep(0.01)


def failing(monkeypatch: pytest.MonkeyPatch, statement: str, fail: Callable[[psycopg.Connection[Any]], None]) -> None:
    """From now on something happens once, right after this statement was done."""
    execute, left = psycopg.Connection.execute, [1]

    def meddled(self: psycopg.Connection[Any], query: Any, *values: Any, **named: Any) -> Any:
        done = execute(self, query, *values, **named)
        if left and str(query).startswith(statement):
            left.pop()
            fail(self)
        return done

    monkeypatch.setattr(psycopg.Connection, "execute", meddled)


def lose(connection: psycopg.Connection[Any]) -> None:
    connection.close()
    raise psycopg.OperationalError("the network is gone")


def conflict(_: psycopg.Connection[Any]) -> None:
    raise psycopg.errors.SerializationFailure("could not serialize access")


def test_a_commit_that_is_not_acknowledged_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R33, R34, R51: whether it was written is unknown, so nothing is handed out, and nobody says that nothing was
    spent; a retry gets the same charge."""
    account = account_of(tmp_path, Pure(1))
    failing(monkeypatch, "COMMIT", lose)
    with pytest.raises(Failed):
        account.charge(request("q", Pure(1)))
    assert len(bodies(tmp_path, "charge")) == 1
    charge = account.charge(request("q", Pure(1)))
    assert isinstance(charge, Charge)
    failing(monkeypatch, "COMMIT", lose)
    with pytest.raises(Failed):
        account.store(charge, b"first")
    again = account.charge(request("q", Pure(1)))
    assert isinstance(again, Stored)
    assert again.payload == b"first"
    assert spent(tmp_path, account.id) == {"epsilon": Fraction(1)}


@pytest.mark.parametrize("statement", ["BEGIN", "SELECT number, hash", "INSERT INTO entries"])
def test_what_was_not_committed_was_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """R33, R40: no statement after the loss runs outside of the transaction that it belonged to."""
    account = account_of(tmp_path, Pure(1))
    failing(monkeypatch, statement, lambda connection: connection.close())
    with pytest.raises(Unavailable):
        account.charge(request("q", Pure(1)))
    assert bodies(tmp_path, "charge") == []
    assert isinstance(account.charge(request("q", Pure(1))), Charge)


def test_a_commit_of_what_went_wrong_is_no_commit(tmp_path: Path) -> None:
    """R33: PostgreSQL answers such a COMMIT without an error, though it wrote nothing."""
    chain = opened(tmp_path)._chain
    with (
        pytest.raises(Unavailable, match="nothing was written"),
        chain.writing() as connection,
        pytest.raises(psycopg.Error),
    ):
        connection.execute("SELECT 1 / 0")


def test_a_lost_connection_is_made_anew(tmp_path: Path, kept_in: InPostgres) -> None:
    """A handle outlives a restart of the server; a closed one stays closed."""
    ledger = opened(tmp_path)
    account = ledger.account(NAME, Pure(1))
    cut(kept_in, tmp_path)
    assert account.filter().spent == Pure(0, relation=Relation.ADD_REMOVE)
    cut(kept_in, tmp_path)
    charge = account.charge(request("q", Pure(1)))
    assert isinstance(charge, Charge)
    cut(kept_in, tmp_path)
    assert account.store(charge, b"answer").payload == b"answer"
    ledger.close()
    with pytest.raises(Unavailable, match="closed"):
        account.filter()


def test_a_conflict_is_tried_again_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = account_of(tmp_path, Pure(1))
    failing(monkeypatch, "INSERT INTO entries", conflict)
    charge = account.charge(request("q", Pure("0.5")))
    assert isinstance(charge, Charge)
    failing(monkeypatch, "INSERT INTO payloads", conflict)
    assert account.store(charge, b"answer").payload == b"answer"
    assert [len(bodies(tmp_path, kind)) for kind in ("charge", "store")] == [1, 1]
    tries: list[int] = []

    def always(*_: object) -> None:
        tries.append(1)
        raise Conflicted("the ledger", "Again.", "try again.")

    monkeypatch.setattr("tacit.ledger.account.refuse_unless_affordable", always)
    with pytest.raises(Conflicted):
        account.charge(request("r", Pure("0.1")))
    assert len(tries) == 5


def test_who_waits_too_long_is_refused(tmp_path: Path, kept_in: InPostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that hangs does not hang the others."""
    monkeypatch.setitem(postgres_database._SETTINGS, "lock_timeout", 100)
    account = account_of(tmp_path, Pure(1))
    with kept_in.server.connect(kept_in.database(tmp_path)) as other, other.transaction():
        other.execute("LOCK TABLE tacit_ledger.turn IN EXCLUSIVE MODE")
        assert account.filter().spent == Pure(0, relation=Relation.ADD_REMOVE)
        with pytest.raises(Unavailable, match="lock timeout"):
            account.charge(request("q", Pure(1)))
    assert isinstance(account.charge(request("q", Pure(1))), Charge)


def rush(folder: Path, begin: str, takes_turns: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Fraction]:
    """(charges given, their sum): three processes that look at the same moment whether one charge of all fits."""
    account_of(folder, Pure(1))
    monkeypatch.setattr(postgres_database, "_BEGIN", begin)
    barrier = FORK.Barrier(3)
    crowd = [FORK.Process(target=_spend_all, args=(folder, who, takes_turns, barrier)) for who in range(3)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
        assert process.exitcode == 0
    total = spent(folder, 1)["epsilon"]
    with opened(folder) as ledger:
        assert ledger.verify().holds == (total <= 1)
    return len(list(folder.glob("given-*"))), total


def _spend_all(folder: Path, who: int, takes_turns: bool, barrier: Barrier) -> None:
    with pytest.MonkeyPatch.context() as patch, opened(folder) as ledger:
        account, left = ledger.account(NAME, Pure(1)), [1]

        def look_then_wait(*given: Any) -> None:
            refuse_unless_affordable(*given)
            if left:
                left.pop()
                barrier.wait(30)
                while takes_turns and _charges(account) < who:
                    time.sleep(0.01)

        patch.setattr("tacit.ledger.account.refuse_unless_affordable", look_then_wait)
        try:
            account.charge(request(f"q{who}", Pure(1)))
            (folder / f"given-{who}").touch()
        except Refused as refusal:
            if "is left" not in refusal.why:
                raise


def _charges(account: BudgetAccount) -> int:
    return len(account.history())


def test_without_lock_and_serialisation_the_budget_is_overspent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R32, R46: the broken twin, in READ COMMITTED; reading the ledger again says so."""
    assert rush(tmp_path, "BEGIN", True, monkeypatch) == (3, 3)


def test_serialisation_alone_holds_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R32: without the lock writers meet, but the database lets one through, and the others look again."""
    assert rush(tmp_path, "BEGIN ISOLATION LEVEL SERIALIZABLE", False, monkeypatch) == (1, 1)
