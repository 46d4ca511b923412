"""A study of several parts: what it costs one person is the composition, held against enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from tacit.errors import Refused
from tacit.loss.composition.study_cost import Study, StudyPart
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.response_pairs import warner_response

POLL = StudyPart("the poll", warner_response("3/4"), Relation.REPLACE)
CENTRAL = StudyPart("clinic.toml", Zcdp("1/50"), Relation.ADD_REMOVE)


def test_two_polls_cost_what_both_reports_give_away() -> None:
    """Every pair of reports, both worlds: the exact δ at several ε."""
    study = Study((POLL, StudyPart("again", warner_response("4/5"), Relation.REPLACE)))
    one = [a * b for a, b in product((Fraction(3, 4), Fraction(1, 4)), (Fraction(4, 5), Fraction(1, 5)))]
    other = [a * b for a, b in product((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 5), Fraction(4, 5)))]
    assert study.total.epsilon(0) == pytest.approx(math.log(12))
    for epsilon in (0.0, 0.5, 1.5):
        exact = sum(max(0.0, float(p) - math.exp(epsilon) * float(q)) for p, q in zip(one, other, strict=True))
        assert exact - 1e-12 <= study.total.delta(epsilon) <= exact * 1.001


def test_central_and_local_parts_stand_in_one_view() -> None:
    study = Study((CENTRAL, POLL))
    alone = CENTRAL.loss.epsilon("1e-6")
    assert alone < study.total.epsilon("1e-6") <= alone + math.log(3) + 1e-12
    text = study.describe()
    assert "clinic.toml" in text
    assert "(add/remove)" in text
    assert "together" in text
    assert Study(
        (StudyPart("a", Approx(1, "1e-7"), Relation.REPLACE), StudyPart("b", Pure(1), Relation.REPLACE))
    ).total == Approx(2, "1e-7")


@pytest.mark.parametrize(
    "parts", [(POLL.loss,), (StudyPart("x", 1, Relation.REPLACE),), (StudyPart("x", Pure(1), "replace"),)]
)  # type: ignore[arg-type]  # the wrong types are the test
def test_what_is_no_part_is_refused(parts: tuple[StudyPart, ...]) -> None:
    with pytest.raises(Refused):
        Study(parts)
