"""Many limits to be found at once: the statement takes little memory, however many they are."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.attack.small_clinic import open_clinic
from tests.query.fixtures.rendering import Lowered

from tacit.curator.dataset import open_dataset
from tacit.query.bounding import histogram_sql as finding
from tacit.query.engines.duckdb.memory import LEAST_MEMORY, engine_memory

_MANY = 60
_SUMS = ", ".join(f"SUM(age * {factor})" for factor in range(2, 2 + _MANY))


def _statements(folder: Path) -> dict[str, str]:
    # no limits are declared for calls
    query = f"SELECT {_SUMS.replace('age', 'minutes')} FROM calls"
    return {name: sql for name, _, sql in Lowered.of(query, folder, is_pure=False).statements()}


def _found(folder: Path) -> str:
    sql = _statements(folder)
    with duckdb.connect(config={"threads": 2, "memory_limit": f"{engine_memory(LEAST_MEMORY)}B"}) as rows:
        rows.execute("CREATE TABLE calls AS SELECT i % 9 AS patient, i::INTEGER AS minutes FROM range(40) t(i)")
        rows.execute(f'CREATE TEMP TABLE "__kept_totals" AS {sql["kept as __kept_totals"]}')
        try:
            return str(len(rows.execute(sql["finding"]).fetchall()))
        except duckdb.OutOfMemoryException:
            return "memory"


def test_the_least_memory_suffices(tmp_path: Path) -> None:
    """Once, sixty sums failed after their charge within 500 MB, on all data."""
    assert _found(tmp_path) != "memory"


def test_all_amounts_together_would_take_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken twin."""
    monkeypatch.setattr(finding, "_TOGETHER", 10**6)
    assert _found(tmp_path) == "memory"


@pytest.mark.long
def test_as_many_columns_as_there_may_be_are_answered(tmp_path: Path) -> None:
    sums = ", ".join(f"SUM(age * {factor})" for factor in range(2, 102))
    with open_clinic(tmp_path):
        pass
    with open_dataset(tmp_path / "clinic.toml", memory="500MB") as clinic:
        assert clinic.query(f"SELECT {sums} FROM v", epsilon=1).table.num_columns >= 100
