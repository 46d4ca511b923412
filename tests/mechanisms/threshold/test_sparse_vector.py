"""The sparse vector: exact laws over all neighbours, with and without released numbers; its draws and its sessions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from threading import Thread

import numpy as np
import pytest
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.threshold.crossings import Values, crossing_law, neighbours, sequences

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.selection.above_threshold import AboveThreshold, SparseVector
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

ADD = Relation.ADD_REMOVE


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("positives", [1, 2, 3])
def test_no_pair_of_neighbours_costs_more_than_the_loss(positives: int, monotonic: bool) -> None:
    mechanism = SparseVector(0, 1, ADD, "1/2", 2, None, monotonic, positives=positives)

    @cache
    def law(values: Values) -> Law:
        return {answers: mechanism.probability(values, answers) for answers in sequences(4, positives)}

    pairs = [(law(one), law(other)) for one, other in neighbours(4, (0, 1), monotonic)]
    assert all(math.fsum(one.values()) == pytest.approx(1, abs=1e-12) for one, _ in pairs)
    assert violations(mechanism.loss, pairs) == []


@pytest.mark.parametrize("monotonic", [False, True])
def test_released_numbers_cost_their_own_epsilon(monotonic: bool) -> None:
    mechanism = SparseVector(0, 1, ADD, "1/2", 1, None, monotonic, positives=1, epsilon_numbers="3/2")
    assert mechanism.loss == Pure(3)
    outcomes: list[tuple[int | None, ...]] = [(None, None)]
    outcomes += [(*(None,) * noes, number) for noes in (0, 1) for number in range(-30, 32)]

    @cache
    def law(values: Values) -> Law:
        return {answers: mechanism.probability(values, answers) for answers in outcomes}

    pairs = [(law(one), law(other)) for one, other in neighbours(2, (0, 1), monotonic)]
    assert all(math.fsum(one.values()) == pytest.approx(1, abs=1e-12) for one, _ in pairs)
    assert violations(mechanism.loss, pairs) == []
    assert violations(Pure("3/2"), pairs)  # numbers are not free


def test_the_law_agrees_with_a_plain_sum() -> None:
    mechanism = SparseVector(0, 1, ADD, "1/2", 2, positives=2)
    for answers, mass in crossing_law((1, -2, 0, 3), 2.0, 2.0, 2).items():
        assert mechanism.probability((1, -2, 0, 3), answers) == pytest.approx(mass, rel=1e-10)


def test_answers_follow_the_law() -> None:
    """Chi-square, 6,000 runs of four questions; false-alarm rate FALSE_ALARM."""
    mechanism, values, bits = SparseVector(10, 1, ADD, 1, 2, positives=2), [9, 10, 10, 9], Seeded(1)
    outcomes = sequences(4, 2)
    drawn = [outcomes.index(mechanism.rehearse(values, bits).value) for _ in range(6000)]
    masses = [mechanism.probability(values, answers) for answers in outcomes]
    assert p_value(np.bincount(drawn, minlength=len(outcomes)), masses) > FALSE_ALARM


def test_numbers_follow_their_law() -> None:
    """Chi-square on 4,000 numbers that are sure to be released; false-alarm rate FALSE_ALARM."""
    mechanism = SparseVector(0, 1, ADD, 1, 1, positives=4000, epsilon_numbers=2000)
    answer = mechanism.rehearse([10**6] * 4000, Seeded(2))
    noises = np.clip(np.array(answer.value) - 10**6, -6, 6)
    law = mechanism.number_noise
    assert law is not None
    assert law.scale == 2
    masses = [float(law.tail(6)), *(float(law.mass(x)) for x in range(-5, 6)), float(law.tail(6))]
    assert p_value(np.bincount(noises + 6, minlength=13), masses) > FALSE_ALARM


def test_it_is_above_threshold_for_one_yes() -> None:
    one, first = SparseVector(3, 2, ADD, 1, 2, positives=1), AboveThreshold(3, 2, ADD, 1, 2)
    assert one.question_noise == first.question_noise
    assert one.error("0.9", 7) == first.error("0.9", 7)
    assert SparseVector(3, 2, ADD, 1, 2, positives=5).question_noise.scale == 5 * first.question_noise.scale
    assert SparseVector(3, 2, ADD, 1, 2, None, True, positives=5).question_noise.scale == Fraction(5)


def test_a_session_gives_its_yeses_and_closes() -> None:
    session = SparseVector.for_epsilon(2, 0, 1, ADD, positives=2, epsilon_numbers=1).start()
    assert session.measure(-(10**6)) is None
    number = session.measure(10**6)
    assert number is not None
    assert abs(number - 10**6) < 200  # fails with probability below e^-100
    assert session.ask(10**6)
    assert session.stopped
    with pytest.raises(Refused):
        session.measure(0)


def test_threads_cannot_squeeze_out_one_more_yes() -> None:
    session = SparseVector.for_epsilon(1, 0, 1, ADD, positives=10).start()
    yeses = []

    def squeeze() -> None:
        try:
            while True:
                yeses.append(session.ask(10**6))
        except Refused:
            pass

    threads = [Thread(target=squeeze) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(yeses) == 10


def test_calibration_words_and_grids() -> None:
    mechanism = SparseVector.for_epsilon(1, 100, 1, ADD, positives=4, epsilon_numbers="1/2", grid=Grid(-3))
    assert mechanism.loss == Pure("3/2")
    assert float(mechanism.epsilon_questions / mechanism.epsilon_threshold) == pytest.approx(8 ** (2 / 3), rel=1e-4)
    answer = mechanism.rehearse([0.0, 1000.0, 1000.5], Seeded(3))
    assert answer.value[0] is None
    assert all(float(number * 8).is_integer() for number in answer.value[1:])
    assert str(answer).startswith("no, ")
    assert mechanism.number_error("0.9") == (mechanism.number_noise.spread("0.9", 4) + 0.5) / 8  # type: ignore[union-attr]  # there is one
    small = SparseVector(-1000, 1, ADD, 1, 1, positives=2, epsilon_numbers=80).rehearse([0, 1], Seeded(4))
    assert str(small).startswith("0, 1  (")  # numbers, not words
    for ask in (
        lambda: SparseVector(0, 1, ADD, 1, 1, positives=0),
        lambda: SparseVector(0, 1, ADD, 1, 1, positives=1.5),
        lambda: SparseVector(0, 1, ADD, 1, 1, positives=1, epsilon_numbers=0),
        lambda: SparseVector(0, 1, ADD, 1, 1, positives=1, epsilon_numbers=math.nan),
        lambda: SparseVector(0, 1, ADD, 1, 1, positives=1).number_error(),
        lambda: SparseVector(0, 1, ADD, 1, 1, positives=1).start().measure(5),
    ):
        with pytest.raises(Refused):
            ask()
