"""Many at once on one budget: exactly what fits is admitted, and a check before the transaction would be caught."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from fractions import Fraction
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from tests.ledger.books import NAME, bodies, opened, request, spent

from tacit.errors import Refused
from tacit.ledger import BudgetAccount, Charge
from tacit.ledger.events import Charged
from tacit.loss import Loss, Zcdp

FORK = multiprocessing.get_context("fork")  # no ledger is open in the parent at that moment
BUDGET = Zcdp(1, "1e-6")
PATIENCE = 30.0  # seconds; who waits longer waits for one that failed

Spend = Callable[[BudgetAccount, str, Loss, Barrier], bool]


def charge(account: BudgetAccount, digest: str, loss: Loss, barrier: Barrier) -> bool:
    """As the curator does it."""
    try:
        return isinstance(account.charge(request(digest, loss)), Charge)
    except Refused as refusal:
        if "is left" not in refusal.why:
            raise
        return False


def check_then_spend(account: BudgetAccount, digest: str, loss: Loss, barrier: Barrier) -> bool:
    """The broken twin: looks whether it fits, then writes, in two steps."""
    admitted = account.filter().admits(loss)
    barrier.wait(PATIENCE)
    if admitted:
        with account._chain.writing() as connection:
            event = Charged("now", digest, "", "", digest, Fraction(1), loss)
            account._chain.append(connection, account.id, event)
    return admitted


def spend(folder: Path, spender: Spend, part: Loss, times: int, who: int, barrier: Barrier) -> None:
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        barrier.wait(PATIENCE)
        admitted = sum(spender(account, f"p{who}-{i}", part, barrier) for i in range(times))
    (folder / f"admitted-{who}").write_text(str(admitted))


def race(folder: Path, spender: Spend, processes: int, parts: int, times: int) -> tuple[int, Fraction]:
    """(charges that the processes say they got, what the entries add up to), with room for `parts` in the budget."""
    barrier, part = FORK.Barrier(processes), Zcdp(Fraction(1, parts), Fraction(1, parts * 10**6))
    crowd = [FORK.Process(target=spend, args=(folder, spender, part, times, i, barrier)) for i in range(processes)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
        assert process.exitcode == 0
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET).id
        whole = ledger.verify().holds
    total = spent(folder, account)["rho"]
    assert whole == (total <= 1)
    return sum(int((folder / f"admitted-{i}").read_text()) for i in range(processes)), total


def test_eight_processes_never_exceed_one_budget(tmp_path: Path) -> None:
    """R32: 24 tries at 13 parts; every process also opens, or creates, ledger and account at the same moment."""
    admitted, total = race(tmp_path, charge, processes=8, parts=13, times=3)
    assert (admitted, total) == (13, 1)
    assert len(bodies(tmp_path, "open")) == 1
    assert len(bodies(tmp_path, "charge")) == 13


def test_check_then_spend_is_caught(tmp_path: Path) -> None:
    """R32, R46: the same race on the broken twin overspends, and the replay of the ledger says so."""
    admitted, total = race(tmp_path, check_then_spend, processes=4, parts=2, times=1)
    assert admitted == 4
    assert total == 2


@pytest.mark.long
def test_sixty_four_processes_never_exceed_one_budget(tmp_path: Path) -> None:
    """R32: 256 tries at 100 parts."""
    assert race(tmp_path, charge, processes=64, parts=100, times=4) == (100, 1)


def test_threads_share_one_handle(tmp_path: Path) -> None:
    """R32, within one process."""
    with opened(tmp_path) as ledger:
        account = ledger.account(NAME, BUDGET)
        admitted: list[bool] = []

        def work(who: int) -> None:
            for i in range(4):
                account.filter()
                try:
                    account.charge(request(f"t{who}-{i}", Zcdp(Fraction(1, 10))))
                    admitted.append(True)
                except Refused:
                    admitted.append(False)

        threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(admitted) == 10
        assert len(admitted) == 16
        assert spent(tmp_path, account.id)["rho"] == 1


def test_one_request_asked_by_all_at_once_is_paid_once(tmp_path: Path) -> None:
    """R43: the same analyst's eight processes get one charge; whoever stores first, all have the same bytes."""
    barrier = FORK.Barrier(8)

    def ask(who: int) -> None:
        with opened(tmp_path) as ledger:
            account = ledger.account(NAME, BUDGET)
            barrier.wait(PATIENCE)
            given = account.charge(request("same", BUDGET))
            stored = account.store(given, f"noise {who}".encode()) if isinstance(given, Charge) else given
        (tmp_path / f"answer-{who}").write_bytes(stored.payload)

    crowd = [FORK.Process(target=ask, args=(who,)) for who in range(8)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
        assert process.exitcode == 0
    assert len({(tmp_path / f"answer-{who}").read_bytes() for who in range(8)}) == 1
    assert len(bodies(tmp_path, "charge")) == len(bodies(tmp_path, "store")) == 1
