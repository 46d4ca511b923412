"""A session of DuckDB on the visits of some patients, and designs on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tests.learn.patients import TYPES, Visit, described, table_of, visits_of

from tacit.learn.sums.bounded_sums import BoundedSums
from tacit.learn.sums.sums_stage import SumsReader
from tacit.loss.families.loss import Relation
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description


class VisitsSession:
    """The protocol's session, without shards."""

    def __init__(self, visits: Sequence[Visit]) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.register("visits", table_of(visits))

    def run(self, sql: str) -> pa.Table:
        return self.connection.sql(sql).to_arrow_table()

    def keep(self, name: str, sql: str) -> None:
        self.connection.execute(f'CREATE TEMP TABLE "{name}" AS {sql}')


def catalogued(
    folder: Path, relation: Relation = Relation.ADD_REMOVE, *, is_each_row: bool = False
) -> tuple[Description, Catalogue]:
    description = described(folder, relation, is_each_row=is_each_row)
    return description, Catalogue(description, {"visits": TYPES})


def whole_sums(kept_sql: str, bounded: BoundedSums, visits: Sequence[Visit]) -> NDArray[np.int64]:
    """The sums that leave the database."""
    return SumsReader(kept_sql).whole(VisitsSession(visits), bounded)


def odd_patient(rng: np.random.Generator) -> list[Visit]:
    """A patient whose one visit is there 1,000 times, at an end of all bounds or beyond."""
    age = [None, 0, 99, 50, 2**31 - 1][rng.integers(5)]
    cost = [None, 0.0, 1e308, 1_000.0, np.nan, -np.inf][rng.integers(6)]
    return [(9, "b", age, cost, True)] * 1_000


def most_moved(kept_sql: str, bounded: BoundedSums, seeds: range, *, is_replaced: bool, by_row: bool = False) -> float:
    """The largest squared norm by which a random neighbour's sums differ."""
    most = 0.0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        others = [visit for patient in range(3) for visit in visits_of(patient, rng)]
        one = odd_patient(rng) if seed % 3 == 0 else visits_of(9, rng)
        two = (odd_patient(rng) if seed % 2 == 0 else visits_of(9, rng)) if is_replaced else []
        if by_row:
            one, two = one[-1:], two[-1:]
        with_one = whole_sums(kept_sql, bounded, others + one)
        without = whole_sums(kept_sql, bounded, others + two)
        most = max(most, float(((with_one - without).astype(float) ** 2).sum()))
    return most
