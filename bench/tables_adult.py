"""All 576 tables of at most three of Adult's 15 columns, as one release through the door: its time and its error.

The time of a release is split into its parts: planning, SQL, noise, reconstruction; and the ledger, the variances, and
everything else that is shown. Times are processor times.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq

import tacit
from bench.adult import Encoded, adult
from bench.events_description import at_home
from tacit.curator import tables_answer, tables_job
from tacit.curator.dataset import Dataset
from tacit.query.post_noise.estimates import Estimates
from tacit.release.tables_release import TablesRelease
from tacit.workload.residual_basis import Attributes
from tacit.workload.table_estimates import TableEstimates
from tacit.workload.tables_run import TablesRun

EPSILON, DELTA = 1, 1e-9
TEXT = """\
[dataset]
name = "adult"
unit = {{ row = true, hides = "one person" }}
budget = {{ epsilon = 1000, delta = 1e-5 }}
floor = 0

[tables.adult]
source = "adult.parquet"

[tables.adult.columns]
{columns}
"""


@dataclass
class Parts:
    """Seconds of the processor by part of a release."""

    seconds: dict[str, float] = field(default_factory=dict)
    octets: int = 0  # of what is stored

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            begun = process_time()
            found = work(*given, **named)
            self.seconds[name] = self.seconds.get(name, 0.0) + process_time() - begun
            self.octets += len(found) if isinstance(found, bytes) else 0
            return found

        return run

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Time the library's parts within this block."""
        parts: tuple[tuple[Any, str, str], ...] = (
            (tables_job, "tables_plan", "planning"),
            (tables_answer, "ask_tables", "asking"),
            (TablesRun, "_measure", "measuring"),
            (TablesRun, "cell_sums", "SQL"),
            (TableEstimates, "__init__", "reconstruction"),
            (TableEstimates, "__init__", "estimates"),
            (TableEstimates, "table", "reconstruction"),
            (TableEstimates, "variances", "variances"),
        )
        with ExitStack() as stack:
            for owner, attribute, name in parts:
                stack.enter_context(patch.object(owner, attribute, self.timed(name, getattr(owner, attribute))))
            yield


@dataclass(frozen=True)
class Released:
    """One release: seconds by part, the squared errors of each table, the octets that the ledger keeps, its words."""

    seconds: dict[str, float]
    errors: dict[Attributes, float]  # the sum over its cells
    octets: int
    words: str
    within: float  # of all cells, whose interval holds the true count


def all_tables() -> list[Attributes]:
    return [each for size in range(4) for each in combinations(range(15), size)]


def sizes() -> tuple[int, ...]:
    return adult().sizes


@contextmanager
def opened() -> Iterator[Dataset]:
    """Adult as a file, with a ledger of its own.

    The first question is already answered, because libraries load with it.
    """
    data = adult()
    with tempfile.TemporaryDirectory(prefix="tacit-adult-") as folder:
        at_home(Path(folder))
        columns = {_name(name): data.rows[:, place].astype("int32") for place, name in enumerate(data.names)}
        pq.write_table(pa.table(columns), Path(folder) / "adult.parquet")
        lines = [
            f'{name} = {{ type = "int", min = 0, max = {size - 1}, nullable = false }}'
            for name, size in zip(columns, data.sizes, strict=True)
        ]
        (Path(folder) / "adult.toml").write_text(TEXT.format(columns="\n".join(lines)))
        with tacit.open(Path(folder) / "adult.toml", threads=1) as found:
            found.tables("SELECT sex, COUNT(*) FROM adult GROUP BY CUBE(sex)", epsilon=EPSILON, delta=DELTA)
            yield found


def released(data: Dataset, weight: str) -> Released:
    """Release and read all tables, and compare them with the true ones."""
    parts = Parts()
    with parts.watching():
        found = data.tables(_sql(), epsilon=EPSILON, delta=DELTA, weight=weight, fresh=True)
        parts.timed("showing", lambda: [each.release for each in found])()
    seconds = parts.seconds
    noise = seconds["measuring"] - seconds["SQL"]
    told = {
        "planning": seconds["planning"],
        "SQL": seconds["SQL"],
        "noise": noise,
        "reconstruction": seconds["estimates"] + seconds["reconstruction"],
        "ledger": seconds["asking"] - seconds["measuring"] - seconds["estimates"],
        "variances": seconds["variances"],
        "showing": seconds["showing"] - seconds["reconstruction"] - seconds["variances"],
    }
    errors, within = _errors(adult(), found)
    return Released(told, errors, parts.octets, found.optimality, within)


def _sql() -> str:
    names = [_name(name) for name in adult().names]
    sets = ", ".join(f"({', '.join(names[place] for place in each)})" for each in all_tables())
    return f"SELECT {', '.join(names)}, COUNT(*) AS n FROM adult GROUP BY GROUPING SETS ({sets})"


def _name(name: str) -> str:
    return name.replace("-", "_")


def _errors(data: Encoded, found: TablesRelease) -> tuple[dict[Attributes, float], float]:
    """The squared errors of each table against plain counts, and the number of intervals that contain them."""
    errors, held = {}, 0
    for attributes, each in zip(all_tables(), found, strict=True):
        values = each.release.rendered["n"].values
        assert isinstance(values, Estimates)
        truth = data.table(attributes).ravel()
        errors[attributes] = float(((values.value - truth) ** 2).sum())
        held += int(((values.low <= truth) & (truth <= values.high)).sum())
    return errors, held / sum(prod(data.table(each).shape) for each in errors)
