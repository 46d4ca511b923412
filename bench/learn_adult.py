"""Adult for models: its two files as tables, its description, and the bins of its skewed numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import tacit
from bench.adult import NAMES, adult_domains, adult_records
from bench.events_description import at_home
from tacit.curator.dataset import Dataset

DELTA = "1e-5"
BOUNDS = {
    "age": (17, 90),
    "fnlwgt": (0, 1_500_000),
    "education_num": (1, 16),
    "capital_gain": (0, 100_000),
    "capital_loss": (0, 4_400),
    "hours_per_week": (1, 99),
}
CUTS = {
    "gain": ("capital_gain", (1, 3_000, 4_000, 5_000, 6_000, 7_000, 10_000, 20_000)),
    "loss": ("capital_loss", (1, 1_500, 1_700, 1_900, 2_000, 2_200, 2_500)),
}
TEXT = """\
[dataset]
name = "adult"
unit = {{ row = true, hides = "one person" }}
budget = {{ epsilon = 1000, delta = 1e-3 }}
floor = 0

[tables.adult]
source = "adult.parquet"

[tables.adult.columns]
{columns}
"""
PLAIN = (
    "age, workclass, education_num, marital_status, occupation, relationship, race, sex, hours_per_week, native_country"
)


def _level_sql(name: str) -> str:
    column, cuts = CUTS[name]
    runs = " ".join(f"WHEN {column} < {cut} THEN {place}" for place, cut in enumerate(cuts))
    return f"CASE {runs} ELSE {len(cuts)} END AS {name}"


SQL = f"SELECT income, {PLAIN}, {', '.join(map(_level_sql, CUTS))} FROM adult"


def rows(file: str) -> pa.Table:
    """The rows of one of Adult's two files."""
    columns = dict(zip((name.replace("-", "_") for name in NAMES), zip(*adult_records(file), strict=True), strict=True))
    return pa.table(
        {
            name: pa.array(list(map(int, values)), pa.int32()) if name in BOUNDS else [v.rstrip(".") for v in values]
            for name, values in columns.items()
        }
    )


@contextmanager
def opened() -> Iterator[Dataset]:
    """The training rows as a file, with a ledger of its own."""
    domains = {name.replace("-", "_"): values for name, values in adult_domains().items()}
    lines = [f'{name} = {{ type = "int", min = {low}, max = {high} }}' for name, (low, high) in BOUNDS.items()]
    for name, values in domains.items():
        listed = ", ".join(f'"{value}"' for value in values)
        lines.append(f'{name} = {{ type = "text", keys = [{listed}] }}')
    with tempfile.TemporaryDirectory(prefix="tacit-learn-") as folder:
        at_home(Path(folder))
        pq.write_table(rows("adult.data"), Path(folder) / "adult.parquet")
        (Path(folder) / "adult.toml").write_text(TEXT.format(columns="\n".join(lines)))
        with tacit.open(Path(folder) / "adult.toml", threads=1) as found:
            yield found


def test_columns() -> tuple[dict[str, Sequence[object]], NDArray[np.bool_]]:
    """The test rows as the model reads them, and who earns more."""
    found: dict[str, Sequence[object]] = rows("adult.test").to_pydict()
    for name, (column, cuts) in CUTS.items():
        found[name] = [int(level) for level in np.searchsorted(cuts, np.array(found[column]), side="right")]
    return found, np.array([value == ">50K" for value in found["income"]])


def area(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """The area under the ROC curve: how often one who earns more has the higher score, ties counting half."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    many = int(truth.sum())
    return float((ranks[truth].sum() - many * (many + 1) / 2) / (many * (len(truth) - many)))
