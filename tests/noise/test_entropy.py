"""The entropy source (R11, R12, R14): no seed; no repetition by fork, spawn, thread or copy; a failure is heard."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tacit.noise import bits
from tacit.noise.bits import ENTROPY, Bits, Entropy, Rehearsal, Scripted, ScriptEnded, Seeded

PIECE = 16  # two honest pieces of 16 bytes agree with probability 2^-128


def pieces(octets: np.ndarray) -> list[bytes]:
    data = octets.tobytes()
    return [data[start : start + PIECE] for start in range(0, len(data) - PIECE + 1, PIECE)]


def repeats(drawn: list[bytes]) -> int:
    return len(drawn) - len(set(drawn))


def test_the_source_takes_no_seed_and_holds_no_state() -> None:
    assert not inspect.signature(Entropy).parameters
    with pytest.raises(TypeError):
        Entropy(1)
    with pytest.raises(AttributeError):
        ENTROPY.seed = 1
    assert list(inspect.signature(Entropy.octets).parameters) == ["self", "count"]


def test_rehearsals_are_another_type() -> None:
    assert isinstance(ENTROPY, Bits)
    assert not isinstance(ENTROPY, Rehearsal)
    for rehearsal in (Scripted(b""), Seeded(1)):
        assert isinstance(rehearsal, Rehearsal)
        assert not isinstance(rehearsal, Entropy)


def test_words_are_the_octets_and_octets_are_never_shared() -> None:
    assert Scripted(bytes(range(8))).words(1).tolist() == [int.from_bytes(bytes(range(8)), sys.byteorder)]
    assert Scripted(bytes(range(8))).integer(64) == int.from_bytes(bytes(range(8)), "big")
    for count in (1, 3, 7, 8, 2**18 - 1, 2**18, 2**18 + 1, 10**6):
        assert ENTROPY.octets(count).size == count
    drawn = [ENTROPY.octets(40) for _ in range(20_000)]
    assert not any(np.shares_memory(a, b) for a, b in pairwise(drawn))
    assert repeats([piece for octets in drawn for piece in pieces(octets)]) == 0


def test_a_script_ends_where_it_ends() -> None:
    script = Scripted(b"abc")
    assert script.octets(2).tobytes() == b"ab"
    with pytest.raises(ScriptEnded):
        script.octets(2)
    assert script.taken == 2


def test_a_seed_repeats_and_another_differs() -> None:
    assert pieces(Seeded(4).octets(64)) == pieces(Seeded(4).octets(64))
    assert repeats(pieces(Seeded(4).octets(64)) + pieces(Seeded(5).octets(64))) == 0


def test_copies_never_repeat_a_draw() -> None:
    copies = [ENTROPY, Entropy(), copy.copy(ENTROPY), copy.deepcopy(ENTROPY), pickle.loads(pickle.dumps(ENTROPY))]
    assert repeats([piece for source in copies * 3 for piece in pieces(source.octets(4096))]) == 0


def test_threads_never_repeat_a_draw() -> None:
    drawn: list[bytes] = []
    barrier = threading.Barrier(16)

    def run() -> None:
        barrier.wait()
        drawn.extend(piece for _ in range(300) for piece in pieces(ENTROPY.octets(48)))

    threads = [threading.Thread(target=run) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 16 * 300 * 3
    assert repeats(drawn) == 0


FORK = """
import os, sys, threading
from tacit.noise.bits import Bits
from tacit.noise.bits import ENTROPY

class Forgetful(Bits):
    "A stock that does not know which process it belongs to."
    stock = os.urandom(1 << 16)
    used = 0
    def octets(self, count):
        self.used += count
        return memoryview(self.stock)[self.used - count:self.used]

source = Forgetful() if sys.argv[2] == "forgetful" else ENTROPY
out = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def draw():
    for _ in range(20):
        os.write(out, bytes(source.octets(16)))

def family():
    draw()
    first = os.fork()   # parent and child, then both fork again: four processes with one past
    second = os.fork()
    draw()
    if second == 0:
        os._exit(0)
    os.waitpid(second, 0)
    if first == 0:
        os._exit(0)
    os.waitpid(first, 0)
    draw()

source.octets(16)
if sys.argv[3] == "thread":
    thread = threading.Thread(target=family)
    thread.start()
    thread.join()
else:
    family()
"""


def forked(path: Path, source: str, where: str) -> list[bytes]:
    script = path / "fork.py"
    script.write_text(FORK)
    out = path / "drawn"
    command = [sys.executable, "-W", "ignore", str(script), str(out), source, where]  # forking a thread draws a warning
    subprocess.run(command, check=True, timeout=60)
    return pieces(np.frombuffer(out.read_bytes(), np.uint8))


@pytest.mark.parametrize("where", ["main", "thread"])
def test_forks_never_repeat_a_draw(tmp_path: Path, where: str) -> None:
    drawn = forked(tmp_path, "entropy", where)
    assert len(drawn) == 20 * 6
    assert repeats(drawn) == 0


def test_a_source_that_forgets_its_process_is_caught(tmp_path: Path) -> None:
    assert repeats(forked(tmp_path, "forgetful", "main")) > 0


POOL = """
import multiprocessing, sys
from tacit.noise.bits import ENTROPY

if __name__ == "__main__":
    ENTROPY.octets(16)
    with multiprocessing.get_context(sys.argv[2]).Pool(3) as pool:  # the method is pickled, and its source with it
        drawn = pool.map(ENTROPY.octets, [64] * 60, chunksize=1)
    with open(sys.argv[1], "wb") as out:
        for octets in [*drawn, *(ENTROPY.octets(64) for _ in range(20))]:
            out.write(octets.tobytes())
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_worker_processes_never_repeat_a_draw(tmp_path: Path, method: str) -> None:
    script, out = tmp_path / "pool.py", tmp_path / "drawn"
    script.write_text(POOL)
    subprocess.run([sys.executable, "-W", "ignore", str(script), str(out), method], check=True, timeout=120)
    drawn = pieces(np.frombuffer(out.read_bytes(), np.uint8))
    assert len(drawn) == 80 * 4
    assert repeats(drawn) == 0


def failing_at(call: int, honest: Callable[[int], bytes]) -> Callable[[int], bytes]:
    calls = 0

    def urandom(count: int) -> bytes:
        nonlocal calls
        calls += 1
        if calls == call:
            raise OSError("no entropy")
        return honest(count)

    return urandom


@pytest.mark.parametrize("size", [1 << 12, 100_000, 700_000])
@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_failing_operating_system_is_heard_and_nothing_is_handed_out_twice(
    monkeypatch: pytest.MonkeyPatch, call: int, size: int
) -> None:
    monkeypatch.setattr(bits.os, "urandom", failing_at(call, os.urandom))
    drawn: list[bytes] = []
    failures = 0
    for _ in range(max(12, 4 * 2**18 // size)):
        try:
            drawn += pieces(ENTROPY.octets(size))
        except OSError:
            failures += 1
    assert failures == 1
    assert repeats(drawn) == 0


def test_bits_are_balanced() -> None:
    """Each of the 8 bit positions over 2^20 octets: 6 standard deviations, false-alarm rate below 2e-8."""
    counts = np.unpackbits(ENTROPY.octets(1 << 20).reshape(-1, 1), axis=1).sum(axis=0, dtype=np.int64)
    assert np.all(np.abs(counts - (1 << 19)) < 6 * (1 << 9))
