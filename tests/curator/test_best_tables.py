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
    return float(np.max((found[f"{name}_high"] - found[f"{name}_low"]).to_numpy()))


def test_little_noise_at_a_low_limit_is_not_most_accurate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a low price few people are seen, so that one counts for few rows: there is little noise, and much is cut."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "visits.parquet"))
    (tmp_path / "visits.toml").write_text(DESCRIPTION, encoding="utf-8")
    with tacit.open(tmp_path / "visits.toml") as dataset:
        cheap, dear = (dataset.tables(CUBE, epsilon=price)["region"] for price in ("0.04", "1"))
        assert widest(cheap, "n_bounded") < widest(dear, "n_bounded")
        assert np.isnan(widest(cheap, "n"))  # too few to say how far up it reaches
        sql = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
        assert widest(dataset.query(sql), "n") == widest(dear, "n")
        assert widest(dataset.query(sql, interval="bounded"), "n") == widest(cheap, "n_bounded")
