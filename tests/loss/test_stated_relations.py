"""Whatever names a relation beside a loss must name the loss's own; shuffled reports are proven under replace only."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tacit.errors import Refused
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss import Approx, Filter, Loss, Pure, Relation, compose, dominates, fixed_size, parallel, poisson, worst
from tacit.loss.calibration import meets
from tacit.loss.composition.study_cost import Study, StudyPart

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
SHUFFLED = ShuffledReports(Pure(1), 1000)
SAMPLED = poisson(Pure(1), "0.1")


@pytest.mark.parametrize(
    "convert",
    [
        lambda loss: loss,
        lambda loss: loss.approx("1e-6"),
        lambda loss: loss.zcdp(),
        lambda loss: loss.gdp(),
        lambda loss: loss.group(1),
        lambda loss: loss.core()[1],
        lambda loss: loss.local,
    ],
)
def test_shuffled_reports_stay_under_replace(convert: Callable[[Loss], Loss]) -> None:
    assert convert(SHUFFLED).relations == {REPLACE}


@pytest.mark.parametrize(
    "mixed",
    [
        lambda: compose(SHUFFLED, SAMPLED),
        lambda: worst([SHUFFLED, SAMPLED]),
        lambda: parallel([SHUFFLED], ADD_REMOVE),
        lambda: Filter(Approx(1, "1e-4")).charge(SHUFFLED.approx("1e-6")).charge(SAMPLED),
        lambda: ShuffledReports(Pure(1, relation=ADD_REMOVE), 1000),
        lambda: Study((StudyPart("a sample", SAMPLED, REPLACE),)),
        lambda: Study((StudyPart("a shuffle", SHUFFLED, ADD_REMOVE),)),
        lambda: dominates(Pure(1, relation=ADD_REMOVE), Pure("0.5", relation=REPLACE)),
        lambda: dominates(Approx(1, 0, relation=ADD_REMOVE), fixed_size(Pure(1), "0.1")),
        lambda: meets(fixed_size(Pure(1), "0.1"), Approx(1, "1e-5", relation=ADD_REMOVE)),
    ],
)
def test_two_relations_are_refused(mixed: Callable[[], object]) -> None:
    with pytest.raises(Refused, match="add/remove and replace"):
        mixed()
