"""Stage (e), timing: the random bytes and the time of a release, against the data and against the noise.

Bytes are counted first, because they are the same on every machine; then time is measured. Runs on a pair alternate, so
that other load of the machine affects both equally.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from scipy.stats import hypergeom

from tacit.audit.auditor import Effort, Stage
from tacit.audit.neighbours import rungs, tried_words
from tacit.audit.stages.exact_tests import binomial_p
from tacit.audit.stages.replay import run
from tacit.audit.subject import AuditSubject, Data
from tacit.audit.verdict import Finding, Outcome
from tacit.noise.bits import Bits

NAME = "timing"
_TURNS = 240
_WARM = 5
_SHARE = 0.1
_FAR = 1e-3  # seconds that are visible across a network: such a difference is as informative as an answer
_FLOOR = {"bytes": 256.0, "seconds": 20e-6}  # smaller differences are ignored, since delivery of an answer varies more

Costs = dict[str, list[float]]


def timing_stage(clock: Callable[[], float]) -> Stage:
    """The stage with this clock; tests replace it."""
    return Stage(NAME, lambda subject: bool(subject.pairs), lambda subject, effort: _look(subject, effort, clock))


def _look(subject: AuditSubject, effort: Effort, clock: Callable[[], float]) -> Finding:
    """A fault iff costs differ by at least a tenth and more than the floor, and significantly at the alarm rate.

    Claim: where time depends neither on the data set of a pair nor on the noise, it finds a fault with probability at
    most the alarm rate. Proof: given the two times of a turn, either came from either data set with equal chance (the
    order is a coin), so the number of turns in which the first took longer is binomial; given all noises and all
    times, how many of the larger ones meet is hypergeometric. Both are summed exactly, and share the rate.
    """
    pairs = [*subject.pairs, *rungs(subject.ladder)]
    line, turns, seconds = effort.alarm_rate / (4 * len(pairs)), _TURNS, effort.seconds / len(pairs)
    for place, (one, other) in enumerate(pairs):
        effort.watch(f"pair {place + 1} of {len(pairs)}")
        first, second, noises = _measure(subject, (one, other), effort.bits(50_000 + place), clock, seconds)
        turns = min(turns, len(first["seconds"]))
        for kind, floor in _FLOOR.items():
            slower, faster = sorted((first[kind], second[kind]), key=median, reverse=True)
            longer = sum(a > b for a, b in zip(slower, faster, strict=True))
            ties = sum(a == b for a, b in zip(slower, faster, strict=True))
            chance = binomial_p(longer, len(slower) - ties, 0.5)
            if chance <= line and _is_apart(slower, faster, floor):
                words = f"It takes {median(slower):.3g} {kind} on one data set, {median(faster):.3g} on its neighbour"
                is_far = kind == "seconds" and median(slower) - median(faster) >= _FAR
                return _fault(words, (one, other), effort.alarm_rate, 2 * len(slower), is_far=is_far)
            if noises and _follows(noises, first[kind], floor, line):
                words = (
                    f"A release takes the more {kind}, the larger its noise: the time tells the noise, and so the value"
                )
                return _fault(words, (one, other), effort.alarm_rate, 2 * len(slower), is_far=False)
    words = "Neither random bytes nor time tell the pairs tried apart, nor the size of the noise."
    needed = next((longer for longer in range(turns // 2, turns) if binomial_p(longer, turns, 0.5) <= line), turns)
    seen = (
        f"medians that differ by {_SHARE:.0%} and by {_FLOOR['bytes']:.0f} bytes or {_FLOOR['seconds'] * 1e6:.0f} µs, "
        f"if one data set takes longer in {needed} of {turns} turns, on {tried_words(pairs)}"
    )
    return Finding(NAME, Outcome.PASSED, words, effort.alarm_rate, seen, samples=2 * _TURNS * len(pairs))


def _fault(words: str, pair: tuple[Data, Data], alarm_rate: float, samples: int, *, is_far: bool) -> Finding:
    """Suspicious where only an observer on this machine can see it; broken where any observer can."""
    outcome = Outcome.BROKEN if is_far else Outcome.SUSPICIOUS
    return Finding(NAME, outcome, words, alarm_rate, samples=samples, pair=pair)


def _measure(
    subject: AuditSubject, pair: tuple[Data, Data], bits: Bits, clock: Callable[[], float], seconds: float
) -> tuple[Costs, Costs, list[int]]:
    """The costs of both, turn by turn, and the noise of the first where it is known."""
    costs: tuple[Costs, Costs] = ({"bytes": [], "seconds": []}, {"bytes": [], "seconds": []})
    noises: list[int] = []
    began = perf_counter()
    for turn in range(-_WARM, _TURNS):
        if turn >= 32 and perf_counter() - began > seconds:
            break
        flip = int(bits.octets(1)[0]) & 1
        for place in (flip, 1 - flip):
            start = clock()
            made = run(subject, pair[place], bits)
            taken = clock() - start
            if turn >= 0:
                costs[place]["bytes"].append(float(sum(made.draws)))
                costs[place]["seconds"].append(taken)
                if place == 0:
                    noises += _noise(subject, pair[0], made.answer)
    return (*costs, noises if len(noises) == len(costs[0]["bytes"]) else [])


def _noise(subject: AuditSubject, data: Data, answer: object) -> list[int]:
    """The size of the noise in the answer, where the subject's statistic is known."""
    if subject.additive is None:
        return []
    base = np.array([int(part) for part in subject.additive.statistic(data)], np.int64)
    given = np.atleast_1d(np.asarray(answer))
    return [int(np.abs(given - base).max())] if given.shape == base.shape and given.dtype.kind in "iu" else []


def _is_apart(slower: list[float], faster: list[float], floor: float) -> bool:
    gap = median(slower) - median(faster)
    return gap > floor and gap >= _SHARE * median(slower)


def _follows(noises: list[int], costs: list[float], floor: float, line: float) -> bool:
    size, spent = np.array(noises), np.array(costs)
    large, long = size > np.median(size), spent > np.median(spent)
    both = int((large & long).sum())
    chance = float(hypergeom.sf(both - 1, large.size, int(large.sum()), int(long.sum())))
    if not (chance <= line and large.any() and not large.all()):
        return False
    return _is_apart(spent[large].tolist(), spent[~large].tolist(), floor)


TIMING = timing_stage(perf_counter)
