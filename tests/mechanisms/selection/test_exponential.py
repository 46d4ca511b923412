"""The exponential mechanism: its exact law over all neighbours, its draws, its error, its refusals."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.selection.selections import largest_loss, law_pairs, worst_lag_probability

from tacit.errors import Refused
from tacit.loss.calibration import meets
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.mechanisms.selection.candidates import Exponential
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

ADD = Relation.ADD_REMOVE


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("epsilon", ["1/2", 1, 3])
def test_no_pair_of_neighbours_costs_more_than_the_loss(epsilon: object, monotonic: bool) -> None:
    mechanism = Exponential(3, 1, ADD, epsilon, None, monotonic)
    assert violations(mechanism.loss, law_pairs(mechanism)) == []
    assert violations(Zcdp(mechanism.epsilon**2 / 8), law_pairs(mechanism)) == []


def test_the_claim_is_nearly_attained() -> None:
    """With a high ε the best candidate is nearly sure, and an outsider gains nearly e^ε."""
    assert largest_loss(Exponential(3, 1, ADD, 3)) > 2.97


def test_broken_twins_are_caught() -> None:
    honest = Exponential(3, 1, ADD, 1)
    twice = replace(honest, epsilon=Fraction(2))  # exp(εq/Δ): the factor 2 forgotten
    assert violations(honest.loss, law_pairs(twice))

    class Unasked(Exponential):
        """The monotonic rate for scores that are not."""

        @property
        def rate(self) -> Fraction:
            return 2 * super().rate

    assert violations(honest.loss, law_pairs(Unasked(3, 1, ADD, 1)))
    assert violations(BoundedRange(Fraction(9, 10)), law_pairs(replace(honest, monotonic=True)))


def test_draws_follow_the_law() -> None:
    """Chi-square, 6,000 draws; false-alarm rate FALSE_ALARM."""
    mechanism, scores, bits = Exponential(4, 2, ADD, "1.5"), np.array([3, 0, 5, 4]), Seeded(1)
    drawn = np.bincount([mechanism.rehearse(scores, bits).value for _ in range(6000)], minlength=4)
    assert p_value(drawn, [float(mass) for mass in mechanism.probabilities(scores)]) > FALSE_ALARM


def test_the_law_is_the_formula() -> None:
    scores = [3, 0, 5]
    weights = [math.exp(0.7 * score / (2 * 2)) for score in scores]
    law = Exponential(3, 2, ADD, "0.7").probabilities(scores)
    assert [float(mass) for mass in law] == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-14)


@pytest.mark.parametrize("confidence", ["0.6", "0.9", "0.95"])
def test_the_error_is_the_least_that_holds_for_all_scores(confidence: str) -> None:
    mechanism = Exponential(3, 1, ADD, 4)
    miss = 1 - float(confidence)
    bound = int(mechanism.error(confidence))
    heights = bound + 3
    assert worst_lag_probability(mechanism, bound + 1, heights) <= miss
    assert bound == 0 or worst_lag_probability(mechanism, bound, heights) > miss
    assert worst_lag_probability(mechanism, 2, heights) == pytest.approx(float(mechanism.failure(2)), rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 10**6), st.fractions(Fraction(1, 100), 10), st.sampled_from(["0.5", "0.9", "0.999"]))
def test_the_error_is_within_the_notes_bound(size: int, epsilon: Fraction, confidence: str) -> None:
    """Score ≥ best − (2Δ/ε)·ln(|O|/β) with probability 1−β."""
    bound = 2 * 3 / float(epsilon) * math.log(size / (1 - float(confidence)))
    assert Exponential(size, 3, ADD, epsilon).error(confidence) <= bound


def test_rounding_to_a_grid_counts_in() -> None:
    mechanism = Exponential(2, "0.3", ADD, 1, Grid(-2))
    assert mechanism.rate == Fraction(1, 4)  # 0.3 is at most two steps of a quarter
    law = mechanism.probabilities([0.1, 0.9])
    assert float(law[1] / law[0]) == pytest.approx(math.exp(4 / 4))
    pairs = []
    for base in (0.1, 0.124, 0.2):
        for one, other in ((base + 0.3, base), (base, base + 0.3)):
            laws = [mechanism.probabilities(scores) for scores in ([base, base], [one, other])]
            pairs.append(tuple({index: float(mass) for index, mass in enumerate(each)} for each in laws))
    assert violations(mechanism.loss, pairs) == []
    exact = Exponential(2, "1/4", ADD, 1, Grid(-2))
    assert exact.error("0.9") == (Exponential(2, 1, ADD, 1).error("0.9") + 1) / 4


def test_labels_and_words() -> None:
    mechanism = Exponential(["red", "green", "blue"], 1, ADD, 20)
    answer = mechanism.release([0, 0, 1000])
    assert answer.value == "blue"
    assert str(answer) == "blue  (its score is within 0 of the best, with 95% confidence; cost ε = 20)"
    with pytest.raises(Refused):
        answer.interval()


def test_scores_of_any_size_are_taken() -> None:
    mechanism = Exponential(3, 1, ADD, 1)
    for scores in ([2**70, -(2**70), 0], np.array([2**64 - 1, 0, 5], np.uint64), [2**63, -1, 0]):
        assert mechanism.release(scores).value == 0
    real = Exponential(3, 1, ADD, 1, Grid(0))
    for floats in ([math.inf, -math.inf, math.nan], [1e300, 10**400, -5.0], [2**63, -1, 0.5]):
        assert real.release(floats).value in (0, 1)
    assert real.release(np.array([100, 0, 0], np.int32)).value == 0


def test_integers_beyond_a_floats_reach_move_no_farther_on_a_grid() -> None:
    real = Exponential(2, 1, ADD, 1, Grid(0))
    one, other = real.steps([2**53 + 1, 0]), real.steps([2**53 + 2, 0])
    assert abs(one - other).max() <= 1


def test_a_million_candidates_take_less_than_a_second() -> None:
    mechanism, scores = Exponential(10**6, 1, ADD, 1), np.arange(10**6)
    mechanism.release(scores)
    start = time.perf_counter()
    assert mechanism.release(scores).value > 10**6 - 200
    assert time.perf_counter() - start < 1


def test_calibration() -> None:
    assert Exponential.for_loss(Pure("0.3"), 5, 1, ADD).epsilon == Fraction(3, 10)
    concentrated = Exponential.for_loss(Zcdp("1/8"), 5, 1, ADD)
    assert float(concentrated.epsilon) == pytest.approx(1, rel=1e-8)
    target = Approx("1/2", "1/1000")
    approximate = Exponential.for_loss(target, ("a", "b"), 2, ADD, monotonic=True)
    assert meets(approximate.loss, target)
    assert approximate.epsilon > Fraction(1, 2)
    assert approximate.monotonic


def test_nonsense_is_refused() -> None:
    good = {"candidates": 3, "sensitivity": 1, "relation": ADD, "epsilon": 1}
    for name, wrong in (
        *(("epsilon", bad) for bad in (0, -1, math.nan, math.inf, True, "x")),
        *(("sensitivity", bad) for bad in (0, "1/2", math.nan, False)),
        *(("candidates", bad) for bad in (0, -1, 2.0, True, "abc", [], ["a", "a"])),
        ("monotonic", 1),
    ):
        with pytest.raises(Refused):
            Exponential(**{**good, name: wrong})
    mechanism = Exponential(3, 1, ADD, 1)
    for scores in ([1, 2], [[1, 2, 3]], [1.0, 2.0, 3.0], ["a", "b", "c"], [True, False, True], 5, [[1], [2, 3], 4]):
        with pytest.raises(Refused):
            mechanism.release(scores)
    with pytest.raises(Refused):
        mechanism.error(1)


def test_labels_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(Refused):
        Exponential([[1], [2]], 1, Relation.REPLACE, 1)
    for relation in ("add/remove", None):
        with pytest.raises(Refused):
            Exponential(3, 1, relation, 1)
