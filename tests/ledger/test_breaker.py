"""The breaker and the floor: failures are few, each is paid for, and concurrency does not circumvent the limit."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger.books import NAME, account_of, bodies, let_go, opened, request

from tacit.errors import Refused
from tacit.ledger import Breaker, BudgetAccount, Charge, Request, Stored
from tacit.loss import Pure

FORK = multiprocessing.get_context("fork")
BREAKER = Breaker(3, 10)
PATIENCE = 60


def asking(digest: str, analyst: str = "ann", *, fresh: bool = False) -> Request:
    return request(digest, Pure("0.001"), analyst=analyst, breaker=BREAKER, fresh=fresh)


def fail(account: BudgetAccount, digest: str, analyst: str = "ann") -> Charge:
    charge = account.charge(asking(digest, analyst))
    assert isinstance(charge, Charge)
    account.fail(charge)
    return charge


def test_after_three_failures_an_analyst_waits_for_the_steward(tmp_path: Path) -> None:
    """What is answered, even by a failure, stays free; others go on; the steward's word is recorded."""
    account = account_of(tmp_path, Pure(1))
    good = account.charge(asking("good"))
    assert isinstance(good, Charge)
    account.store(good, b"answer")
    for i in range(3):
        fail(account, f"q{i}")
    for handle in (account, account_of(tmp_path, Pure(1))):
        for anew in (asking("new"), asking("good", fresh=True)):
            with pytest.raises(Refused, match="steward has seen"):
                handle.charge(anew)
        assert [type(handle.charge(asking(digest))) for digest in ("good", "q0")] == [Stored, Stored]
    fail(account, "bob's", "bob")
    assert [run.how.value for run in account.failures()] == ["failed"] * 4
    account.clear()
    assert account.failures() == ()
    fail(account, "new")
    assert len(bodies(tmp_path, "clear")) == 1
    assert opened(tmp_path).verify().holds


def test_after_ten_failures_everybody_waits(tmp_path: Path) -> None:
    """Names cost nothing: the count over all of them does not depend on names."""
    account = account_of(tmp_path, Pure(1))
    for i in range(10):
        fail(account, f"q{i}", f"analyst {i}")
    with pytest.raises(Refused, match="steward has seen"):
        account.charge(asking("new", "somebody else"))


def test_a_death_counts_and_a_reopening_resets_nothing(tmp_path: Path) -> None:
    """Somebody saw it die, though its charge may run once more; a second run that fails is a second failure."""
    account = account_of(tmp_path, Pure(1))
    died = account.charge(asking("died"))
    assert isinstance(died, Charge)
    let_go(account, died)
    assert [run.how.value for run in account.failures()] == ["died"]
    first = fail(account, "q")
    account.reopen(first.number)
    assert sorted(run.how.value for run in account.failures()) == ["died", "failed"]
    assert account.charge(asking("q")) == first
    assert sorted(run.how.value for run in account.failures()) == ["died", "failed", "is under way"]
    account.fail(first)
    assert sorted(run.how.value for run in account.failures()) == ["died", "failed", "failed"]
    with pytest.raises(Refused, match="steward has seen"):
        account.charge(asking("new"))
    assert account.charge(asking("died")) == died
    account.clear()
    assert [run.how.value for run in account.failures()] == ["is under way"]
    assert isinstance(account.charge(asking("new")), Charge)


def test_a_reopened_death_still_counts(tmp_path: Path) -> None:
    """A charge whose process died is open, without a failure in the ledger; the steward's word does not unsee it."""
    account = account_of(tmp_path, Pure(1))
    charge = account.charge(asking("q"))
    assert isinstance(charge, Charge)
    for deaths in range(1, 4):
        let_go(account, charge)
        account.reopen(charge.number)
        account.reopen(charge.number)
        assert [run.how.value for run in account.failures()] == ["died"] * deaths
        assert account.charge(asking("q")) == charge
    with pytest.raises(Refused, match="steward has seen"):
        account.charge(asking("new"))
    assert opened(tmp_path).verify().holds


def test_what_is_under_way_is_not_cleared(tmp_path: Path) -> None:
    """Nobody has seen how it ends: it takes the place of a failure until then, and counts if it dies."""
    account = account_of(tmp_path, Pure(1))
    running = [account.charge(asking(f"q{i}")) for i in range(2)]
    dead = account.charge(asking("dead"))
    assert isinstance(dead, Charge)
    let_go(account, dead)
    account.clear()
    assert [run.how.value for run in account.failures()] == ["is under way"] * 2
    for charge in running:
        assert isinstance(charge, Charge)
        let_go(account, charge)
    assert [run.how.value for run in account.failures()] == ["died"] * 2
    assert account.charge(asking("dead")) == dead
    assert [run.how.value for run in account.failures()] == ["died", "died", "is under way"]
    let_go(account, dead)
    account.clear()
    assert account.failures() == ()
    assert opened(tmp_path).verify().holds


