"""What one patient moves the sums of training by, on random neighbours: never more than the noise is made for."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import COSTS, SQL, Sums, described, planned, random_scores, visits_of

from tacit.learn.additive_plan import AdditivePlan
from tacit.learn.coded_rows import RESIDUAL, CodedRows
from tacit.loss.families.loss import Relation

CASES = [(SQL, "urgent", 1, "1/2"), (SQL, "urgent", 7, "1"), (COSTS, "cost", 1, "1"), (COSTS, "cost", 30, "0.01")]


def most_moved(plan: AdditivePlan, coded: CodedRows, seeds: range, *, is_replaced: bool, by_row: bool = False) -> float:
    """The largest squared norm by which a neighbour differs, of weights or residuals, as a part of what is claimed."""
    most = 0.0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        others = [visit for patient in range(3) for visit in visits_of(patient, rng)]
        changed = visits_of(9, rng)[-1:] if by_row else visits_of(9, rng)
        instead = (visits_of(9, rng)[-1:] if by_row else visits_of(9, rng)) if is_replaced else []
        with_one, without = Sums(coded, others + changed), Sums(coded, others + instead)
        scores = random_scores(coded, rng)
        weights = (with_one.weights() - without.weights()).astype(float)
        residuals = (with_one.residuals(scores) - without.residuals(scores)).astype(float) / plan.clip_steps
        most = max(most, *(float((moved**2).sum()) / plan.squared_norm for moved in (weights, residuals)))
    return most


@pytest.mark.parametrize(("sql", "target", "rows_each", "clip"), CASES)
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_one_patient_moves_sums_within_the_norm(
    tmp_path: Path, sql: str, target: str, rows_each: int, clip: str, relation: Relation
) -> None:
    plan = planned(described(tmp_path, relation), sql, target, rows_each, clip=clip)
    most = most_moved(plan, plan.coded, range(12), is_replaced=relation is Relation.REPLACE)
    assert 0.05 < most <= 1


@pytest.mark.parametrize(("sql", "target"), [(SQL, "urgent"), (COSTS, "cost")])
def test_one_row_moves_sums_within_the_norm(tmp_path: Path, sql: str, target: str) -> None:
    plan = planned(described(tmp_path, is_each_row=True), sql, target)
    assert 0.05 < most_moved(plan, plan.coded, range(12), is_replaced=False, by_row=True) <= 1


def test_rows_without_weights_are_caught(tmp_path: Path) -> None:
    """A broken twin: each row counts as one, whosever it is."""
    plan = planned(described(tmp_path), SQL, "urgent")
    by_row = planned(described(tmp_path, is_each_row=True), SQL, "urgent").coded
    assert most_moved(plan, by_row, range(12), is_replaced=False) > 1


def test_twice_the_clip_is_caught(tmp_path: Path) -> None:
    """A broken twin: noise for residuals of a half, and SQL that lets in whole ones."""
    plan = planned(described(tmp_path), SQL, "urgent", clip="1/2")
    assert most_moved(plan, replace(plan, clip=Fraction(1)).coded, range(40), is_replaced=False) > 1.5


def test_half_the_norm_is_caught(tmp_path: Path) -> None:
    """A broken twin: a plan for one row of a person, whose SQL lets in seven."""
    plan = planned(described(tmp_path), SQL, "urgent", 1)
    seven = replace(plan, rows_each=7)
    assert most_moved(plan, seven.coded, range(12), is_replaced=False) > 1


def test_residuals_are_what_rows_are_above_their_predictions(tmp_path: Path) -> None:
    """Against plain arithmetic; a rounded residual may differ by one step for the engine's exponential."""
    plan = planned(described(tmp_path, is_each_row=True), SQL, "urgent")
    rng = np.random.default_rng(5)
    visits = [visit for patient in range(40) for visit in visits_of(patient, rng)]
    sums = Sums(plan.coded, visits)
    scores = [[int(rng.integers(-(2**17), 2**17)) for _ in range(each.levels)] for each in plan.training.features]
    known = [visit for visit in visits if visit[4] is not None]
    columns = [[visit[at] for visit in known] for at in (1, 2, 3)]
    own = plan.training.features[1:]
    codes = [np.zeros(len(known), np.int64)]
    codes += [feature.codes(column) for feature, column in zip(own, columns, strict=True)]
    total = sum(np.array(numbers)[at] for numbers, at in zip(scores, codes, strict=True)) / 2**16
    residuals = np.floor((np.array([visit[4] for visit in known]) - 1 / (1 + np.exp(-total))) * RESIDUAL + 0.5)
    expected = np.concatenate(
        [np.bincount(at, residuals, len(numbers)) for numbers, at in zip(scores, codes, strict=True)]
    )
    assert np.abs(sums.residuals(scores) - expected).max() <= 4
    assert np.abs(expected).max() > 10_000
