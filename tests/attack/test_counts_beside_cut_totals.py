"""A number that is called guaranteed is not shrunk by what cuts another: counts beside means, and over groups.

Without its noise such a number is the true one, or the least step of the noise below it; that is what is held here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.attack.small_clinic import open_clinic
from tests.attack.test_usual_attacks import _FILE as CLINIC

from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.execution import run as running
from tacit.query.plans.plan import Plan

PEOPLE = 60_000
_ROWS = (
    "SELECT p AS pid, 5 AS age, 20000 AS cost, 3 AS stay, true AS rare, 'w' || p % 3 AS ward "
    f"FROM (SELECT p, unnest(range(1 + 300 // (1 + p % 3000))) FROM range({PEOPLE}) t(p))"
)
_TOTALS = "(SELECT pid, MAX(age) AS a, SUM(cost) AS t FROM v GROUP BY pid) AS q"
_KEY = "CASE WHEN a > 4 THEN 1 ELSE 0 END AS g"
_COUNT = f"SELECT COUNT(t) AS n FROM {_TOTALS}"
_BY_KEY = f"SELECT {_KEY}, COUNT(t) AS n FROM {_TOTALS} GROUP BY g"


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    """A clinic whose answers have no noise, though intervals are those of the noise; one in 40 has most of the cost."""

    def nothing(values: NDArray[np.int64], *_: object) -> NDArray[np.int64]:
        return values

    monkeypatch.setattr(running, "with_noise", nothing)
    with open_clinic(tmp_path, CLINIC, v=_ROWS) as dataset:
        yield dataset


def counted(dataset: Dataset, asked: str, **options: str | int) -> tuple[int, str]:
    """The largest number of people in an answer, and the answer's words."""
    found = dataset.query(asked, **options)  # type: ignore[arg-type]
    return max(row["n"] for row in found.to_arrow().to_pylist()), str(found)


@pytest.mark.parametrize(
    ("asked", "alone"),
    [
        (f"SELECT COUNT(t) AS n, AVG(t) FROM {_TOTALS}", _COUNT),
        (f"SELECT COUNT(t) AS n, STDDEV(t) FROM {_TOTALS}", _COUNT),
        (f"SELECT {_KEY}, COUNT(t) AS n, SUM(t) FROM {_TOTALS} GROUP BY g", _BY_KEY),
        (f"SELECT {_KEY}, COUNT(t) AS n, AVG(t) FROM {_TOTALS} GROUP BY g", _BY_KEY),
    ],
)
@pytest.mark.parametrize("kind", ["usual", "bounded"])
def test_people_of_a_sub_query_are_guaranteed_only_if_none_is_cut(
    clinic: Dataset, asked: str, alone: str, kind: str
) -> None:
    """One factor shrank them with the total that was cut, and they were called guaranteed."""
    many, words = counted(clinic, asked, epsilon="0.1", interval=kind)
    assert many == PEOPLE or "is guaranteed" not in words
    assert many == PEOPLE or kind == "bounded"
    many, words = counted(clinic, alone, epsilon="0.05", interval="guaranteed")
    assert (many, "guaranteed: they hold" in words) == (PEOPLE, True)


_MANY = (
    "SELECT p % 5000 AS pid, 5 AS age, 100 AS cost, 3 AS stay, true AS rare, 'w' || p % 3 AS ward "
    "FROM range(100000) t(p)"
)


@pytest.mark.parametrize("kind", ["usual", "guaranteed"])
def test_people_that_were_shrunk_beside_a_mean_once_are_not_guaranteed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Earlier versions shrank them, and named nothing in what they stored: it serves bounded intervals alone."""
    asked, alone = "SELECT COUNT(DISTINCT pid) AS n, AVG(cost) FROM v", "SELECT COUNT(DISTINCT pid) AS n FROM v"
    with open_clinic(tmp_path, f"{CLINIC}limits = {{ rows = 2 }}\n", v=_MANY) as dataset:
        with monkeypatch.context() as before:
            before.setattr(Plan, "apart", frozenset())
            dataset.query(asked, epsilon=1, interval="bounded")
        assert "guaranteed" not in str(dataset.query(alone, interval="bounded"))
        with pytest.raises(Refused, match="No earlier release"):
            dataset.query(alone, interval=kind)
        dataset.query(asked, epsilon=2, interval="bounded")
        assert "guaranteed: they hold" in str(dataset.query(alone, interval=kind))


def test_what_reaches_at_most_is_not_guaranteed_beside_what_is_cut(tmp_path: Path) -> None:
    """A declared limit of rows was as far as at_most, and one factor shrank them with a sum that was cut."""
    said = "limits = { rows = 20, totals = { cost = 100 } }\nat_most = { rows = 20 }\n"
    with open_clinic(tmp_path, CLINIC + said, v=_MANY) as dataset:
        asked = "SELECT ward, COUNT(*) AS n, SUM(cost) FROM v GROUP BY ward"
        assert "is guaranteed" not in str(dataset.explain(asked, epsilon=1))
        assert "is guaranteed" not in str(dataset.query(asked, epsilon=1))