def test_a_failure_that_nobody_saw_is_not_cleared(tmp_path: Path) -> None:
    """Another run may fail between the steward's look and the clearing."""
    account = account_of(tmp_path, Pure(1))
    fail(account, "seen")
    charge = account.charge(asking("late"))
    assert isinstance(charge, Charge)
    seen = account.failures()
    account.fail(charge)
    with pytest.raises(Refused, match="nobody has seen"):
        account.clear(seen)
    account.clear(account.failures())
    assert account.failures() == ()


def test_what_runs_may_fail_so_another_waits(tmp_path: Path) -> None:
    """At most as many run at once as failures are borne; it begins when one has ended well."""
    account = account_of(tmp_path, Pure(1))
    running = [account.charge(asking(f"r{i}")) for i in range(3)]
    begun: list[Charge | Stored] = []
    waiting = threading.Thread(target=lambda: begun.append(account.charge(asking("new"))))
    waiting.start()
    time.sleep(0.3)
    assert begun == []
    assert isinstance(running[0], Charge)
    account.store(running[0], b"answer")
    waiting.join(PATIENCE)
    assert len(begun) == 1


def test_what_somebody_runs_is_waited_for(tmp_path: Path) -> None:
    """R43: the same question asked twice at once is run and paid for once."""
    account, other = account_of(tmp_path, Pure(1)), account_of(tmp_path, Pure(1))
    charge = account.charge(asking("same"))
    assert isinstance(charge, Charge)
    given: list[Charge | Stored] = []
    waiting = threading.Thread(target=lambda: given.append(other.charge(asking("same"))))
    waiting.start()
    time.sleep(0.3)
    assert given == []
    stored = account.store(charge, b"answer")
    waiting.join(PATIENCE)
    assert given == [stored]


def race(folder: Path, processes: int, ask: Callable[[BudgetAccount, int], None]) -> None:
    barrier = FORK.Barrier(processes)

    def one(who: int) -> None:
        with opened(folder) as ledger:
            account = ledger.account(NAME, Pure(1))
            barrier.wait(PATIENCE)
            ask(account, who)

    crowd = [FORK.Process(target=one, args=(who,)) for who in range(processes)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
        assert process.exitcode == 0


def failing(account: BudgetAccount, who: int) -> None:
    """Four questions that fail, under three names."""
    for i in range(4):
        try:
            given = account.charge(asking(f"{who}-{i}", f"name {(who + i) % 3}"))
        except Refused:
            continue
        assert isinstance(given, Charge)
        account.mark(given, 1)
        account.fail(given)


@pytest.mark.parametrize("processes", [8, pytest.param(64, marks=pytest.mark.long)])
def test_a_crowd_fails_no_more_often_than_is_borne(tmp_path: Path, processes: int) -> None:
    """R32: all of them at once, three names: three failures each, and not one more."""
    race(tmp_path, processes, failing)
    names = [body["analyst"] for body in bodies(tmp_path, "charge")]
    assert sorted(names) == [f"name {who}" for who in range(3) for _ in range(3)]
    assert len(bodies(tmp_path, "fail")) == 9
    assert opened(tmp_path).verify().holds


def test_a_breaker_that_does_not_count_what_runs_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R46: the broken twin looks at what has failed alone, and the crowd gets past it."""
    monkeypatch.setattr("tacit.ledger.sqlite_database.Held.is_held", lambda *_: False)
    monkeypatch.setattr("tacit.ledger.breaker.Failures.is_room", lambda *_: True)
    race(tmp_path, 8, failing)
    assert len(bodies(tmp_path, "fail")) > 9


def test_what_costs_less_than_the_floor_is_refused(tmp_path: Path) -> None:
    """In the account's currency; what is stored stays free, whatever is offered for it."""
    account, floor = account_of(tmp_path, Pure(1)), Fraction(1, 10_000)
    with pytest.raises(Refused, match=r"less than 0.01% of the budget"):
        account.charge(request("q", Pure("0.00009999"), floor=floor))
    charge = account.charge(request("q", Pure("0.0001"), floor=floor))
    assert isinstance(charge, Charge)
    account.store(charge, b"answer")
    assert isinstance(account.charge(request("q", Pure("1e-9"), floor=floor)), Stored)
