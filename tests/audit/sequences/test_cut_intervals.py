"""How far two worlds' replies lie apart, where intervals are cut at the ends of what is possible."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tacit.audit.sequences.desk import NoisyNumber, Reply
from tacit.audit.sequences.laws import apart_by
from tacit.errors import Refused


def replied(*cells: NoisyNumber) -> list[Reply]:
    return [Reply(cells, Fraction(1, 100), 0.01)]


def test_intervals_cut_to_one_end_in_both_worlds_say_nothing() -> None:
    stated, cut = NoisyNumber(10.0, 2.0), NoisyNumber(0.0, 0.0)
    apart = apart_by(replied(stated, cut), replied(NoisyNumber(14.0, 2.0), cut))
    assert (apart.cells, apart.distance) == (1, 2.0)


def test_numbers_without_noise_that_differ_lie_infinitely_far_apart() -> None:
    assert apart_by(replied(NoisyNumber(3.0, 0.0)), replied(NoisyNumber(4.0, 0.0))).distance == math.inf


def test_replies_in_which_all_is_cut_are_no_comparison() -> None:
    with pytest.raises(Refused):
        apart_by(replied(NoisyNumber(0.0, 0.0)), replied(NoisyNumber(0.0, 0.0)))
