"""From a promise about the shuffle back to the randomizer."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tacit.errors import Refused
from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.local.shuffle.shuffled import ShuffledReports, loosest_reports
from tacit.loss.families.approx import Pure


def of_five(local: Fraction) -> ShuffledReports:
    return ShuffledReports(KaryResponse.within(local, 5), 5000)


def test_the_promise_is_kept_and_hardly_anything_wasted() -> None:
    anybody = loosest_reports(5000, "0.5", "1e-6")
    known = loosest_reports(5000, "0.5", "1e-6", of_five)
    for found in (anybody, known):
        assert found.delta("0.5") <= 1e-6
    assert ShuffledReports(Pure(anybody.local.exact_epsilon * Fraction(101, 100)), 5000).delta("0.5") > 1e-6
    assert of_five(known.local.exact_epsilon * Fraction(101, 100)).delta("0.5") > 1e-6
    assert known.local.exact_epsilon > anybody.local.exact_epsilon > 2


def test_one_person_is_hidden_by_nobody() -> None:
    assert loosest_reports(1, 1, 0).local.exact_epsilon == 1


@pytest.mark.parametrize(("people", "epsilon", "delta"), [(0, 1, 0), (10, 0, "1e-6"), (10, 1, 2), (10, "nan", 0)])
def test_what_cannot_be_promised_is_refused(people: Any, epsilon: Any, delta: Any) -> None:
    with pytest.raises(Refused):
        loosest_reports(people, epsilon, delta)
    with pytest.raises(Refused):
        loosest_reports(10, 1, "1e-6", "k-ary")  # type: ignore[arg-type]
