"""Above threshold: the exact law of answers over all neighbours, sessions that close for good, an error that holds."""

from __future__ import annotations

import copy
import math
import os
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.threshold.crossings import Values, crossing_law, neighbours, sequences

from tacit.errors import Failed, Refused
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.noisy_threshold import ThresholdSession
from tacit.noise.bits import Bits, Seeded
from tacit.noise.grid import Grid

ADD = Relation.ADD_REMOVE
SPLITS = [("1/2", "1/2"), ("1/4", "3/4"), (1, 2)]


def law_pairs(mechanism: AboveThreshold, questions: int = 3, heights: Values = (-1, 0, 1)) -> list[tuple[Law, Law]]:
    @cache
    def law(values: Values) -> Law:
        outcomes = sequences(questions, mechanism.positives)
        return {answers: mechanism.probability(values, answers) for answers in outcomes}

    return [(law(one), law(other)) for one, other in neighbours(questions, heights, mechanism.monotonic)]


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("split", SPLITS)
def test_no_pair_of_neighbours_costs_more_than_the_loss(split: tuple[object, object], monotonic: bool) -> None:
    mechanism = AboveThreshold(0, 1, ADD, *split, None, monotonic)
    assert mechanism.loss == Pure(sum(map(Fraction, split)))
    assert violations(mechanism.loss, law_pairs(mechanism)) == []


def many_noes_and_a_yes(mechanism: AboveThreshold) -> float:
    """The privacy loss of thirty noes and a yes, where all values move against the answers."""
    answers = (*(False,) * 30, True)
    one = mechanism.probability((*(4,) * 30, 0), answers)
    return math.log(one / mechanism.probability((*(5,) * 30, -1), answers))


def test_the_claim_is_nearly_attained_by_many_questions() -> None:
    assert 0.9 < many_noes_and_a_yes(AboveThreshold(0, 1, ADD, "1/2", "1/2")) <= 1


def test_broken_twins_are_caught() -> None:
    honest = AboveThreshold(0, 1, ADD, "1/2", "1/2")
    bare = replace(honest, epsilon_threshold=Fraction(3))  # a threshold with too little noise
    hasty = replace(honest, epsilon_questions=Fraction(1))  # scale Δ/ε₂ for values that are not monotonic
    assert min(many_noes_and_a_yes(bare), many_noes_and_a_yes(hasty)) > 1.2
    faint = replace(honest, epsilon_questions=Fraction(4))  # questions with too little noise
    assert violations(honest.loss, law_pairs(faint))


def test_the_law_agrees_with_a_plain_sum() -> None:
    mechanism = AboveThreshold(5, 1, ADD, "1/2", "3/4", None, True)
    for values in product((-2, 0, 3), repeat=2):
        for answers, mass in crossing_law(values, 2.0, 4 / 3, 1).items():
            assert mechanism.probability([value + 5 for value in values], answers) == pytest.approx(mass, rel=1e-10)


def test_answers_follow_the_law() -> None:
    """Chi-square, 6,000 runs of three questions; false-alarm rate FALSE_ALARM."""
    mechanism, values, bits = AboveThreshold(10, 1, ADD, 1, 2), [9, 10, 8], Seeded(1)
    outcomes = sequences(3, 1)
    drawn = [outcomes.index(mechanism.rehearse(values, bits).value) for _ in range(6000)]
    masses = [mechanism.probability(values, answers) for answers in outcomes]
    assert p_value(np.bincount(drawn, minlength=len(outcomes)), masses) > FALSE_ALARM


def test_a_session_stops_at_its_first_yes() -> None:
    session = AboveThreshold.for_epsilon(1, 0, 1, ADD).start()
    assert not session.ask(-10_000)
    assert not session.stopped
    assert session.ask(10_000)
    assert session.stopped
    for value in (1, -1, 10**9):
        with pytest.raises(Refused, match="closed") as refusal:
            session.ask(value)
        assert str(value) not in str(refusal.value)


def test_a_session_has_no_copies() -> None:
    session = AboveThreshold.for_epsilon(1, 0, 1, ADD).start()
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Refused):
            duplicate(session)
    session._owner = os.getpid() + 1  # what a forked child would find
    with pytest.raises(Refused, match="forked"):
        session.ask(1)


class Failing(Bits):
    """Gives bits until told not to."""

    broken = False

    def octets(self, count: int) -> NDArray[np.uint8]:
        if self.broken:
            raise OSError("canary")
        return Seeded(7).octets(count)


def test_what_breaks_closes_the_session_and_says_nothing() -> None:
    bits = Failing()
    session = ThresholdSession(AboveThreshold.for_epsilon(1, 0, 1, ADD), bits)
    bits.broken = True
    with pytest.raises(Failed) as failure:
        session.ask(123_456)
    assert failure.value.__context__ is None
    assert str(failure.value) == str(Failed())
    assert session.stopped


