"""Rows in memory: whose they are, which of a person's are kept, and that nobody else decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.learn.patients import COSTS, SQL, TYPES, Visit, described, table_of, visits_of

from tacit.errors import Refused
from tacit.learn.convex.row_matrix import RowMatrix, RowReading
from tacit.learn.training_text import Training, read_training
from tacit.schema.catalogue import Catalogue


def training_of(
    folder: Path, sql: str, target: str, *, is_each_row: bool = False, classes: int = 2, numbers: str = ""
) -> Training:
    description = described(folder, is_each_row=is_each_row)
    return read_training(sql, target, 5, Catalogue(description, {"visits": TYPES}), classes, numbers=numbers)


def matrix_of(reading: RowReading, visits: Sequence[Visit]) -> RowMatrix:
    connection = duckdb.connect(config={"threads": 1})
    connection.register("visits", table_of(visits))
    return reading.matrix(connection.sql(reading.sql).to_arrow_table())


def people(count: int, seed: int) -> list[list[Visit]]:
    rng = np.random.default_rng(seed)
    return [visits_of(patient, rng) for patient in range(count)]


@pytest.mark.parametrize(("sql", "target"), [(SQL, "urgent"), (COSTS, "cost")])
def test_rows_are_coded_as_features_say(tmp_path: Path, sql: str, target: str) -> None:
    training = training_of(tmp_path, sql, target)
    visits = [visit for own in people(20, 1) for visit in own]
    found = matrix_of(RowReading(training), visits)
    at = {"ward": 1, "age": 2, "cost": 3, "urgent": 4}
    place = at[target]
    known = [v for v in visits if v[place] is not None]
    if target == "cost":
        known = [v for v in known if v[2] is None or v[2] > 10]
    expected = np.column_stack(
        [np.zeros(len(known), int), *(f.codes([v[at[f.name]] for v in known]) for f in training.features[1:])]
    )
    assert found.rows == len(known)
    assert sorted(map(tuple, found.codes.tolist())) == sorted(map(tuple, expected.tolist()))
    assert (np.diff(found.people) >= 0).all()
    assert found.held.sum() == found.rows
    assert (found.codes >= 0).all()
    assert (found.codes < np.array(found.levels)).all()
    assert (found.people[found.begins] == np.arange(len(found.held))).all()


def test_order_of_the_file_changes_nothing(tmp_path: Path) -> None:
    training = training_of(tmp_path, SQL, "urgent")
    visits = [visit for own in people(10, 2) for visit in own]
    mixed = [visits[place] for place in np.random.default_rng(0).permutation(len(visits))]
    for most in (None, 3):
        one, other = (matrix_of(RowReading(training, most), each) for each in (visits, mixed))
        for name in ("people", "codes", "target"):
            assert (getattr(one, name) == getattr(other, name)).all()


def test_a_person_has_few_rows_and_others_keep_theirs(tmp_path: Path) -> None:
    """Thousands of equal rows, NaN and infinities; the others' rows do not move when somebody leaves."""
    training = training_of(tmp_path, SQL, "urgent")
    for seed in range(6):
        own = people(8, seed)
        whole = matrix_of(RowReading(training), [v for each in own for v in each])
        kept = matrix_of(RowReading(training, 3), [v for each in own for v in each])
        assert (kept.held == np.minimum(whole.held, 3)).all()
        left = matrix_of(RowReading(training, 3), [v for each in own[:-1] for v in each])
        assert (kept.codes[: left.rows] == left.codes).all()
        assert (kept.target[: left.rows] == left.target).all()


def test_every_row_is_a_person_of_its_own(tmp_path: Path) -> None:
    training = training_of(tmp_path, SQL, "urgent", is_each_row=True)
    found = matrix_of(RowReading(training, 1), [v for own in people(5, 3) for v in own])
    assert (found.people == np.arange(found.rows)).all()


def test_several_classes_and_nobody(tmp_path: Path) -> None:
    training = training_of(tmp_path, "SELECT ward, age, cost FROM visits", "ward", classes=3)
    assert training.target.values == ("a", "b", "c")
    found = matrix_of(RowReading(training), [v for own in people(9, 4) for v in own])
    assert set(found.target.tolist()) == {0, 1, 2}
    assert matrix_of(RowReading(training), []).rows == 0
    with pytest.raises(Refused):
        RowReading(training, 0)


def test_people_are_told_apart_by_every_octet(tmp_path: Path) -> None:
    """Arrays of text drop NULs at the end: two people would share one weight, and one could tell of the other."""
    columns = {"__unit": ["a", "a\0", "a", "A"], **{f"c{place}": [0, 1, 0, 1] for place in range(4)}, "t": [0, 1, 0, 1]}
    assert RowReading(training_of(tmp_path, SQL, "urgent")).matrix(columns).held.tolist() == [1, 2, 1]
