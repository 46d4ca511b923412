"""kill −9 at every step of charge, run and store: released ≤ charged, and a retry never draws again (R33)."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path

import pytest
from tests.crash.killing import run_until
from tests.ledger.books import NAME, bodies, opened, request, spent
from tests.ledger.kept import InPostgres, Kept

from tacit.ledger import Charge, Stored
from tacit.loss import Pure

Say = Callable[[bytes], None]
BUDGET = Pure(1)  # exactly one release: a retry that paid again would be refused


def door(folder: Path, say: Say) -> None:
    """Charge, draw, store, answer: in the order of the curator."""
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        given = account.charge(request("q", BUDGET))
        stored = given if isinstance(given, Stored) else account.store(given, os.urandom(8).hex().encode())
        say(stored.payload)


def hasty_door(folder: Path, say: Say) -> None:
    """The broken twin: answers before the release is stored."""
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        given = account.charge(request("q", BUDGET))
        if isinstance(given, Stored):
            say(given.payload)
        else:
            noise = os.urandom(8).hex().encode()
            say(noise)
            account.store(given, noise)


def free_door(folder: Path, say: Say) -> None:
    """The broken twin: answers before it charges."""
    noise = os.urandom(8).hex().encode()
    say(noise)
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        given = account.charge(request("q", BUDGET))
        if isinstance(given, Charge):
            account.store(given, noise)


def marking_door(folder: Path, say: Say) -> None:
    """Charge, mark, draw, store, answer; it reports its draw."""
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        given = account.charge(request("q", BUDGET))
        if isinstance(given, Charge):
            account.mark(given, 1)
            say(b"drew")
            given = account.store(given, os.urandom(8).hex().encode())
        say(b"failed" if given.is_failed else given.payload)


def unmarked_door(folder: Path, say: Say) -> None:
    """The broken twin: draws without a mark."""
    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        given = account.charge(request("q", BUDGET))
        if isinstance(given, Charge):
            say(b"drew")
            given = account.store(given, os.urandom(8).hex().encode())
        say(b"failed" if given.is_failed else given.payload)


def endings(folder: Path, kept: Kept, way_in: Callable[[Path, Say], None]) -> Iterator[tuple[int, int, int]]:
    """For each step: how often noise was drawn, how many answers there were, and how many runs, when it was killed
    there, asked again and killed there again, and then asked twice in peace."""
    for step in count(1):
        here = folder / str(step)
        kept.place(here)
        with opened(here) as ledger:
            ledger.account(NAME, BUDGET)
        killed, left = run_until(step, way_in, here)
        for again in (step if killed else 0, 0, 0):
            left += run_until(again, way_in, here)[1]
        with opened(here) as ledger:
            assert ledger.verify().holds
        ended = len(bodies(here, "store")) + len(bodies(here, "fail"))
        yield left.count(b"drew"), len({*left} - {b"drew"}), ended
        if isinstance(kept, InPostgres):
            kept.take_back(here)
        if not killed:
            return


def test_killed_at_every_step_noise_is_drawn_once(tmp_path: Path, kept_in: Kept) -> None:
    """R33, R49: also around the mark. Two deaths before it, or one after it, are a failure, which is the answer."""
    found = list(endings(tmp_path, kept_in, marking_door))
    assert {answers for _, answers, _ in found} == {ended for *_, ended in found} == {1}
    assert {drawn for drawn, *_ in found} == {0, 1}
    assert len(found) > 14


def test_a_door_that_does_not_mark_is_caught(tmp_path: Path, kept_in: Kept) -> None:
    """R33, R46: noise is drawn twice for one charge."""
    assert max(drawn for drawn, *_ in endings(tmp_path, kept_in, unmarked_door)) > 1


def survivals(folder: Path, kept: Kept, way_in: Callable[[Path, Say], None], prepared: bool) -> Iterator[bool]:
    """For each step: whether, killed there, no answer was uncharged, and a retry gives one draw for one charge."""
    for step in count(1):
        here = folder / str(step)
        kept.place(here)
        if prepared:
            with opened(here) as ledger:
                ledger.account(NAME, BUDGET)
        killed, left = run_until(step, way_in, here)
        charged = len(bodies(here, "charge")) if kept.exists(here) else 0
        _, again = run_until(0, way_in, here)  # as nobody was there to see: the ledger opens, and the request runs
        with opened(here) as ledger:
            whole = ledger.verify().holds and spent(here, ledger.account(NAME, BUDGET).id) == {"epsilon": Fraction(1)}
        stored = [body["payload"] for body in bodies(here, "store")]
        yield len(left) <= charged and len({*left, *again}) == 1 and whole and len(stored) == 1
        if isinstance(kept, InPostgres):
            kept.take_back(here)
        if not killed:
            return


def test_killed_at_every_step_nothing_leaves_uncharged_or_twice(tmp_path: Path, kept_in: Kept) -> None:
    """R33: from the opening of the ledger to its close."""
    survived = list(survivals(tmp_path, kept_in, door, prepared=True))
    assert all(survived)
    assert len(survived) > 12


@pytest.mark.long
def test_killed_while_the_ledger_is_created(tmp_path: Path, kept_in: Kept) -> None:
    """R33: from the first look for a ledger on."""
    survived = list(survivals(tmp_path, kept_in, door, prepared=False))
    assert all(survived)
    assert len(survived) > (16 if isinstance(kept_in, InPostgres) else 24)


@pytest.mark.parametrize("broken", [hasty_door, free_door])
def test_a_door_in_the_wrong_order_is_caught(
    tmp_path: Path, kept_in: Kept, broken: Callable[[Path, Say], None]
) -> None:
    """R33, R46."""
    assert not all(survivals(tmp_path, kept_in, broken, prepared=True))


@pytest.mark.long
def test_killed_at_any_moment_no_charge_that_was_handed_out_is_lost(tmp_path: Path) -> None:
    """R33: 60 processes killed at moments the steps above do not know, inside SQLite, the server and the kernel."""
    moments = random.Random(4)

    def charging(folder: Path, out: int) -> None:
        with opened(folder) as ledger:
            account = ledger.account(NAME, Pure(10**6))
            for i in range(10**6):
                charge = account.charge(request(f"{os.getpid()}-{i}", Pure(1)))
                assert isinstance(charge, Charge)
                os.write(out, charge.hash.encode() + b"\n")

    for _ in range(60):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            charging(tmp_path, write)
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            said = [pipe.readline() for _ in range(moments.randrange(1, 5))]
            time.sleep(moments.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            said += pipe.readlines()
        os.waitpid(child, 0)
        with opened(tmp_path) as ledger:
            assert ledger.verify().holds
            account = ledger.account(NAME, Pure(10**6))
            hashes = {link.hash.encode() + b"\n" for link in account._chain.links("kind = 'charge'")}
        assert all(line in hashes for line in said if line.endswith(b"\n"))
        assert said[0].endswith(b"\n")
