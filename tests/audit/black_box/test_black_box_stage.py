"""The black box on its own: sound mechanisms pass at the stated rate, faults of every kind of answer are seen."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tacit.audit.auditor import Effort, audit
from tacit.audit.black_box.epsilon_estimate import claims_of, estimate
from tacit.audit.stages.black_box import BLACK_BOX
from tacit.audit.subject import AuditSubject
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.response.binary import Warner
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian

Many = Callable[[Any, int, Bits], Any]


def subject(claim: Loss, many: Many, pairs: Any = (([1], []),), **more: Any) -> AuditSubject:
    return AuditSubject(
        "one", claim, Relation.ADD_REMOVE, lambda data, bits: many(data, 1, bits)[0], pairs, many, **more
    )


def laplace(scale: int | Fraction) -> Many:
    law = DiscreteLaplace(scale)
    return lambda data, count, bits: len(data) + law.draw(count, bits)


def gaussian(variance: int | Fraction) -> Many:
    law = RoundedGaussian(variance)
    return lambda data, count, bits: len(data) * 4 + law.draw(count, bits)


def warner(data: Any, count: int, bits: Bits) -> Any:
    return Warner.for_epsilon(1).randomize(np.full(count, len(data), np.int64), bits)


SOUND = {
    "Laplace": subject(Pure("1/4"), laplace(4)),
    "response": subject(Pure(1), warner),
    "Gaussian as GDP": subject(Gdp(1), gaussian(16)),
    "Gaussian as (ε, δ)": subject(Approx("4.38", "1e-5"), gaussian(16)),
    "rows": subject(Pure("1/4"), laplace(4), universe=("a", "b")),
}


def test_a_time_limit_that_bites_is_said() -> None:
    all_of_them = BLACK_BOX.look(SOUND["response"], Effort(1e-5, 20_000, 600))
    assert all_of_them.samples == 20_000
    assert "time limit" not in all_of_them.words
    fewer = BLACK_BOX.look(SOUND["response"], Effort(1e-5, 10**12, 1e-3))
    assert f"The time limit left {fewer.samples:,} of 1,000,000,000,000 answers" in fewer.words


@pytest.mark.parametrize("name", SOUND)
def test_sound_mechanisms_pass(name: str) -> None:
    """Three runs of each at 1e-5: a false alarm in one of the 15 has probability at most 1.5e-4."""
    for seed in range(3):
        verdict = audit(SOUND[name], [BLACK_BOX], Effort(1e-5, 20_000, seed=seed))
        assert not verdict.is_broken, verdict.describe()
    assert verdict.findings[0].could_see


def test_the_bound_stays_below_a_known_truth() -> None:
    """Warner's coin has exactly ε = 1: the bound comes near and stays below, in 5 runs at 1e-4 each."""
    found = [estimate(SOUND["response"], Effort(1e-4, 40_000, seed=seed), early=False).epsilon for seed in range(5)]
    assert max(found) <= 1
    assert min(found) > 0.8


def leaky(data: Any, count: int, bits: Bits) -> Any:
    """Publishes whether anybody is there, one time in ten."""
    shown = bits.words(count, 8) < 26
    return np.where(shown, len(data), -1)


def sometimes_missing(data: Any, count: int, bits: Bits) -> Any:
    noisy = laplace(4)(data, count, bits).astype(object)
    noisy[(bits.words(count, 8) < 30) & (len(data) > 0)] = None
    return noisy


def named(data: Any, count: int, bits: Bits) -> Any:
    answers = [{"region": "north" if data else "south", "n": int(n)} for n in laplace(4)(data, count, bits)]
    found = np.empty(count, object)
    found[:] = answers
    return found


def ragged(data: Any, count: int, bits: Bits) -> Any:
    found = np.empty(count, object)
    found[:] = [[int(n)] * (1 + len(data)) for n in laplace(4)(data, count, bits)]
    return found


BROKEN = {
    "scale too small": subject(Pure("1/4"), laplace(2)),
    "a row published": subject(Approx("0.1", "0.01"), leaky),
    "half the deviation, as GDP": subject(Gdp(1), gaussian(4)),
    "a third of the deviation, as (ε, δ)": subject(Approx(1, "1e-5"), gaussian(2)),
    "missing answers": subject(Pure("1/4"), sometimes_missing),
    "words": subject(Pure("1/4"), named),
    "lengths": subject(Pure("1/4"), ragged),
    "found by the search only": subject(
        Pure("1/4"),
        lambda data, count, bits: laplace(4)(data, count, bits) + 9 * ("b" in data),
        pairs=((["a"], []),),
        universe=("a", "b"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_faults_are_seen(name: str) -> None:
    verdict = audit(BROKEN[name], [BLACK_BOX], Effort(1e-5, 40_000))
    fault = verdict.fault
    assert fault is not None, verdict.describe()
    assert fault.alarm_rate == 1e-5
    assert fault.epsilon is not None
    assert fault.samples <= 40_000


@pytest.mark.long
def test_false_alarms_are_as_rare_as_stated() -> None:
    """60 runs on sound mechanisms at an alarm rate of 0.02: more than 7 alarms have probability below 1e-4."""
    alarms = 0
    for seed in range(12):
        for each in SOUND.values():
            alarms += estimate(each, Effort(0.02, 6_000, seed=seed)).is_violation
    assert alarms <= 7


def test_a_claim_with_a_large_delta_is_asked_at_its_own() -> None:
    points = claims_of(Approx(1, "0.3"))
    assert [(point.delta, point.epsilon) for point in points] == [(0.3, 1.0)]
