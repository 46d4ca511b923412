"""Stage (c), sampler: the noise drawn against its claimed distribution, and its independence between draws.

Draws made at the same time by forked processes and by threads must not repeat each other.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import ceil, log
from threading import Barrier
from time import perf_counter
from typing import Any

import numpy as np

from tacit.audit.auditor import Effort, Stage
from tacit.audit.stages.exact_tests import LawCells, agreements, fits, least_scale_error
from tacit.audit.subject import AdditiveStructure, AuditSubject
from tacit.audit.verdict import Finding, Outcome
from tacit.noise.bits import ENTROPY, Bits, Integers

_WORKERS = 3
_PATIENCE = 20.0  # seconds after which a hanging worker is abandoned

Noise = Callable[[int, Bits], Integers]


def forked(noise: Noise, count: int) -> list[Integers]:
    """The draws of several processes forked at one moment, and then of their parent."""
    if not hasattr(os, "fork") or multiprocessing.current_process().daemon:  # a daemon may have no children
        return []
    context, found = multiprocessing.get_context("fork"), []
    pipes = [context.Pipe(duplex=False) for _ in range(_WORKERS)]
    workers = [context.Process(target=_send, args=(noise, count, sender), daemon=True) for _, sender in pipes]
    for worker in workers:
        worker.start()
    for receiver, _ in pipes:
        if receiver.poll(_PATIENCE):
            found.append(receiver.recv())
    for worker in workers:
        worker.join(_PATIENCE)
    return [*found, np.asarray(noise(count, ENTROPY))]


def _send(noise: Noise, count: int, sender: Any) -> None:
    sender.send(np.asarray(noise(count, ENTROPY)))


def threaded(noise: Noise, count: int) -> list[Integers]:
    """The draws of several threads that start together."""
    gate = Barrier(_WORKERS)

    def draw(_: int) -> Integers:
        gate.wait()
        return np.asarray(noise(count, ENTROPY))

    with ThreadPoolExecutor(_WORKERS) as pool:
        return list(pool.map(draw, range(_WORKERS)))


def repeated(streams: list[Integers]) -> bool:
    """Whether two of the streams are the same."""
    return len({stream.tobytes() for stream in streams}) < len(streams)


NAME = "sampler"
_MOST = 1 << 18
_FEW = 2_000
_RELEASES = 4_000
_LAGS = (1, 2, 8)
_TESTS = 2 * (4 + 3 * len(_LAGS)) + 3 + 1  # groups of tests: noise, releases, between coordinates, between streams


def look(subject: AuditSubject, effort: Effort) -> Finding:
    """Test draws of the noise, and the noise that releases added, against exact probabilities.

    Claim: if the draws are independent and follow the law, it says broken with probability at most the alarm rate.
    Proof: every test's rate is exact (binomial, or a sum of whole scores), and they share the alarm rate evenly.
    """
    additive = subject.additive
    assert additive is not None
    cells, line = LawCells.of(additive.law), effort.alarm_rate / _TESTS
    draws = _drawn(additive, min(effort.samples, _MOST), effort)
    chances = {f"noise: {name}": p for name, p in _alone(draws, cells).items()}
    added = _added(subject, effort)
    if added is not None:
        chances |= {f"release: {name}": p for name, p in _alone(added.ravel(), cells).items()}
        if added.shape[1] > 1:
            pairs = agreements(added[:, 0], added[:, 1], cells)
            chances |= {f"release: coordinates in one {name}": p for name, p in pairs.items()}
    enough = ceil(log(line / 20) / log(float((cells.chances**2).sum()))) if cells.chances.max() < 1 else 0
    for kind, streams in (("processes", forked), ("threads", threaded)):
        if enough and repeated(streams(additive.noise, enough)):
            words = f"Two {kind} drew the same {enough} numbers"
            return Finding(NAME, Outcome.BROKEN, words, effort.alarm_rate, samples=draws.size)
    least = min(chances, key=lambda name: chances[name])
    if chances[least] <= line:
        rare = f"by chance so far off once in {1 / max(chances[least], 1e-12):.3g}"
        words = f"Draws are not what the law says ({least}): {rare}"
        evidence = {"chances": {name: float(f"{p:.3g}") for name, p in chances.items()}}
        return Finding(NAME, Outcome.BROKEN, words, effort.alarm_rate, samples=draws.size, evidence=evidence)
    error = least_scale_error(cells, draws.size, line)
    words = f"{draws.size} draws fit the law, its tails included, and each other."
    seen = f"noise narrower than claimed by {error:.1%} (9 times in 10)"
    return Finding(NAME, Outcome.PASSED, words, effort.alarm_rate, seen, samples=draws.size)


def _drawn(additive: AdditiveStructure, count: int, effort: Effort) -> Integers:
    """So many draws, or as many as about half of the time permits, estimated from a few first ones."""
    bits, start = effort.bits(3), perf_counter()
    first = np.asarray(additive.noise(min(count, _FEW), bits), np.int64)
    taken = max(perf_counter() - start, 1e-9)
    more = min(count - first.size, int(first.size * effort.seconds / 2 / taken))
    return np.concatenate([first, np.asarray(additive.noise(more, bits), np.int64)]) if more > 0 else first


def _alone(draws: Integers, cells: LawCells) -> dict[str, float]:
    """Tests of the fit of draws to the law, and of independence over a few lags, in pairs that share no draw."""
    chances = fits(draws, cells)
    for lag in _LAGS:
        blocks = draws[: draws.size // (2 * lag) * 2 * lag].reshape(-1, 2, lag)
        found = agreements(blocks[:, 0].ravel(), blocks[:, 1].ravel(), cells)
        chances |= {f"lag {lag}, same {name}": p for name, p in found.items()}
    return chances


def _added(subject: AuditSubject, effort: Effort) -> Integers | None:
    """The noise that releases added to the statistic, one release per row.

    None where they are not integers of its length.
    """
    additive, data, bits = subject.additive, subject.pairs[0][0], effort.bits(5)
    assert additive is not None
    base = np.array([int(part) for part in additive.statistic(data)], object)
    start, rows = perf_counter(), list[list[int]]()
    count = min(_RELEASES, effort.samples)
    while len(rows) < count and (len(rows) < 64 or perf_counter() - start < effort.seconds / 2):
        answer = np.atleast_1d(np.asarray(subject.release(data, bits)))
        if answer.shape != base.shape or answer.dtype.kind not in "iuO":
            return None
        rows.append([int(part) for part in answer - base])
    return np.array(rows, np.int64)


SAMPLER = Stage(NAME, lambda subject: subject.additive is not None, look)
