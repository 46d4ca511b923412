"""The cells of tables are public: they are the same for all rows, and a domain taken from rows is caught.

R15, R21, R23, R24: the last person with a value is removed, and then everybody.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.workload.test_table_coverage import Shop

from tacit.noise.bits import Seeded
from tacit.query.plans.price import price_of
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.scaled_rows import TableKey
from tacit.workload.tables_plan import TablesPlan
from tacit.workload.tables_run import TablesRun

Shapes = list[tuple[int, ...]]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[Shop]:
    """Five people, one of them, nobody: a place a person."""
    return [Shop(tmp_path_factory.mktemp("shop"), np.ones(people, np.int64)) for people in (5, 1, 0)]


def shapes(shop: Shop) -> Shapes:
    """The values of the keys, and how many numbers are stored of each residual."""
    plan = shop.plan("COUNT(*)")
    price = price_of(shop.description.budget, shop.description.promise, 1, None, False)
    found: list[bytes] = []
    for place, stage in enumerate(TablesRun(plan, price).stages):
        with shop.engine.session(shop.description, shop.headers) as session:
            found.append(stage(session, Seeded(place), found))
    tables = NoisyTables.from_bytes(found[-1])
    values = [each.shape for measure in tables.measures.values() for each in measure.values.values()]
    return [tuple(map(len, tables.domains)), *values]


def test_the_cells_of_tables_are_those_of_the_description(worlds: list[Shop]) -> None:
    full, fewer, nobody = map(shapes, worlds)
    assert full == fewer == nobody
    assert full[0] == (6, 3)


def test_a_domain_taken_from_the_rows_is_caught(worlds: list[Shop], monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(plan: TablesPlan, rows: NDArray[np.int64]) -> tuple[TableKey, ...]:
        return tuple(TableKey(key, tuple(sorted(set(rows.tolist())))) for key in plan.base.question.keys)

    found = []
    for shop in worlds[:2]:
        monkeypatch.setattr(TablesPlan, "public_keys", lambda plan, rows=shop.columns["place"]: seen(plan, rows))
        found.append(shapes(shop))
    assert found[0] != found[1]
