"""Stage d: answers, grids and ranges that one of two neighbours has alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.controls.broken_control import Control
from tests.audit.controls.broken_noise import FLOAT_NOISE

from tacit.audit.auditor import Effort
from tacit.audit.event_counts import key_of, numbers_of
from tacit.audit.stages import bits as bits_stage
from tacit.audit.stages.bits import BITS, COARSEST, grain
from tacit.audit.subject import AuditSubject, Data, Outputs
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_grain_is_the_lowest_bit(number: float) -> None:
    found = int(grain(np.array([number]))[0])
    if number == 0:
        assert found == COARSEST
    else:
        multiple = Fraction(number) / Fraction(2) ** found
        assert multiple.denominator == 1
        assert multiple.numerator % 2 == 1


def test_what_is_no_number_has_no_grain() -> None:
    assert grain(np.array([np.nan, np.inf])).tolist() == [COARSEST, COARSEST]


@pytest.mark.parametrize("control", FLOAT_NOISE, ids=lambda control: control.subject.name)
def test_float_noise_is_found(control: Control) -> None:
    found = BITS.look(control.subject, Effort())
    assert found.is_broken
    assert found.epsilon is not None
    assert found.epsilon > control.subject.claim.epsilon(0 if not found.delta else "1e-5")


def test_noise_on_a_public_grid_passes_wherever_the_value_lies() -> None:
    """R02: 0, 1, 1/3, 2⁴⁰ and −2⁻²⁰ beside what lies 1 away."""
    mechanism = Laplace.for_reals("0.1", 1, Relation.ADD_REMOVE)
    values = (0.0, 1.0, 1 / 3, 2.0**40, -(2.0**-20))
    pairs = [(value, value + 1) for value in values]
    subject = AuditSubject("grid", mechanism.loss, Relation.ADD_REMOVE, mechanism.privatize, pairs)
    found = BITS.look(subject, Effort(samples=1000, seconds=20))
    assert not found.is_broken
    assert "one neighbour has in" in found.could_see


def test_numbers_of_long_lists_are_read_once_a_data_set_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty-one numbers an answer, of which the last is left on a float grid; each is turned into an array once."""
    read, told = [], []
    monkeypatch.setattr(bits_stage, "numbers_of", lambda answers: read.append(1) or numbers_of(answers))
    generator = np.random.default_rng(3)

    def release(data: Data, bits: Bits) -> list[float]:
        return [*generator.integers(0, 9, 20).tolist(), data / 3 + int(generator.normal(0, 300))]

    pairs = ((0, 0), (1, 1), (0, 1))
    listed = AuditSubject("lists", Pure(1), Relation.ADD_REMOVE, release, pairs)
    found = BITS.look(listed, Effort(samples=2_000, seconds=600, watch=told.append))
    assert found.is_broken
    assert found.pair is not None
    assert set(found.pair) == {0, 1}
    assert "floating-point noise: use a grid" in found.words
    assert len(read) == 2 * len(pairs)
    assert told == [f"pair {place} of 3" for place in (1, 2, 3)]


def test_answers_that_are_no_numbers_claim_no_power() -> None:
    words = AuditSubject("words", Pure(1), Relation.ADD_REMOVE, lambda data, bits: "a", ((0, 1),))
    found = BITS.look(words, Effort(samples=1_000, seconds=20))
    assert not found.is_broken
    assert found.could_see == "nothing"


def many(data: Data, count: int, bits: Bits) -> Outputs:
    return data + DiscreteLaplace(1).draw(count, bits)


def test_false_alarms_are_as_rare_as_stated() -> None:
    """A sharp claim at an alarm rate of 1/5: at most 30 of 100 (3·10⁻³ if it were exactly 1/5; it is far less)."""
    subject = AuditSubject("sharp", Pure(1), Relation.ADD_REMOVE, lambda data, bits: 0, ((0, 1),), many)
    alarms = sum(BITS.look(subject, Effort(0.2, 400, seed=seed)).is_broken for seed in range(100))
    assert alarms <= 30


def test_keys_tell_apart_what_an_observer_can() -> None:
    assert key_of(np.array([1, 2])) != key_of(np.array([2, 1]))
    assert key_of({"a": 1, "b": 2}) != key_of({"b": 2, "a": 1})
    assert key_of(1) != key_of(1.0)
    assert key_of([1, (2, None)]) == key_of([1, (2, None)])
    assert key_of(np.float64(1.5)) == key_of(1.5)
    assert key_of(float("nan")) == key_of(float("nan"))
    assert key_of(0.0) != key_of(-0.0)
    assert numbers_of([(1, 2), (3,)]) is None
    assert numbers_of([1.5, 2]) is not None
