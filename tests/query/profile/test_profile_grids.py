"""Even grids from a profile: their edges, their use, and cases without one (R16, R22, R23, R46)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.curator.dataset import Dataset, open_dataset
from tacit.query.bounding.profile import Profile

DESCRIPTION = """\
[dataset]
name = "shop"
unit = {{ id = "person", hides = "one person" }}
budget = {budget}
floor = 0
breaker = "off"

[tables.sales]
source = "sales.parquet"
{limits}
[tables.sales.columns]
region = {{ type = "text", keys = ["north", "south"], nullable = false }}
amount = {{ type = "money", min = 0, max = 500, nullable = false }}
age = {{ type = "int", min = 0, max = 110 }}
"""
RHO = "{ rho = 1000, delta = 1e-4 }"
PEOPLE = 4_000


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch, budget: str = RHO, limits: str = "") -> Dataset:
    """People with 1 to 60 sales each; amounts are lognormal."""
    monkeypatch.setenv("TACIT_WITNESS", str(folder / "elsewhere" / "witness"))
    generator = np.random.default_rng(7)
    person = np.repeat(np.arange(PEOPLE), generator.geometric(0.1, PEOPLE).clip(1, 60))
    amount = np.minimum(np.round(generator.lognormal(3.3, 1.0, person.size), 2), 500.0)
    region = np.where(generator.random(person.size) < 0.5, "north", "south")
    age = generator.integers(18, 90, person.size)
    table = pa.table({"person": person, "region": region, "amount": amount, "age": age})
    pq.write_table(table, folder / "sales.parquet")
    (folder / "shop.toml").write_text(DESCRIPTION.format(budget=budget, limits=limits))
    return open_dataset(folder / "shop.toml", ledger=folder / "ledger.sqlite")


def true_median(folder: Path) -> float:
    return float(np.median(pq.read_table(folder / "sales.parquet")["amount"].to_numpy()))


def test_a_profile_gives_an_even_grid_to_later_quantiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R46: the median comes from a grid that follows the profile, within 2% here; where limits are found, so too."""
    with opened(tmp_path, monkeypatch) as shop:
        plain = shop.explain("SELECT MEDIAN(amount) FROM sales WHERE age > 20", epsilon=1)
        assert not any("stretch" in sql for sql in plain.statements)
        profile = shop.profile(epsilon=4).profile
        assert list(profile.edges) == [("sales", "amount")]
        assert ("sales", "ranks amount") in profile.people
        again = Profile.from_bytes(profile.to_bytes())
        assert again.edges == profile.edges
        told = shop.explain("SELECT MEDIAN(amount) FROM sales", epsilon=1, interval="bounded")
        assert any("stretch" in sql for sql in told.statements)
        assert "rows of one value, more where values differ (chosen from the private profile)" in str(told)
        found = shop.explain("SELECT MEDIAN(amount) FROM sales WHERE age > 20", epsilon=1)
        assert any("__kept_norms0" in sql for sql in found.statements)
        for sql in ("SELECT MEDIAN(amount) AS m FROM sales", "SELECT MEDIAN(amount) AS m FROM sales WHERE age >= 0"):
            answer = shop.query(sql, epsilon=2, interval="bounded").table.to_pylist()[0]
            assert answer["m"] == pytest.approx(true_median(tmp_path), rel=0.02)
            assert answer["m_low"] <= answer["m"] <= answer["m_high"]


@pytest.mark.parametrize(
    ("budget", "limits"), [("{ epsilon = 1000 }", ""), (RHO, "limits = { rows = 20 }")], ids=["pure", "declared"]
)
def test_no_even_grid_where_rows_alone_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: str, limits: str
) -> None:
    """R23: Laplace noise and declared limits go by rows, whatever a profile knows."""
    with opened(tmp_path, monkeypatch, budget, limits) as shop:
        profile = shop.profile(epsilon=4).profile
        assert bool(profile.edges) is bool(limits)
        told = shop.explain("SELECT MEDIAN(amount) FROM sales", epsilon=1, interval="bounded")
        assert not any("stretch" in sql for sql in told.statements)
        assert "rows (" in str(told)
        shop.query("SELECT region, MEDIAN(amount), MAX(age) FROM sales GROUP BY region", epsilon=1)


def test_expressions_go_by_the_rows_of_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R23: what is no column has no grid of its own, and is limited by rows."""
    with opened(tmp_path, monkeypatch) as shop:
        shop.profile(epsilon=4)
        told = str(shop.explain("SELECT MEDIAN(amount * 2) FROM sales", epsilon=1, interval="bounded"))
        assert re.search(r"at most [\d.]+ rows? \(chosen from the private profile\)", told)
