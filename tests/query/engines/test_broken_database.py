"""An engine's database that broke: the question that broke it fails, and the next one is answered."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import duckdb
import pytest

from tacit.curator.dataset import Dataset
from tacit.curator.open_data import open_data
from tacit.errors import Failed
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.session import DuckDBSession

_TOML = """\
[dataset]
name = "shop"
unit = { id = "buyer", hides = "one" }
budget = { epsilon = 1e6, delta = 1e-6 }
ledger = "ledger.sqlite"
[tables.sales]
source = "sales.parquet"
limits = { rows = 3 }
[tables.sales.columns]
price = { type = "int", min = 0, max = 9 }
"""
_BREAKS = [
    duckdb.FatalException("database has been invalidated"),
    duckdb.InternalException("value 17"),
    duckdb.OutOfMemoryException("value 17"),
    MemoryError(),
    RuntimeError("value 17"),
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    duckdb.execute(f"COPY (SELECT i // 3 AS buyer, i % 9 AS price FROM range(99) r(i)) TO '{tmp_path}/sales.parquet'")
    (tmp_path / "shop.toml").write_text(_TOML)
    return tmp_path / "shop.toml"


@pytest.mark.parametrize("broken", _BREAKS, ids=lambda broken: type(broken).__name__)
@pytest.mark.parametrize("is_prepared", [False, True])
def test_a_broken_database_is_not_asked_again(
    shop: Path, broken: Exception, is_prepared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What breaks takes its database with it, as DuckDB's fatal errors do; the data set stays open all the while."""
    made: list[duckdb.DuckDBPyConnection] = []
    new = DuckDBEngine.new_database

    def noted(engine: DuckDBEngine) -> duckdb.DuckDBPyConnection:
        made.append(new(engine))
        return made[-1]

    def breaking(session: DuckDBSession, sql: str) -> NoReturn:
        for database in (session.connection, *made):
            database.close()
        raise broken

    monkeypatch.setattr(DuckDBEngine, "new_database", noted)
    with open_data(shop) as opened:
        if is_prepared:
            opened.preparation.make(lambda *_: None)
        data = Dataset(opened, "steward")
        assert _counted(data, "SELECT COUNT(*) FROM sales") == pytest.approx(99, abs=9)
        with monkeypatch.context() as patch:
            patch.setattr(DuckDBSession, "_values", breaking)
            patch.setattr(DuckDBSession, "_rows", breaking)
            with pytest.raises(Failed):
                _counted(data, "SELECT SUM(price) FROM sales")
        before = len(made)
        assert _counted(data, "SELECT COUNT(*) FROM sales WHERE price < 8") == pytest.approx(88, abs=9)
        assert len(made) > before


def _counted(data: Dataset, sql: str) -> float:
    return float(data.query(sql, epsilon=1000).table.column(0)[0].as_py())
