"""Intervals of workloads contain plain SQL's answer, where people have several rows; broken ones are caught.

All noise is seeded: a test gives the same every time. Answers of one release go together, so that the least favourable
case is counted: all of a release's intervals fail at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.workload.test_table_coverage import FEW_ROWS, LEVEL, TEXT, Shop

from tacit.noise.bits import Seeded
from tacit.query.aggregates.clipping_bias import Sign
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.reader import read_description
from tacit.workload.linear.asked_counts import read_asked
from tacit.workload.linear.counts_plan import CountsPlan, plan_counts
from tacit.workload.linear.counts_run import CountsRun
from tacit.workload.linear.noisy_counts import NoisyCounts
from tacit.workload.table_reading import TableTotal

Floats = NDArray[np.float64]
RELEASES = 40
WHOLE = 5  # the last running total
QUESTIONS = (
    "SELECT place, SUM({0}) OVER (ORDER BY place) FROM shop GROUP BY place; SELECT kind, {0} FROM shop GROUP BY kind; "
    "SELECT {0} FROM shop WHERE place BETWEEN 1 AND 3 AND kind <> 1"
)


def planned(shop: Shop, call: str, interval: IntervalKind) -> CountsPlan:
    catalogue = Catalogue(shop.description, shop.headers)
    return plan_counts(read_asked(QUESTIONS.format(call), None, catalogue), catalogue, interval)


def truth(shop: Shop, call: str) -> Floats:
    """The same questions on the rows themselves."""
    place, kind = shop.columns["place"], shop.columns["kind"]
    added = shop.columns["paid" if "paid" in call else "rows"]
    running = [added[place <= each].sum() for each in range(6)]
    kinds = [added[kind == each].sum() for each in range(3)]
    return np.array([*running, *kinds, added[(place >= 1) & (place <= 3) & (kind != 1)].sum()], np.float64)


def releases(shop: Shop, plan: CountsPlan) -> Iterator[NoisyCounts]:
    price = price_of(shop.description.budget, shop.description.promise, 1, None, False)
    stages = CountsRun(plan, price).stages
    for seed in range(RELEASES):
        found: list[bytes] = []
        for place, stage in enumerate(stages):
            with shop.engine.session(shop.description, shop.headers) as session:
                found.append(stage(session, Seeded(1000 * seed + place), found))
        yield NoisyCounts.from_bytes(found[-1])


def held(shop: Shop, call: str, interval: IntervalKind) -> tuple[set[IntervalKind], Floats, Floats]:
    """The kinds of the intervals, how often each question's holds the truth, and how often with the cut left out."""
    plan, true = planned(shop, call, interval), truth(shop, call)
    places = [place for table in plan.asked.listed for column in table.columns.values() for place in column]
    kinds, hits = set(), []
    for counts in releases(shop, plan):
        kinds.add(counts.kind)
        readings = counts.strategy(plan.asked.matrix).readings[places]
        for is_bounded in (False, True):
            read = counts.read(readings, is_bounded=is_bounded)
            found = TableTotal(read, plan.measure.step, Sign.ADDS).at(LEVEL)
            hits.append((found.low <= true) & (true <= found.high))
    return kinds, np.mean(hits[::2], axis=0), np.mean(hits[1::2], axis=0)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"), FEW_ROWS)


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Rows by the even quantiles of a power law of exponent 3/2."""
    rows = np.ceil(((np.arange(4000) + 0.5) / 4000) ** (-1 / 1.5)).astype(int)
    return Shop(tmp_path_factory.mktemp("uneven"), rows)


def at_most(shop: Shop, rows: int) -> Shop:
    """The same rows, with a declaration of the most that one person has."""
    place = shop.description.path
    place.write_text(TEXT.replace('.parquet"', f'.parquet"\nat_most = {{ rows = {rows} }}'), encoding="utf-8")
    shop.description = read_description(place, shop.engine.public_values)
    return shop


@pytest.mark.parametrize("call", ["COUNT(*)", "SUM(paid)"])
def test_usual_intervals_hold_the_truth(shop: Shop, call: str) -> None:
    """At 94%, 40 releases: below 80% by chance at most once in 1,000, had the seeds not been fixed."""
    kinds, found, _ = held(shop, call, IntervalKind.USUAL)
    assert kinds == {IntervalKind.USUAL}
    assert found.mean() >= 0.8


def test_a_cut_that_is_left_out_of_the_interval_is_caught(uneven: Shop) -> None:
    """Where a few people have much, totals lose more to the limit than their noise."""
    _, told, untold = held(uneven, "COUNT(*)", IntervalKind.USUAL)
    assert told.mean() >= 0.8
    assert untold[WHOLE] <= 0.6


def test_guaranteed_intervals_hold_where_nobody_has_more_than_is_declared(tmp_path: Path) -> None:
    """At 95%, 40 releases: below 80% by chance at most once in 2,000. A false declaration cuts, and shows."""
    shop = Shop(tmp_path, FEW_ROWS)
    kinds, found, _ = held(at_most(shop, int(FEW_ROWS.max())), "COUNT(*)", IntervalKind.GUARANTEED)
    assert kinds == {IntervalKind.GUARANTEED}
    assert found.mean() >= 0.8
    assert held(at_most(shop, 3), "COUNT(*)", IntervalKind.GUARANTEED)[1][WHOLE] <= 0.34
