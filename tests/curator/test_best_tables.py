"""Of several releases of tables, the one that answers a query is the one whose intervals are narrowest."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import tacit
from tacit.release.release import Release

DESCRIPTION = """\
[dataset]
name = "visits"
unit = { id = "who", hides = "one patient" }
budget = { epsilon = 4, delta = 1e-7 }

[tables.visits]
source = "visits.parquet"

[tables.visits.columns]
region = { type = "text", keys = ["north", "south"], nullable = false }
"""
ROWS = """\
SELECT (p.i)::INTEGER AS who, CASE WHEN p.i % 3 = 0 THEN 'north' ELSE 'south' END AS region
FROM range(2000) AS p(i), range(200) AS r(j) WHERE r.j <= p.i % 200
"""
CUBE = "SELECT region, COUNT(*) AS n FROM visits GROUP BY CUBE(region)"


def widest(release: Release, name: str) -> float:
    found = release.to_pandas()
    width = float(np.max((found[f"{name}_high"] - found[f"{name}_low"]).to_numpy()))
    return np.inf if np.isnan(width) else width  # too few people to estimate its reach


def test_the_narrowest_interval_of_the_kind_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a low price few people are seen. Often one then counts for few rows: little noise, and much cut off."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "visits.parquet"))
    (tmp_path / "visits.toml").write_text(DESCRIPTION, encoding="utf-8")
    with tacit.open(tmp_path / "visits.toml") as dataset:
        found = [dataset.tables(CUBE, epsilon=price, fresh=True)["region"] for price in ("0.04", "0.05", "0.06", "1")]
        sql = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
        assert widest(dataset.query(sql), "n") == min(widest(each, "n") for each in found)
        bounded = min(widest(each, "n_bounded") for each in found)
        assert widest(dataset.query(sql, interval="bounded"), "n") == bounded
