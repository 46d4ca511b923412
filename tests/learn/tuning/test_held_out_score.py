"""What one patient moves a score by, on random neighbours, and what is refused as held-out rows."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.learn.patients import COSTS, SQL, TYPES, Visit, described, planned, random_scores, table_of, visits_of

from tacit.errors import Refused
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.tuning.held_out_score import HeldOutScore, held_out_score
from tacit.loss.families.loss import Relation
from tacit.schema.catalogue import Catalogue


def scored(folder: Path, sql: str, relation: Relation, *, is_each_row: bool = False) -> HeldOutScore:
    description = described(folder, relation, is_each_row=is_each_row)
    return held_out_score(sql, sql, Catalogue(description, {"visits": TYPES}), relation)


def model_of(folder: Path, sql: str, target: str, seed: int) -> AdditiveModel:
    """A model with arbitrary scores."""
    training = planned(described(folder), sql, target).training
    coded = planned(described(folder), sql, target).coded
    scores = tuple(map(tuple, random_scores(coded, np.random.default_rng(seed))))
    return AdditiveModel(training.target, training.features, scores, 0.5)


def total(score: HeldOutScore, model: AdditiveModel, visits: list[Visit]) -> int:
    connection = duckdb.connect(config={"threads": 1})
    connection.register("visits", table_of(visits))
    ((_, found),) = connection.execute(score.score_sql(model)).fetchall()
    return int(found)


def most_moved(folder: Path, sql: str, target: str, relation: Relation, score: HeldOutScore) -> float:
    """The largest change by a neighbour, as a part of the norm."""
    most = 0.0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        others = [visit for patient in range(3) for visit in visits_of(patient, rng)]
        instead = visits_of(9, rng) if relation is Relation.REPLACE else []
        one, other = (
            total(score, model_of(folder, sql, target, seed), [*others, *each]) for each in (visits_of(9, rng), instead)
        )
        most = max(most, abs(one - other) / score.norm)
    return most


@pytest.mark.parametrize(("sql", "target"), [(SQL, "urgent"), (COSTS, "cost")])
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_one_patient_moves_a_score_within_the_norm(tmp_path: Path, sql: str, target: str, relation: Relation) -> None:
    score = scored(tmp_path, sql, relation)
    assert 0.1 < most_moved(tmp_path, sql, target, relation, score) <= 1


def test_rows_that_count_one_by_one_are_caught(tmp_path: Path) -> None:
    """A broken twin: a patient counts once for each visit."""
    twin = scored(tmp_path, SQL, Relation.ADD_REMOVE, is_each_row=True)
    assert most_moved(tmp_path, SQL, "urgent", Relation.ADD_REMOVE, twin) > 1


def test_a_score_is_the_share_of_right_rows(tmp_path: Path) -> None:
    score = scored(tmp_path, SQL, Relation.ADD_REMOVE)
    training = planned(described(tmp_path), SQL, "urgent").training
    zeros = tuple((0,) * feature.levels for feature in training.features)
    never = AdditiveModel(training.target, training.features, zeros, 0.5)  # never urgent
    visits: list[Visit] = [(1, "a", 30, 5.0, False), (1, "a", 30, 5.0, True), (2, "a", 3, None, False)]
    visits += [(3, None, None, None, True), (4, "a", 1, 1.0, None)]
    assert total(score, never, visits) == 0 + 512 - 512  # half right, right, wrong; the last has no target
    assert total(score, never, []) == 0


@pytest.mark.parametrize(
    "other",
    [
        "SELECT urgent, ward, age FROM visits",
        "SELECT urgent, ward, age + 1 AS age, cost FROM visits",
        "SELECT urgent, ward, age, cost, age AS again FROM visits",
    ],
)
def test_other_columns_are_refused(tmp_path: Path, other: str) -> None:
    catalogue = Catalogue(described(tmp_path), {"visits": TYPES})
    with pytest.raises(Refused, match="these rows for scores"):
        held_out_score(other, SQL, catalogue, Relation.ADD_REMOVE)
    held_out_score(f"{SQL} WHERE age < 50", SQL, catalogue, Relation.ADD_REMOVE)
