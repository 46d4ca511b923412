"""A session of online weights and its file: answers are durable before they are returned, and it is never resumed."""

from __future__ import annotations

import copy
import json
import os
import pickle
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.crash.killing import run_until

from tacit.errors import Failed, Refused
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.weights.online_weights import OnlineWeights
from tacit.mechanisms.weights.weights_session import WeightsSession
from tacit.noise.bits import Bits, Seeded

MECHANISM = OnlineWeights.for_loss(Zcdp(4), (4, 2), Relation.ADD_REMOVE, 3)
HISTOGRAM = np.array([[900, 0], [0, 50], [0, 0], [7, 0]])
QUESTIONS = ({0: 0}, {0: (0, 1), 1: 1}, {1: 0}, {0: 3}, {0: 2})


def records(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]


def test_replies_are_in_the_file_and_the_hypothesis_is_read_from_it(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    session = MECHANISM.start(HISTOGRAM, file)
    replies = [session.ask(asked) for asked in QUESTIONS]
    told = [each for each in records(file) if "answer" in each]
    checked = [each for each in replies if not each.is_unchecked]
    assert [(each["answer"], each["surprise"]) for each in told] == [(e.number, e.is_surprise) for e in checked]
    assert any(each.is_surprise for each in replies)
    again = WeightsSession.reopen(MECHANISM, file)
    assert again.is_closed
    assert again.updates_left == session.updates_left == 3 - sum(each.is_surprise for each in replies)
    assert np.array_equal(again.hypothesis.shares, session.hypothesis.shares)
    reply = again.ask({0: 3})
    assert reply.is_unchecked
    assert len(records(file)) == 2 + 2 * len(checked)
    with pytest.raises(Refused, match="one already"):
        MECHANISM.start(HISTOGRAM, file)
    with pytest.raises(Refused, match="another mechanism"):
        WeightsSession.reopen(OnlineWeights.for_loss(Zcdp(4), (4, 2), Relation.ADD_REMOVE, 2), file)


def test_after_the_last_update_the_data_are_let_go(tmp_path: Path) -> None:
    session = OnlineWeights.for_loss(Zcdp(9), (4, 2), Relation.ADD_REMOVE, 1).start(HISTOGRAM, tmp_path / "weights")
    assert session.ask({0: 0}).is_surprise
    assert session.ask({0: 0}).is_unchecked
    assert session.is_closed
    assert session._histogram is None


class Failing(Bits):
    """Gives bits until told not to."""

    is_broken = False

    def __init__(self) -> None:
        self._bits = Seeded(7)

    def octets(self, count: int) -> NDArray[np.uint8]:
        if self.is_broken:
            raise OSError("canary")
        return self._bits.octets(count)


def test_what_breaks_closes_the_session_and_says_nothing(tmp_path: Path) -> None:
    """R27: the question stays in the file without an answer, and is never decided again."""
    bits, file = Failing(), tmp_path / "weights"
    session = WeightsSession.start(MECHANISM, HISTOGRAM, bits, file)
    bits.is_broken = True
    with pytest.raises(Failed) as failure:
        session.ask({0: 0})
    assert failure.value.__context__ is None
    assert session.is_closed
    assert "asked" in records(file)[-1]
    bits.is_broken = False
    assert session.ask({0: 0}).is_unchecked
    bits.is_broken = True
    with pytest.raises(Failed):
        WeightsSession.start(MECHANISM, HISTOGRAM, bits, tmp_path / "other")


def test_a_full_disk_closes_the_session_before_anybody_hears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, synced = MECHANISM.start(HISTOGRAM, tmp_path / "weights"), []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 2:  # the answer, not the question
            raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Failed):
        session.ask({0: 0})
    assert session.is_closed


def test_a_session_has_no_copies(tmp_path: Path) -> None:
    session = MECHANISM.start(HISTOGRAM, tmp_path / "weights")
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Refused):
            duplicate(session)
    session._owner = os.getpid() + 1  # what a forked child would find
    with pytest.raises(Refused, match="forked"):
        session.ask({0: 0})


def session_door(folder: Path, say: Callable[[bytes], None], *, goes_on: bool = False) -> None:
    """Opens the session, or what another left; asks all questions, and says each reply and what was drawn."""
    folder.mkdir(exist_ok=True)
    file = folder / "weights"

    class Told(Bits):
        def octets(self, count: int) -> NDArray[np.uint8]:
            say(b"drew")
            return np.frombuffer(os.urandom(count), np.uint8)

    try:
        session = WeightsSession.start(MECHANISM, HISTOGRAM, Told(), file)
    except Refused:
        left = WeightsSession.reopen(MECHANISM, file)
        session = WeightsSession(MECHANISM, HISTOGRAM, Told()) if goes_on else left
    for place, asked in enumerate(QUESTIONS):
        reply = session.ask(asked)
        say(b"%d %d %d" % (place, reply.number, reply.is_unchecked))


def test_killed_at_every_step_nothing_is_drawn_again(tmp_path: Path) -> None:
    """R33: a process after a death draws nothing; and every answer from the data is in the file."""
    interrupted = 0
    for step in count(1):
        here = tmp_path / str(step)
        killed, left = run_until(step, session_door, here)
        heard = [said for said in left if said.endswith(b" 0")]
        file = here / "weights"
        stored = [each["answer"] for each in records(file) if "answer" in each] if file.exists() else []
        assert [int(said.split()[1]) for said in heard] == stored[: len(heard)]
        assert len(stored) <= len(heard) + 1
        if killed and file.exists() and b"\n" in file.read_bytes():
            interrupted += "asked" in records(file)[-1]
            later = run_until(0, session_door, here)[1]
            assert b"drew" not in later
            assert len(later) == len(QUESTIONS)
            assert all(said.endswith(b" 1") for said in later)
        if not killed:
            break
    assert interrupted >= 5
    assert step > 15


def test_a_twin_that_goes_on_after_a_death_is_caught(tmp_path: Path) -> None:
    """It draws for a question that was asked before, with a threshold of its own."""
    killed, _ = run_until(9, session_door, tmp_path / "weights")
    assert killed
    later = run_until(0, partial(session_door, goes_on=True), tmp_path / "weights")[1]
    assert b"drew" in later


def test_a_torn_or_foreign_file_is_refused_or_read_up_to_the_tear(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    session = MECHANISM.start(HISTOGRAM, file)
    session.ask({0: 0})
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"asked": "eJ')
    assert WeightsSession.reopen(MECHANISM, file).updates_left == session.updates_left
    for octets in (b"", b"{}\n", b"[1]\n", b"\xff\n"):
        file.write_bytes(octets)
        with pytest.raises((Refused, Failed)):
            WeightsSession.reopen(MECHANISM, file)
    with pytest.raises(Refused):
        WeightsSession.reopen(MECHANISM, tmp_path / "none")
    with pytest.raises(Refused):
        MECHANISM.start(HISTOGRAM, tmp_path / "no folder" / "weights")
