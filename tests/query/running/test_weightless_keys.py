"""Keys that can never be shown are not fetched: one person may hold any number of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.curator.dataset import open_dataset
from tacit.query.engines.duckdb import session as duckdb_session
from tacit.query.engines.duckdb.session import DuckDBSession
from tacit.query.plans.group_keys import MOST_KEYS

_TOML = """\
[dataset]
name = "shop"
unit = { id = "who", hides = "one" }
budget = { epsilon = 1e6, delta = 1e-3 }
ledger = "ledger.sqlite"
[tables.sales]
source = "sales.parquet"
limits = { rows = 5000 }
[tables.sales.columns]
kind = { type = "text" }
"""


@pytest.mark.parametrize("parts", [1, 4])
def test_a_person_with_too_many_keys_brings_none(parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R23: everybody's key is fetched and shown with all its sales, those of somebody who holds 2,000 are not."""
    own = [(0, f"own {place}") for place in range(2000)] + [(0, "common")] * 7
    rows = own + [(person, "common") for person in range(1, 400)]
    table = pa.table({"who": [who for who, _ in rows], "kind": [kind for _, kind in rows]})
    pq.write_table(table, tmp_path / "sales.parquet")
    (tmp_path / "shop.toml").write_text(_TOML)
    assert len(own) > MOST_KEYS
    fetched: list[int] = []
    real = DuckDBSession._rows

    def counted(session: DuckDBSession, sql: str) -> Any:
        found = real(session, sql)
        fetched.append(found.num_rows)
        return found

    monkeypatch.setattr(DuckDBSession, "_rows", counted)
    monkeypatch.setattr(duckdb_session, "parts_expected", lambda *_: parts)
    with open_dataset(tmp_path / "shop.toml", memory="1GB") as shop:
        answer = shop.query("SELECT kind, COUNT(*) AS n FROM sales GROUP BY kind", epsilon=500_000).table.to_pylist()
    assert [row["kind"] for row in answer] == ["common"]
    assert answer[0]["n"] == pytest.approx(406, abs=40)
    assert max(fetched) == 1
