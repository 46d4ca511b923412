"""Broken sparse vectors that were once published: the check that passes the true one catches each (R10, R46).

They are algorithms 3 to 6 of Lyu, Su and Li (2017), and two slips of our own making. ε = 1 and Δ = 1 throughout, so
every one of them was claimed to be 1-private.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from tests.divergence import violations
from tests.mechanisms.threshold.crossings import REACH, Values, no_given_threshold, noise, yes_given_threshold

from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.selection.above_threshold import SparseVector

CLAIM = Pure(1)
THRESHOLDS = np.arange(-REACH, REACH + 1)


def is_caught(one: float, other: float, claim: Pure = CLAIM) -> bool:
    """Whether the check finds a violation in one event's probability under two neighbours."""
    return bool(violations(claim, [({"event": one, "else": 1 - one}, {"event": other, "else": 1 - other})]))


def run(values: Values, answers: Sequence[bool], threshold: float, question: float, *, refresh: bool = False) -> float:
    """P(answers): the threshold's noise is drawn once, or if it is refreshed, again after every yes."""
    total, mass = 1.0, noise(threshold)
    for value, answer in zip(values, answers, strict=True):
        mass = mass * (yes_given_threshold if answer else no_given_threshold)(question, value)
        if answer and refresh:
            total, mass = total * mass.sum(), noise(threshold)
    return float(total * mass.sum())


def against(noes: int, yeses: int, height: int = 0) -> tuple[Values, Values, tuple[bool, ...]]:
    """Noes, then yeses; the neighbour's values all move against the answers."""
    values = (*(height,) * noes, *(0,) * yeses)
    moved = (*(height + 1,) * noes, *(-1,) * yeses)
    return values, moved, (*(False,) * noes, *(True,) * yeses)


@pytest.mark.parametrize("yeses", [1, 2, 3])
def test_the_true_one_passes_on_the_same_events(yeses: int) -> None:
    """And comes within 1% of its claim, so that the check has power."""
    mechanism = SparseVector(0, 1, Relation.ADD_REMOVE, "1/2", "1/2", positives=yeses)
    losses = []
    for noes in (1, 8, 40):
        values, moved, answers = against(noes, yeses)
        one, other = mechanism.probability(values, answers), mechanism.probability(moved, answers)
        assert one == pytest.approx(run(values, answers, 2.0, 4.0 * yeses), rel=1e-9)
        assert not is_caught(one, other)
        losses.append(math.log(one / other))
    assert 0.99 < max(losses) <= 1 + 1e-9


@pytest.mark.parametrize("noes", [4, 8, 16])
def test_algorithm_3_that_outputs_the_noisy_answer(noes: int) -> None:
    """The number that was compared tells where the threshold's noise is; then every no costs ε₂/c, without end."""

    def number_zero_after(value: int) -> float:
        """P(so many noes to this value, then the number 0)."""
        mass = noise(2.0) * no_given_threshold(2.0, value) ** noes
        return float(mass[THRESHOLDS <= 0].sum() * noise(2.0)[REACH])

    one, other = number_zero_after(0), number_zero_after(1)
    assert math.log(one / other) >= noes / 2 - 1e-9
    assert is_caught(one, other)


@pytest.mark.parametrize("yeses", [1, 2, 3])
def test_algorithm_4_whose_noise_is_not_scaled_by_the_yeses(yeses: int) -> None:
    """ε₁ = ε/4 and question noise of scale 1/ε₂: in truth (1+6c)/4 times what is claimed, and that is attained."""
    values, moved, answers = against(10, yeses)
    one, other = run(values, answers, 4.0, 4 / 3), run(moved, answers, 4.0, 4 / 3)
    truth = (1 + 6 * yeses) / 4
    assert is_caught(one, other)
    assert not is_caught(one, other, Pure(truth))
    assert math.log(one / other) == pytest.approx(truth, abs=0.01)


def test_algorithm_5_without_noise_in_the_questions() -> None:
    """A no at 1 and a yes at 0 contradict one another: the event is impossible for one neighbour, so ε = ∞."""
    one, other = run((0, 1), (False, True), 2.0, 0.0), run((1, 0), (False, True), 2.0, 0.0)
    assert one > 0.1
    assert other == 0.0
    assert is_caught(one, other)
    assert is_caught(one, other, Pure(100))


def test_algorithm_6_that_never_stops() -> None:
    """No bound on the yeses, noise of scale Δ/ε₂: each more of them costs another ε₂, without end."""
    losses = []
    for yeses in (2, 4, 8):
        values, moved, answers = against(yeses, yeses)
        one, other = run(values, answers, 2.0, 2.0), run(moved, answers, 2.0, 2.0)
        assert is_caught(one, other)
        losses.append(math.log(one / other))
    assert losses[1] > 1.7 * losses[0]
    assert losses[2] > 1.7 * losses[1]


def test_a_threshold_refreshed_after_every_yes_at_the_price_of_one() -> None:
    """Each fresh threshold costs ε₁ again: with c = 2, in truth 2ε₁ + ε₂. (Refreshed noise must be scaled by c.)"""
    values, moved = ((2,) * 10 + (0,)) * 2, ((3,) * 10 + (-1,)) * 2
    answers = ((False,) * 10 + (True,)) * 2
    one, other = (run(each, answers, 2.0, 8.0, refresh=True) for each in (values, moved))
    assert is_caught(one, other)
    assert not is_caught(one, other, Pure("3/2"))
    one, other = (run(each, answers, 4.0, 8.0, refresh=True) for each in (values, moved))
    assert not is_caught(one, other)


def test_one_noise_for_all_questions() -> None:
    """A draw that is reused leaves one noisy threshold and bare questions: algorithm 5 again, ε = ∞."""
    both = np.convolve(noise(2.0), noise(4.0))  # the threshold's noise minus the questions'
    distances = np.arange(-2 * REACH, 2 * REACH + 1)
    one = float(both[(distances > 0) & (distances <= 1)].sum())
    other = float(both[(distances > 1) & (distances <= 0)].sum())
    assert is_caught(one, other, Pure(100))
