"""kill −9 within a stage that may be lost: it is stored as empty, never drawn again, and the run goes on behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from tests.crash.killing import run_until
from tests.crash.staged_release import BUDGET, release_saying
from tests.ledger.books import NAME, bodies, opened
from tests.ledger.kept import InPostgres, Kept

from tacit.noise.bits import Bits
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price

Say = Callable[[bytes], None]
MANY = 4


def door(folder: Path, say: Say, may_lose_stages: bool = True) -> None:
    """Stages that say what they draw while they draw it, and a last one that joins what is stored."""

    def stage(place: int) -> Stage:
        def made(_: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            bits.octets(1)
            say(b"began %d" % place)
            return b"%d" % place

        return made

    def joined(_: Session, __: Bits, released: Sequence[bytes]) -> bytes:
        return b",".join(released)

    session = cast("Session", None)  # nobody looks at it
    stages = (*(stage(place) for place in range(MANY)), joined)
    release_saying(folder, say, stages, cast("Price", None), lambda: nullcontext(session), may_lose_stages)


def outcome(kept_in: Kept, here: Path, step: int, again: int = 0) -> tuple[bool, list[bytes], bytes]:
    """Whether it was killed at this step, which stages began, in all processes, and the answer in the end."""
    kept_in.place(here)
    with opened(here) as ledger:
        ledger.account(NAME, BUDGET)
    killed, left = run_until(step, door, here)
    for at in (again if killed else 0, 0, 0):
        left += run_until(at, door, here)[1]
    began = [said for said in left if said.startswith(b"began")]
    assert len(began) == len({*began})
    (answer,) = {said for said in left if said.startswith((b"answer", b"failed"))}
    assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
    assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
    with opened(here) as ledger:
        assert ledger.verify().holds
    if isinstance(kept_in, InPostgres):
        kept_in.take_back(here)
    return killed, began, answer


def lost(answer: bytes) -> int:
    """How many stages an answer is without; the others are what was drawn."""
    found = bytes.fromhex(answer.removeprefix(b"answer ").decode()).split(b",")
    assert len(found) == MANY
    assert all(each in (b"", b"%d" % place) for place, each in enumerate(found))
    return found.count(b"")


@pytest.mark.parametrize("step", [30])
def test_killed_within_a_run(tmp_path: Path, kept_in: Kept, step: int) -> None:
    killed, _, answer = outcome(kept_in, tmp_path / "here", step)
    assert killed
    assert lost(answer) <= 1


@pytest.mark.long
@pytest.mark.parametrize("is_killed_again", [False, True])
def test_killed_at_every_step(tmp_path: Path, kept_in: Kept, is_killed_again: bool) -> None:
    """A first death loses one stage at most; a second one ends the run, as it may go on once only."""
    without, failed = 0, 0
    for step in count(1):
        killed, _, answer = outcome(kept_in, tmp_path / str(step), step, step if is_killed_again else 0)
        if answer == b"failed":
            failed += 1
        else:
            without += lost(answer)
        if not killed:
            break
    assert without >= (1 if is_killed_again else MANY)
    assert bool(failed) == is_killed_again
