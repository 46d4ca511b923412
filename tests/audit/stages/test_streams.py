"""Draws of several processes and threads."""

from __future__ import annotations

import threading

import numpy as np

from tacit.audit.stages.sampler import forked, repeated, threaded
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace

SHARED = np.random.default_rng(1)
LOCAL = threading.local()


def exact(size: int, bits: Bits) -> Integers:
    return DiscreteLaplace(1000).draw(size, bits)


def copied_by_fork(size: int, bits: Bits) -> Integers:
    return SHARED.integers(0, 1000, size)


def seeded_in_each_thread(size: int, bits: Bits) -> Integers:
    if not hasattr(LOCAL, "generator"):
        LOCAL.generator = np.random.default_rng(7)
    drawn: Integers = LOCAL.generator.integers(0, 1000, size)
    return drawn


def test_the_operating_systems_entropy_never_repeats() -> None:
    assert len(forked(exact, 20)) == 4
    assert len(threaded(exact, 20)) == 3
    assert not repeated(forked(exact, 20))
    assert not repeated(threaded(exact, 20))


def test_a_generator_copied_by_fork_does() -> None:
    assert repeated(forked(copied_by_fork, 20))
    assert not repeated(threaded(copied_by_fork, 20))


def test_a_generator_seeded_in_each_thread_does() -> None:
    assert repeated(threaded(seeded_in_each_thread, 20))
