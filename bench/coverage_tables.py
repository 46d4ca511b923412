"""Complete tables of people with several rows each, on which real releases are compared with plain SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from bench.flights import flights

_TEXT = """\
[dataset]
name = "{name}"
unit = {{ id = "{person}", hides = "one {person}, all rows" }}
budget = {{ rho = 1000000, delta = 1e-6 }}
floor = 0

[tables.{name}]
source = "frame"

[tables.{name}.columns]
{columns}
"""


@dataclass(frozen=True)
class Rows:
    """A table: who owns a row, and columns of several kinds; `columns` describes them."""

    name: str
    person: str
    value: str  # not negative
    signed: str  # of both signs
    few: str  # whose different values are counted
    group: str  # with public keys
    columns: str
    make: Callable[[], pd.DataFrame]

    def frame(self) -> pa.Table:
        return _frame(self.name)

    def description(self) -> str:
        return _TEXT.format(name=self.name, person=self.person, columns=self.columns)


@lru_cache(maxsize=1)
def _frame(name: str) -> pa.Table:
    return pa.Table.from_pandas(TABLES[name].make(), preserve_index=False)


def _flights() -> pd.DataFrame:
    columns = ["tailnum", "distance", "dep_delay", "dest", "carrier"]
    return flights()[columns].astype({"dep_delay": "Int64"})


def _insurance() -> pd.DataFrame:
    """Doctors' visits and dollars by person and year; `net` is what was paid, less 50 a visit."""
    import statsmodels

    rows = pd.read_csv(Path(statsmodels.__file__).parent / "datasets" / "randhie" / "src" / "randhie.csv")
    net = (rows.meddol - 50 * rows.mdvis).round().astype(int)
    return pd.DataFrame({"person": rows.zper, "mdvis": rows.mdvis, "net": net, "site": rows.site})


def _shop() -> pd.DataFrame:
    """3,000 people with 1 + Poisson(4) rows; values are lognormal, and some people return more than others."""
    random = np.random.default_rng(31)
    person = np.repeat(np.arange(3000), 1 + random.poisson(4, 3000))
    many = len(person)
    price = np.ceil(100 * np.exp(random.normal(0, 0.8, many))).astype(int)
    returns = random.beta(2, 4, 3000)[person]
    weights = 1 / (np.arange(800) + 10.0)
    return pd.DataFrame(
        {
            "person": person,
            "price": price,
            "paid": np.where(random.random(many) < returns, -price, price),
            "item": random.choice(800, many, p=weights / weights.sum()),
            "place": [f"g{each}" for each in random.integers(0, 12, many)],
        }
    )


_CARRIERS = ["9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV"]


def _listed(keys: list[str]) -> str:
    return "[" + ", ".join(f'"{key}"' for key in keys) + "]"


TABLES = {
    "flights": Rows(
        "flights",
        "tailnum",
        "distance",
        "dep_delay",
        "dest",
        "carrier",
        f"""distance = {{ type = "int", min = 0, max = 5000, nullable = false }}
dep_delay = {{ type = "int", min = -60, max = 1320 }}
dest = {{ type = "text" }}
carrier = {{ type = "text", keys = {_listed(_CARRIERS)}, nullable = false }}""",
        _flights,
    ),
    "insurance": Rows(
        "insurance",
        "person",
        "mdvis",
        "net",
        "mdvis",
        "site",
        """mdvis = { type = "int", min = 0, max = 100, nullable = false }
net = { type = "int", min = -4000, max = 40000, nullable = false }
site = { type = "int", keys = [1, 2, 3, 4, 5, 6], nullable = false }""",
        _insurance,
    ),
    "shop": Rows(
        "shop",
        "person",
        "price",
        "paid",
        "item",
        "place",
        f"""price = {{ type = "int", min = 0, max = 5000, nullable = false }}
paid = {{ type = "int", min = -5000, max = 5000, nullable = false }}
item = {{ type = "int", min = 0, max = 1000, nullable = false }}
place = {{ type = "text", keys = {_listed([f"g{each}" for each in range(12)])}, nullable = false }}""",
        _shop,
    ),
}
