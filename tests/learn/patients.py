"""Patients with several visits each, some of them odd: NULLs, values out of bounds, NaN, thousands of the same row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.learn.additive_plan import AdditivePlan
from tacit.learn.additive_run import level_sums
from tacit.learn.coded_rows import CODED, CodedRows
from tacit.learn.training_text import read_training
from tacit.loss.families.loss import Relation
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description, EachRow
from tacit.schema.reader import read_description

TEXT = """\
[dataset]
name = "patients"
unit = { id = "patient", hides = "one patient, all visits" }
budget = { epsilon = 100, delta = 1e-6 }
floor = 0

[tables.visits]
source = "visits.parquet"

[tables.visits.columns]
ward = { type = "text", keys = ["a", "b", "c"] }
age = { type = "int", min = 0, max = 99 }
cost = { type = "float", min = 0, max = 1000 }
urgent = { type = "bool" }
"""
SQL = "SELECT urgent, ward, age, cost FROM visits"
COSTS = "SELECT cost, ward, age, urgent FROM visits WHERE age > 10 OR age IS NULL"
TYPES = {"patient": "BIGINT", "ward": "VARCHAR", "age": "INTEGER", "cost": "DOUBLE", "urgent": "BOOLEAN"}
_ARROW = (pa.int64(), pa.string(), pa.int32(), pa.float64(), pa.bool_())
Visit = tuple[object, ...]


def described(folder: Path, relation: Relation = Relation.ADD_REMOVE, *, is_each_row: bool = False) -> Description:
    """The description of visits, each of a patient or each a person of its own."""
    (folder / "patients.toml").write_text(TEXT, encoding="utf-8")
    description = read_description(folder / "patients.toml")
    unit = replace(description.unit, relation=relation)
    if not is_each_row:
        return replace(description, unit=unit)
    table = replace(description.tables["visits"], owner=EachRow())
    return replace(description, unit=replace(unit, identifier=None), tables={"visits": table})


def visits_of(patient: int, rng: np.random.Generator) -> list[Visit]:
    """The visits of one patient; one in five is odd."""
    found = list(_visits(patient, rng))
    if rng.random() < 0.2:
        ages, costs = (-(2**31), 7, 2**31 - 1, None), (np.nan, np.inf, -np.inf, -5.0, 1e308, 999.999)
        ward = rng.choice(["a", "z", ""])
        odd = (patient, ward, ages[rng.integers(4)], costs[rng.integers(6)], bool(rng.random() < 0.5))
        found += [odd] * int(rng.choice([1, 3_000]))
    return found


def _visits(patient: int, rng: np.random.Generator) -> Iterator[Visit]:
    for _ in range(int(rng.choice([1, 2, 5, 40]))):
        age, cost = int(rng.integers(0, 110)), float(rng.random() * 1_000)
        urgent = None if rng.random() < 0.1 else bool(rng.random() < (0.8 if age > 50 else 0.2))
        ward = [None, "a", "b", "c"][rng.integers(4)]
        yield patient, ward, None if rng.random() < 0.1 else age, None if rng.random() < 0.1 else cost, urgent


def table_of(visits: Sequence[Visit]) -> pa.Table:
    columns = [pa.array([visit[at] for visit in visits], kind) for at, kind in enumerate(_ARROW)]
    return pa.table(dict(zip(TYPES, columns, strict=True)))


def planned(
    description: Description, sql: str, target: str, rows_each: int = 1, steps: int = 4, bins: int = 5, clip: str = "1"
) -> AdditivePlan:
    """The plan of training with few bins."""
    training = read_training(sql, target, bins, Catalogue(description, {"visits": TYPES}))
    return AdditivePlan(training, description.unit.relation, description.unit.hides, rows_each, steps, Fraction(clip))


class Sums:
    """The sums that the SQL of training gives on some visits."""

    def __init__(self, coded: CodedRows, visits: Sequence[Visit]) -> None:
        self._coded, self.connection = coded, duckdb.connect(config={"threads": 1})
        self.connection.register("visits", table_of(visits))
        self.connection.execute(f'CREATE TEMP TABLE "{CODED}" AS {coded.coded_sql()}')

    def weights(self) -> NDArray[np.int64]:
        return self._sums(self._coded.weights_sql())

    def residuals(self, scores: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        return self._sums(self._coded.residuals_sql(scores))

    def _sums(self, sql: str) -> NDArray[np.int64]:
        levels = [feature.levels for feature in self._coded.training.features]
        return level_sums(self.connection.sql(sql).to_arrow_table(), levels)


def random_scores(coded: CodedRows, rng: np.random.Generator, size: int = 2**17) -> list[list[int]]:
    """Scores of all levels, some of them far beyond what a probability can be told from."""
    levels = [feature.levels for feature in coded.training.features]
    scale = int(rng.choice([1, size, 2**40]))
    return [[int(score) for score in rng.integers(-scale, scale + 1, many)] for many in levels]
