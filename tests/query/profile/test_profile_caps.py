"""A profile of all rows bounds what people have in some of them: where that is implied, and there alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.attack.small_clinic import open_clinic

from tacit.curator.dataset import Dataset
from tacit.query.bounding.profile_evidence import TailCap
from tacit.query.bounding.tail_posterior import tail_posterior
from tacit.query.bounding.usual_limits import find_usual
from tacit.query.execution import profile_release, run
from tacit.query.execution import run as running
from tacit.query.plans.limit import IntervalKind

_FILE = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { epsilon = 1000, delta = 1e-3 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.v]
source = "v.parquet"
columns.cost = { type = "int", min = 0, max = 500, nullable = true }
columns.change = { type = "int", min = -50, max = 50 }
columns.ward = { type = "text", keys = ["w0", "w1", "w2"] }
columns.rare = { type = "bool" }
[tables.u]
source = "u.parquet"
columns.k = { type = "int", min = 0, max = 10 }
[lookups.wards]
source = "wards.parquet"
key = "ward"
columns.ward = { type = "text", keys = ["w0", "w1", "w2"] }
columns.floor = { type = "int", min = 0, max = 2 }
"""
_ROWS = {
    "v": (
        "SELECT p AS pid, CASE WHEN i % 7 = 0 THEN NULL ELSE (i * 37 + p) % 600 - 50 END AS cost, "
        "i % 90 - 40 AS change, 'w' || (i + p) % 4 AS ward, i % 3 = 0 AS rare "
        "FROM (SELECT p, unnest(range(1 + 400 // (1 + p % 400))) AS i FROM range(4000) t(p))"
    ),
    "u": "SELECT p AS pid, p % 10 AS k FROM range(3000) t(p)",
    "wards": "SELECT 'w' || i AS ward, i AS floor FROM range(3) t(i)",
}
CAPPED = (
    "SELECT COUNT(*) FROM v WHERE rare",
    "SELECT COUNT(*) FILTER (WHERE rare) FROM v",
    "SELECT COUNT(cost) FROM v",
    "SELECT SUM(cost) FROM v WHERE rare",
    "SELECT SUM(cost) FILTER (WHERE ward = 'w1') FROM v WHERE change > 3",
    "SELECT ward, COUNT(*) FROM v WHERE rare GROUP BY ward",
    "SELECT COUNT(*) FROM v JOIN wards ON v.ward = wards.ward WHERE floor = 1",
    "SELECT COUNT(*) FROM (SELECT pid, ward, SUM(cost) AS cost FROM v GROUP BY pid, ward) AS q",
)
FREE = (
    "SELECT COUNT(*) FROM v",
    "SELECT SUM(change) FROM v WHERE rare",
    "SELECT SUM(cost * 2) FROM v WHERE rare",
    "SELECT SUM(cost) FROM (SELECT pid, change * change AS cost FROM v) AS q",
    "SELECT ward, SUM(cost) FROM v WHERE rare GROUP BY ward",
    "SELECT ward, COUNT(*) FROM (SELECT pid, CASE WHEN rare THEN 'w0' ELSE 'w1' END AS ward FROM v) AS q GROUP BY ward",
    "SELECT COUNT(*) FROM v JOIN u ON v.pid = u.pid WHERE rare",
    "SELECT COUNT(*) FROM v AS a JOIN v AS b ON a.pid = b.pid AND a.change = b.change",
    "SELECT MEDIAN(change) FROM v WHERE rare",
    "SELECT COUNT(DISTINCT change) FROM v WHERE rare",
)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    """A clinic with a profile, neither of which has noise."""

    def nothing(values: NDArray[np.int64], *_: object) -> NDArray[np.int64]:
        return values

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profile_release, "with_noise", nothing)
        patch.setattr(running, "with_noise", nothing)
        with open_clinic(tmp_path_factory.mktemp("capped"), _FILE, **_ROWS) as dataset:
            dataset.profile(epsilon=5)
            yield dataset


@pytest.mark.parametrize("asked", [*CAPPED, *FREE])
def test_nobody_has_more_in_the_query_than_in_the_profile(
    clinic: Dataset, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """Beyond no amount are there more people; where that is not implied, nothing is taken from the profile."""
    seen: list[tuple[Any, ...]] = []

    def watched(*given: Any) -> Mapping[Any, Any]:
        seen.append(given)
        return find_usual(*given)

    monkeypatch.setattr(run, "find_usual", watched)
    clinic.query(asked, epsilon=1, fresh=True)
    ((plan, _, block, noisy),) = seen
    assert set(plan.caps) == (set(plan.binned) if asked in CAPPED else set())
    for part, own in zip(block.parts, noisy / block.unit, strict=True):
        if part in plan.caps:
            beyond, most = (np.cumsum(each[1:][::-1]) for each in (own, plan.caps[part].people))
            assert beyond[-1] > 0
            assert (beyond <= most + 1e-9).all()


def test_bounded_and_guaranteed_plans_have_no_caps(clinic: Dataset) -> None:
    planner = clinic._planner
    question = planner.question(CAPPED[0])
    plan = planner.plan(question, planner.price(question, 1, None), IntervalKind.BOUNDED)
    assert not plan.caps


def test_a_cap_takes_weight_from_longer_tails() -> None:
    """And none from those that are within it."""
    edges = np.array([2.0 ** (place / 2) for place in range(24)]).round().cumsum()
    counts = np.concatenate([np.full(6, 900.0), np.full(4, 20.0), np.zeros(14)])
    own = tail_posterior(edges, counts, 30.0, 0, 5)
    low = TailCap(np.where(np.arange(24) < 6, 1e5, 0.0), np.full(24, 5.0))
    wide = TailCap(np.full(24, 1e9), np.full(24, 5.0))
    limit = float(edges[5])
    free, tight, loose = (
        tail_posterior(edges, counts, 30.0, 0, 5, cap=each).beyond(limit) for each in (None, low, wide)
    )
    assert (own.beyond(limit) == free).all()
    assert loose == pytest.approx(free)
    assert tight[-5] < 0.8 * free[-5]
