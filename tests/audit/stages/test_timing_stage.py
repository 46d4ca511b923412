"""Stage e, with a clock of its own: no test here depends on how fast anything runs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tacit.audit.auditor import Effort
from tacit.audit.stages.timing import timing_stage
from tacit.audit.subject import AdditiveStructure, AuditSubject
from tacit.audit.verdict import Outcome
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace

LAW = DiscreteLaplace(2)


class Clock:
    """A clock that advances only where a mechanism advances it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def tried(
    clock: Clock, seconds: Callable[[int, int, float], float], *, is_open: bool = True, extra: int = 0
) -> AuditSubject:
    """A noisy number whose release takes so many seconds, by its value, its noise and chance; and so many bytes."""

    def release(data: int, bits: Bits) -> int:
        noise = int(LAW.draw(1, bits)[0])
        bits.octets(8 + extra * data)
        clock.now += seconds(data, noise, int(bits.octets(1)[0]) / 255)
        return data + noise

    inside = AdditiveStructure(lambda data: [data], Fraction(1), "l1", LAW, LAW.draw) if is_open else None
    return AuditSubject("tried", Pure("0.5"), Relation.ADD_REMOVE, release, ((0, 1),), additive=inside)


def is_fault(
    seconds: Callable[[int, int, float], float], *, is_open: bool = True, extra: int = 0, seed: int = 1
) -> bool:
    clock = Clock()
    return timing_stage(clock).look(tried(clock, seconds, is_open=is_open, extra=extra), Effort(seed=seed)).is_fault


def test_time_by_chance_alone_passes() -> None:
    assert not any(is_fault(lambda data, noise, chance: 1e-3 * (1 + chance), seed=seed) for seed in range(5))


def test_time_by_the_value_is_found() -> None:
    assert is_fault(lambda data, noise, chance: 1e-3 * (1 + 0.3 * data + 0.2 * chance))
    assert is_fault(lambda data, noise, chance: 1e-3 * (2 - 0.5 * data + 0.2 * chance), is_open=False)


def test_time_by_the_noise_is_found_where_the_noise_is_known() -> None:
    assert is_fault(lambda data, noise, chance: 1e-3 * (1 + abs(noise) + chance))
    assert not is_fault(lambda data, noise, chance: 1e-3 * (1 + abs(noise) + chance), is_open=False)


def test_a_difference_that_nobody_could_measure_is_none() -> None:
    assert not is_fault(lambda data, noise, chance: 1e-6 * (1 + data + chance))
    assert not is_fault(lambda data, noise, chance: 1e-3 * (1 + 0.05 * data + 0.2 * chance))


def test_bytes_by_the_value_are_found_whatever_the_clock_says() -> None:
    assert is_fault(lambda data, noise, chance: 0.0, extra=1000)
    assert not is_fault(lambda data, noise, chance: 0.0, extra=100)


def test_it_says_what_it_could_have_seen() -> None:
    clock = Clock()
    found = timing_stage(clock).look(tried(clock, lambda *_: 1e-3), Effort())
    assert "10%" in found.could_see
    assert np.isclose(found.alarm_rate, Effort().alarm_rate)


def test_a_small_difference_is_suspicious_and_a_large_one_breaks() -> None:
    for gap, outcome in ((20e-6, Outcome.SUSPICIOUS), (500e-6, Outcome.SUSPICIOUS), (2e-3, Outcome.BROKEN)):
        clock = Clock()
        timed = tried(clock, lambda data, noise, chance, gap=gap: 1e-4 + data * 1.1 * gap)
        assert timing_stage(clock).look(timed, Effort()).outcome is outcome
