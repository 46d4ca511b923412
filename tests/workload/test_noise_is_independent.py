"""Every number that is released of a workload has a draw of noise of its own.

R13: where two numbers share a draw, their difference is exact. There are no rows, so that what is stored is the noise
alone; it is seeded, and so are the twins, which draw once and use it for all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.workload.test_table_coverage import Shop

from tacit.noise.bits import Seeded
from tacit.noise.slabs import Slabs
from tacit.query.engines.protocol import Stage
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price, price_of
from tacit.schema.catalogue import Catalogue
from tacit.workload.grouping_sets import read_tables
from tacit.workload.linear.asked_counts import read_asked
from tacit.workload.linear.counts_plan import plan_counts
from tacit.workload.linear.counts_run import CountsRun
from tacit.workload.linear.noisy_counts import NoisyCounts
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.residual_basis import Weighting
from tacit.workload.tables_plan import plan_tables
from tacit.workload.tables_run import TablesRun

Integers = NDArray[np.int64]
Noise = Callable[[Shop], Integers]


@pytest.fixture(scope="module")
def nobody(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"), np.zeros(1, np.int64))


def last(shop: Shop, stages: tuple[Stage, ...]) -> bytes:
    found: list[bytes] = []
    for place, stage in enumerate(stages):
        with shop.engine.session(shop.description, shop.headers) as session:
            found.append(stage(session, Seeded(place), found))
    return found[-1]


def price(shop: Shop) -> Price:
    return price_of(shop.description.budget, shop.description.promise, 1, None, False)


def of_tables(shop: Shop) -> Integers:
    """Counts and sums by two keys: 2 · (2 + 5 + 10) contrasts and totals."""
    catalogue = Catalogue(shop.description, shop.headers)
    asked = read_tables("SELECT COUNT(*), SUM(paid) FROM shop GROUP BY CUBE(place, kind)", catalogue)
    plan = plan_tables(asked, catalogue, IntervalKind.BOUNDED, Weighting.TABLES)
    measures = NoisyTables.from_bytes(last(shop, TablesRun(plan, price(shop)).stages)).measures.values()
    return np.concatenate([values.ravel() for each in measures for values in each.values.values()])


def of_workloads(shop: Shop) -> Integers:
    """Running totals and a histogram."""
    catalogue = Catalogue(shop.description, shop.headers)
    sql = (
        "SELECT place, SUM(COUNT(*)) OVER (ORDER BY place) FROM shop GROUP BY place; "
        "SELECT kind, COUNT(*) FROM shop GROUP BY kind"
    )
    plan = plan_counts(read_asked(sql, None, catalogue), catalogue, IntervalKind.BOUNDED)
    return NoisyCounts.from_bytes(last(shop, CountsRun(plan, price(shop)).stages)).values


@pytest.mark.parametrize("noise", [of_tables, of_workloads])
def test_no_two_numbers_share_a_draw(nobody: Shop, noise: Noise) -> None:
    found = noise(nobody)
    assert len(found) >= 8
    assert len(np.unique(found)) == len(found)


@pytest.mark.parametrize("noise", [of_tables, of_workloads])
def test_one_draw_for_all_is_caught(nobody: Shop, noise: Noise, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Slabs.draw
    monkeypatch.setattr(Slabs, "draw", lambda own, size, bits: np.repeat(draw(own, 1, bits), size))
    found = noise(nobody)
    assert len(np.unique(found)) < len(found)
