"""Stage b: the same bits on both of a pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tacit.audit.auditor import Effort
from tacit.audit.stages.replay import REPLAY, Recording, run
from tacit.audit.subject import AuditSubject
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits, Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace

LAW = DiscreteLaplace(2)


def subject(release: Callable[[Any, Bits], Any], claim: str = "0.5", one: Any = 0, other: Any = 1) -> AuditSubject:
    return AuditSubject("tried", Pure(claim), Relation.ADD_REMOVE, release, ((one, other),))


def noisy(data: int, bits: Bits) -> int:
    return data + int(LAW.draw(1, bits)[0])


def test_a_recording_hands_out_the_same_bits_and_notes_them() -> None:
    recording, plain = Recording(Seeded(5)), Seeded(5)
    assert np.array_equal(recording.octets(3), plain.octets(3))
    assert np.array_equal(recording.words(2, 32), plain.words(2, 32))
    assert recording.draws == [3, 8]


def test_a_run_keeps_the_answer_or_the_error_and_the_draws() -> None:
    made = run(subject(noisy), 7, Seeded(1))
    assert made.answer == noisy(7, Seeded(1))
    assert made.error_text is None
    assert sum(made.draws) > 0
    failed = run(subject(lambda data, bits: 1 // data), 0, Seeded(1))
    assert failed.error_text is not None
    assert failed.error_text.startswith("ZeroDivisionError: ")


def test_a_sound_release_passes() -> None:
    found = REPLAY.look(subject(noisy), Effort())
    assert not found.is_broken
    assert "NaN" in found.could_see


def one_side(data: int, bits: Bits) -> int:
    return noisy(data, bits) // data


def names_it(data: int, bits: Bits) -> int:
    raise ValueError(f"{data} is out of range")


def rarely_infinite(data: int, bits: Bits) -> float:
    return float("inf") if data and noisy(data, bits) > 6 else float(noisy(data, bits))


def deep_nan(data: int, bits: Bits) -> dict[str, list[float]]:
    return {"mean": [noisy(data, bits) / 2, float("nan") if data else 0.0]}


def as_long_as_the_data(data: int, bits: Bits) -> list[int]:
    return [noisy(0, bits)] * (data + 1)


@pytest.mark.parametrize("release", [one_side, names_it, rarely_infinite, deep_nan, as_long_as_the_data])
def test_what_shows_which_one_it_was_is_a_fault(release: Callable[[Any, Bits], Any]) -> None:
    assert REPLAY.look(subject(release), Effort()).is_broken


def test_an_error_on_both_that_says_the_same_is_none() -> None:
    def always(data: int, bits: Bits) -> int:
        raise ValueError("no answer today")

    assert not REPLAY.look(subject(always), Effort()).is_broken


def test_a_form_that_the_noise_decides_is_an_answer() -> None:
    def until_high(data: int, bits: Bits) -> list[bool]:
        given = []
        while len(given) < 20 and not (given and given[-1]):
            given.append(noisy(data, bits) > 3)
        return given

    found = REPLAY.look(subject(until_high, "1"), Effort())
    assert not found.is_broken
    assert "random bytes differs" in found.words


def test_a_form_is_held_to_the_claim_and_no_more() -> None:
    """At ε = 20 forms of one data set alone may be: the other may have them once in 10⁹."""
    assert REPLAY.look(subject(as_long_as_the_data, "1"), Effort()).is_broken
    assert not REPLAY.look(subject(as_long_as_the_data, "20"), Effort()).is_broken
