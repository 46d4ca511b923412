"""Stage c: the noise that is really drawn against the law that is claimed for it, and against its own other draws."""

from __future__ import annotations

from math import ceil, log
from time import perf_counter

import numpy as np

from tacit.audit.auditor import Stage
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.stages.cells import Cells
from tacit.audit.stages.exact_tests import agreements, fits
from tacit.audit.stages.power import least_scale_error
from tacit.audit.stages.streams import forked, repeated, threaded
from tacit.audit.subject import Additive, Subject
from tacit.noise.bits import Integers

NAME = "sampler"
_MOST = 1 << 18
_FEW = 2_000
_RELEASES = 4_000
_LAGS = (1, 2, 8)
_TESTS = 2 * (4 + 3 * len(_LAGS)) + 3 + 1  # of the noise, of the releases, between coordinates, between streams


def look(subject: Subject, effort: Effort) -> Finding:
    """Draws of the noise, and what releases really added, held against exact chances.

    Claim: if the draws are independent and follow the law, it says broken with probability at most the alarm rate.
    Proof: every test's rate is exact (binomial, or a sum of whole scores), and they share the alarm rate evenly.
    """
    additive = subject.additive
    assert additive is not None
    cells, line = Cells.of(additive.law), effort.alarm_rate / _TESTS
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


def _drawn(additive: Additive, count: int, effort: Effort) -> Integers:
    """So many draws, or as many as about half of the time permits: a few first, to see how long they take."""
    bits, start = effort.bits(3), perf_counter()
    first = np.asarray(additive.noise(min(count, _FEW), bits), np.int64)
    taken = max(perf_counter() - start, 1e-9)
    more = min(count - first.size, int(first.size * effort.seconds / 2 / taken))
    return np.concatenate([first, np.asarray(additive.noise(more, bits), np.int64)]) if more > 0 else first


def _alone(draws: Integers, cells: Cells) -> dict[str, float]:
    """How well draws fit the law, and how independent they are over a few lags, in pairs that share no draw."""
    chances = fits(draws, cells)
    for lag in _LAGS:
        blocks = draws[: draws.size // (2 * lag) * 2 * lag].reshape(-1, 2, lag)
        found = agreements(blocks[:, 0].ravel(), blocks[:, 1].ravel(), cells)
        chances |= {f"lag {lag}, same {name}": p for name, p in found.items()}
    return chances


def _added(subject: Subject, effort: Effort) -> Integers | None:
    """What releases added to the statistic, one release a row; None where they are not integers of its length."""
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
