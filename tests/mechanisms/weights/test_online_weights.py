"""Online multiplicative weights: exact laws over all neighbours against adaptive questions; errors and prices."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.weights.session_law import SIZES, Adversary, Output, fainter, neighbours, session_law

from tacit.errors import Refused
from tacit.loss.composition.sequential import Composition
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.mechanisms.weights.hypothesis import Cells, Hypothesis
from tacit.mechanisms.weights.online_weights import OnlineWeights
from tacit.noise.bits import Seeded

ADD, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
MASKS = [np.array(mask) for mask in ((True, False, False), (False, True, False), (True, True, False))]
NUMBERS = range(-3, 8)


def in_turn(output: Output) -> Cells:
    """A fixed sequence of questions."""
    return MASKS[len(output) % 3]


def suspicious(output: Output) -> Cells:
    """Asks again what surprised, and looks elsewhere after a high answer."""
    if not output:
        return MASKS[0]
    is_surprise, number = output[-1]
    return MASKS[0] if is_surprise else MASKS[1 + (number > 1)]


def made(relation: Relation, updates: int, surprise: object, measurement: Loss) -> OnlineWeights:
    people = 4 if relation is REPLACE else None
    return OnlineWeights(SIZES, relation, updates, 2, 1, surprise, measurement, people)  # type: ignore[arg-type]


def exceeded(mechanism: OnlineWeights, claimed: Loss, adversary: Adversary, *, is_exact: bool = False) -> list[str]:
    """Where the claimed loss is exceeded: three questions, on all neighbours of two histograms."""
    pairs = neighbours(mechanism.relation, [(4, 0, 0), (1, 1, 2)])
    laws = [[session_law(mechanism, one, adversary, 3, NUMBERS, is_exact=is_exact) for one in pair] for pair in pairs]
    return violations(claimed, [(one, other) for one, other in laws])


@pytest.mark.parametrize("adversary", [in_turn, suspicious])
@pytest.mark.parametrize(
    "mechanism", [made(REPLACE, 2, 1, Zcdp(1)), made(REPLACE, 1, 2, Pure(2)), made(ADD, 1, 1, Zcdp(1))], ids=str
)
def test_no_pair_of_neighbours_costs_more_than_the_loss(mechanism: OnlineWeights, adversary: Adversary) -> None:
    assert exceeded(mechanism, mechanism.loss, adversary) == []


def test_broken_twins_are_caught() -> None:
    mechanism = made(REPLACE, 2, 1, Zcdp(1))
    unpaid = RepeatedApprox(1, 0, 2)  # the answers of updates are not charged
    assert exceeded(mechanism, unpaid, in_turn)
    faint = replace(mechanism, measurement=Zcdp(4))
    assert exceeded(faint, mechanism.loss, in_turn)
    assert exceeded(mechanism, mechanism.loss, in_turn, is_exact=True)  # the hypothesis is made of the true data


def two_long_runs(mechanism: OnlineWeights) -> float:
    """The privacy loss of two runs, each of thirty answers that do not surprise and one that does.

    The questions' distances move against the answers: up by one where nothing surprises, down by one where it does.
    """
    one, other = ([9] * 30 + [5], [10] * 30 + [4])
    level = mechanism.alarm
    answers = [False] * 30 + [True]
    chances = [
        mechanism.comparison.probability([level - 5 + distance for distance in run], answers) for run in (one, other)
    ]
    return 2 * math.log(chances[0] / chances[1])


def test_every_run_must_be_paid_for() -> None:
    """Long runs cost nearly their ε; so two at the price of one, and half the noise, are too much."""
    mechanism = made(REPLACE, 2, 1, Zcdp(1))
    assert 1.8 < two_long_runs(mechanism) <= 2
    assert two_long_runs(mechanism) > RepeatedApprox(1, 0, 1).epsilon(0)
    assert two_long_runs(fainter(mechanism)) > RepeatedApprox(1, 0, 2).epsilon(0)


def test_replies_follow_the_law() -> None:
    """Chi-square, 3,000 sessions; outputs expected fewer than five times are one. False-alarm rate FALSE_ALARM."""
    mechanism, histogram, bits = made(REPLACE, 2, 1, Zcdp(1)), np.array([3, 0, 1]), Seeded(4)
    law = session_law(mechanism, histogram, in_turn, 3, NUMBERS)
    assert math.fsum(law.values()) == pytest.approx(1, abs=1e-3)
    replies = [mechanism.privatize((histogram, MASKS), bits) for _ in range(3000)]
    drawn = Counter(tuple((each.is_surprise, each.number) for each in reply) for reply in replies)
    usual = [output for output, mass in law.items() if mass * 3000 >= 5]
    counts, masses = [drawn[output] for output in usual], [law[output] for output in usual]
    assert len(usual) > 40
    assert p_value([*counts, 3000 - sum(counts)], [*masses, 1 - math.fsum(masses)]) > FALSE_ALARM


def test_a_correction_lowers_the_relative_entropy_as_claimed() -> None:
    """All histograms of six people over three cells, all questions, all answers within the slack."""
    slack, shares = 2.0, [0.1, 0.3, 0.6]
    hypothesis, tried = Hypothesis(np.array(shares), 6.0), 0

    def entropy(of: np.ndarray, found: Hypothesis) -> float:
        return math.fsum(p * math.log(p / q) for p, q in zip(of, found.shares, strict=True) if p)

    for first, second, mask in product(range(7), range(7), MASKS):
        if first + second > 6:
            continue
        histogram = np.array([first, second, 6 - first - second])
        count, guess = int(histogram[mask].sum()), 6 * float(hypothesis.shares[mask].sum())
        for answer in (count - 2, count, count + 2):
            if abs(count - guess) < slack or (answer > guess) != (count > guess):
                continue
            tried += 1
            after = hypothesis.corrected(mask, answer, slack, slack)
            assert entropy(histogram / 6, after) <= entropy(histogram / 6, hypothesis) - 2 * (slack / 6) ** 2 + 1e-12
    assert tried > 40


@pytest.mark.parametrize("answer", [-(10**18), -3, 0, 5, 6, 10**18])
@pytest.mark.parametrize("mask", [np.zeros(3, np.bool_), np.ones(3, np.bool_), MASKS[0]])
def test_whatever_is_asked_and_answered_weights_stay_shares(mask: Cells, answer: int) -> None:
    """No people, all people, and noisy answers outside the range of counts."""
    for shares in ([0.1, 0.3, 0.6], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]):
        after = Hypothesis(np.array(shares), 6.0).corrected(mask, answer, 1.5, 1)
        assert after.shares.sum() == pytest.approx(1)
        assert after.shares.min() >= 0


def test_the_provable_alarm_answers_every_question() -> None:
    """A hundred thousand people all in one of 64 cells: all 300 random questions within the error, updates to spare."""
    mechanism = OnlineWeights.for_questions(Zcdp(2), (4, 4, 4), 100_000, 300)
    histogram, rng = np.zeros((4, 4, 4), np.int64), np.random.default_rng(5)
    histogram[1, 2, 3] = 100_000
    questions = [rng.random((4, 4, 4)) < 0.5 for _ in range(300)]
    answers = mechanism.rehearse((histogram, questions), Seeded(6))
    off = [abs(reply.number - histogram[asked].sum()) for reply, asked in zip(answers.value, questions, strict=True)]
    assert max(off) <= answers.error()
    assert 0 < sum(each.is_surprise for each in answers.value) < mechanism.updates
    assert mechanism.updates > 2 * math.log(64) * (100_000 / mechanism.alarm) ** 2
    assert mechanism.error("0.95", 300) < 100_000 / 2
    assert "from the data" in str(answers)


@pytest.mark.parametrize("target", [Pure(1), Zcdp("0.1"), Approx(1, "1e-6")])
@pytest.mark.parametrize("relation", Relation)
def test_the_price_is_the_one_asked_for(target: Loss, relation: Relation) -> None:
    people = 100 if relation is REPLACE else None
    mechanism = OnlineWeights.for_loss(target, (2, 3), relation, 5, people=people)
    loss: Composition = mechanism.loss
    if isinstance(target, Zcdp):
        assert 0.9 < float(loss.zcdp().rho / target.rho) <= 1
    elif target.exact_delta == 0:
        assert loss.pure_epsilon == target.exact_epsilon
    else:
        assert 0.8 < loss.epsilon(target.exact_delta) <= 1


def test_what_cannot_be_is_refused() -> None:
    good = {"sizes": (3,), "relation": ADD, "updates": 1, "alarm": 5, "slack": 2, "surprise": 1, "measurement": Zcdp(1)}
    for name, values in {
        "sizes": [(), (0,), (2**25,)],
        "relation": ["replace"],
        "updates": [0, True],
        "alarm": [0, 1.5],
        "slack": [-1, 0.5],
        "surprise": [0, -1, math.nan, math.inf],
        "measurement": [None, Pure(0)],
        "people": [4],
    }.items():
        for value in values:
            with pytest.raises(Refused):
                OnlineWeights(**{**good, name: value})
    mechanism, histogram = OnlineWeights(**good), np.array([1, 2, 3])
    for asked in ({1: 0}, {0: 3}, {0: [-1]}, [1, 0, 0], np.ones(2, np.bool_), {-1: 0}):
        with pytest.raises(Refused):
            mechanism.release((histogram, [asked]))
    dry = mechanism.rehearse((np.array([900, 0, 0]), [{0: 0}, {0: (0, 1)}, {0: 2}]), Seeded(7))
    assert any(each.is_surprise for each in dry.value)
    assert dry.value[-1].is_unchecked
    with pytest.raises(Refused):
        dry.error()
    assert "no error is known" in str(dry)