def test_a_question_of_the_wrong_kind_is_refused_and_costs_no_answer() -> None:
    session = AboveThreshold.for_epsilon(1, 0, 1, ADD).start()
    for value in ("secret", [1, 2], 0.5, None, True):
        with pytest.raises(Refused) as refusal:
            session.ask(value)  # type: ignore[arg-type]  # that is the point
        assert "secret" not in str(refusal.value)
    assert not session.stopped
    with pytest.raises(Refused):
        session.measure(1)
    for value in (-1000, 1000):
        with pytest.raises(Refused):
            AboveThreshold.for_epsilon(1, 0, 1, ADD).release([value, "secret"])  # type: ignore[list-item]  # likewise
    real = AboveThreshold.for_epsilon(1, 0, 1, ADD, grid=Grid(-4)).start()
    assert not real.ask(-math.inf)
    assert isinstance(real.ask(math.nan), bool)


@pytest.mark.parametrize("questions", [1, 5])
@pytest.mark.parametrize("confidence", ["0.7", "0.95"])
def test_the_error_is_the_quantile_of_the_noise(questions: int, confidence: str) -> None:
    """Against certified masses: all noises within z−t−1 … z+t of the threshold's z; one step less is too little."""
    mechanism = AboveThreshold(0, 1, ADD, 1, 2)
    level, question = mechanism.threshold_noise, mechanism.question_noise

    def keeps(t: int) -> float:
        return math.fsum(
            float(level.mass(z)) * float(question.tail(z - t - 1) - question.tail(z + t + 1)) ** questions
            for z in range(-60, 61)
        )

    t = int(mechanism.error(confidence, questions))
    assert keeps(t - 1) < float(confidence) <= keeps(t)
    below = mechanism.probability([-t - 1] * questions, [False] * questions)
    above = mechanism.probability([t + 1], [True])
    assert min(below, above) >= float(confidence)


@pytest.mark.parametrize("questions", [1, 10, 10_000])
@pytest.mark.parametrize("epsilon", ["1/10", 1])
def test_the_error_is_within_the_textbook_bound(questions: int, epsilon: str) -> None:
    """Dwork and Roth 2014, theorem 3.24: 8(ln k + ln(2/β))/ε, for ε in halves."""
    half = Fraction(epsilon) / 2
    error = AboveThreshold(0, 1, ADD, half, half).error("0.95", questions)
    assert error <= 8 * (math.log(questions) + math.log(2 / 0.05)) / float(Fraction(epsilon))


def test_the_split_has_the_least_variance() -> None:
    for monotonic in (False, True):
        made = AboveThreshold.for_epsilon("0.7", 0, 1, ADD, monotonic=monotonic)
        assert made.loss == Pure("0.7")

        def variance(first: float, factor: int = 1 if monotonic else 2) -> float:
            return 1 / first**2 + (factor / (0.7 - first)) ** 2

        first = float(made.epsilon_threshold)
        assert variance(first) < min(variance(first * 0.999), variance(first * 1.001))


def test_grids_and_thresholds_between_steps() -> None:
    on_grid = AboveThreshold(1, "0.3", ADD, 1, 2, Grid(-2))
    assert (on_grid.shift, on_grid.level) == (2, 4)
    assert on_grid.question_noise.scale == 2
    whole = AboveThreshold(4, 2, ADD, 1, 2)
    assert on_grid.probability([0.9, 1.3], [False, True]) == whole.probability([4, 5], [False, True])
    assert on_grid.error("0.9", 3) == (whole.error("0.9", 3) + 1) / 4
    assert AboveThreshold("7/2", 1, ADD, 1, 2).level == 4
    fine = AboveThreshold.for_epsilon(1, 0, 1, ADD, grid=Grid(-16)).error("0.95", 100)
    coarse = AboveThreshold.for_epsilon(1, 0, 1, ADD, grid=Grid(-8)).error("0.95", 100)
    assert coarse - 0.02 < fine < coarse + 0.02


def test_words_and_refusals() -> None:
    answer = AboveThreshold.for_epsilon(40, 100, 1, ADD).release([0, 50, 200, 300])
    assert answer.value == (False, False, True)
    assert str(answer).startswith("no, no, yes  (all right for a threshold within ± ")
    assert "cost ε = 40" in str(answer)
    with pytest.raises(Refused):
        answer.interval()
    good = {"threshold": 0, "sensitivity": 1, "relation": ADD, "epsilon_threshold": 1, "epsilon_questions": 1}
    for name, bad in product(good.keys() - {"relation"}, (math.nan, math.inf, True, "x")):
        with pytest.raises(Refused):
            AboveThreshold(**{**good, name: bad})
    for name, bad in (("sensitivity", "1/2"), ("epsilon_threshold", 0), ("epsilon_questions", -1), ("monotonic", 1)):
        with pytest.raises(Refused):
            AboveThreshold(**{**good, name: bad})
    with pytest.raises(Refused):
        AboveThreshold(**good).error("0.95", 0)


def test_questions_may_be_any_list_but_must_be_one() -> None:
    mechanism = AboveThreshold.for_epsilon(50, 5, 1, Relation.REPLACE)
    assert mechanism.rehearse((each for each in (0, 100)), Seeded(1)).value == (False, True)
    with pytest.raises(Refused):
        mechanism.rehearse(5, Seeded(1))


def test_the_error_of_the_faintest_threshold_is_a_number() -> None:
    usual, faint = (AboveThreshold.for_epsilon(e, 5, 1, Relation.REPLACE).error() for e in ("1e-6", "1e-30"))
    assert faint == pytest.approx(usual * 1e24, rel=0.01)
