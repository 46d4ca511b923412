"""A query run once without noise, and any number of releases of it: only the noise is drawn again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy.stats import binom
from tests.query.running.all_stages import run

from tacit.noise.bits import Seeded
from tacit.noise.slabs import slabs
from tacit.query.aggregates.aggregate import Law, NoisyParts, NoisyRanks, NoisySum, Part, Ranks
from tacit.query.aggregates.quantile import Quantile
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.execution import run as running
from tacit.query.execution.noisy_table import NoisyColumn
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of
from tacit.query.plans.question import read_question
from tacit.query.post_noise.estimates import Estimates
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description
from tacit.schema.reader import read_description

CONFIDENCE = Fraction(95, 100)
FALSE_ALARM = 1e-4
Floats = NDArray[np.float64]
ENGINE = DuckDBEngine()
_DESCRIPTION = """
[dataset]
name = "town"
unit = {{ id = "person", hides = "one person" }}
budget = {budget}
floor = 0
breaker = "off"
[tables.people]
source = "people.parquet"
limits = {{ rows = 1, keys = 1 }}
[tables.people.columns]
district = {{ type = "text", keys = ["large", "middle", "small"], nullable = false }}
cost = {{ type = "money", min = 0, max = 2000, nullable = false }}
score = {{ type = "int", min = 0, max = 100, nullable = false }}
weight = {{ type = "float", min = 0, max = 1, nullable = false }}
place = {{ type = "int", min = 0, max = 4000, nullable = false }}
"""
SIZES = {"large": 20_000, "middle": 3_000, "small": 400}
BUDGETS = {"gaussian": "{ epsilon = 100, delta = 1e-5 }", "laplace": "{ epsilon = 100 }"}


@dataclass(frozen=True)
class Town:
    """A table of people of three districts, one row a person; costs are skewed, scores near their upper bound."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Town:
        """The table, written into a folder."""
        generator = np.random.default_rng(2024)
        districts = np.repeat(list(SIZES), list(SIZES.values()))
        many = districts.size
        table = pa.table(
            {
                "person": np.arange(many),
                "district": districts,
                "cost": np.round(np.clip(generator.lognormal(4.5, 1.0, many), 0, 2000), 2),
                "score": np.clip(np.round(100 - generator.exponential(2.0, many)), 0, 100).astype(np.int64),
                "weight": generator.beta(2, 5, many),
                "place": generator.integers(0, 4001, many),
            }
        )
        pq.write_table(table, folder / "people.parquet")
        return cls(folder)

    def described(self, noise: str) -> Description:
        """The table's description, with a budget that asks for this noise."""
        path = self.folder / f"{noise}.toml"
        path.write_text(_DESCRIPTION.format(budget=BUDGETS[noise]))
        return read_description(path, ENGINE.public_values)


@dataclass(frozen=True, eq=False)
class Exact:
    """A plan, and its exact counts, before the noise."""

    plan: Plan
    price: Price
    columns: Mapping[str, NoisyColumn]

    @classmethod
    def of(cls, description: Description, sql: str, epsilon: str = "1", edges: tuple[int, ...] = ()) -> Exact:
        """The integers that the engine counts for a query; its quantiles on a grid with these edges, if any."""
        headers = {table.name: dict(ENGINE.header(table.source)) for table in description.sources}
        catalogue = Catalogue(description, headers)
        question = read_question(sql, catalogue)
        price = price_of(description.budget, description.promise, epsilon, None, question.has_private_keys)
        for name, each in question.aggregates.items():
            if edges and isinstance(each, Quantile):
                moved = replace(each, ranks=replace(each.ranks, edges=edges))
                question = replace(question, aggregates={**question.aggregates, name: moved})
        plan = make_plan(question, catalogue, is_gaussian=not price.is_pure)
        with _no_noise(), ENGINE.session(description) as session:
            table = run(plan, price, session, Seeded(0))
        return cls(plan, price, table.columns)

    def column(self, part: Part) -> NoisyColumn:
        return self.columns[self.plan.identity(part)]

    def true(self, part: Part) -> Floats:
        """A part's exact sum in each group, in its steps."""
        column = self.column(part)
        return column.values / float(column.scale)

    def releases(self, many: int, seed: int) -> NoisyParts:
        """Every part with fresh noise, the groups one after the other, `many` times."""
        bits = Seeded(seed)
        return {part: _noisy(part, self.column(part), many, bits) for part in self.plan.question.parts}

    def estimates(self, many: int, seed: int) -> dict[str, Estimates]:
        """Each aggregate of each release, by its canonical SQL."""
        noisy = self.releases(many, seed)
        return {name: each.read(noisy).at(CONFIDENCE) for name, each in self.plan.question.aggregates.items()}


@contextmanager
def _no_noise() -> Iterator[None]:
    with patch.object(running, "with_noise", lambda values, noise, bits: values):
        yield


def _noisy(part: Part, column: NoisyColumn, many: int, bits: Seeded) -> NoisySum | NoisyRanks:
    values = np.tile(column.values, (many, *[1] * (column.values.ndim - 1)))
    drawn = values + draws(column.law, values.size, bits).reshape(values.shape)
    if isinstance(part, Ranks):
        return NoisyRanks(drawn, column.law, column.scale, part.levels)
    return NoisySum(drawn.astype(np.float64) / float(column.scale), column.law, column.scale)


def draws(law: Law, many: int, bits: Seeded) -> NDArray[np.int64]:
    return slabs(law).draw(many, bits).astype(np.int64)


def least_covered(releases: int, confidence: Fraction = CONFIDENCE) -> int:
    """Fewer intervals than this hold the truth, if each does with the confidence, with probability at most 1e-4."""
    return int(binom.ppf(FALSE_ALARM, releases, float(confidence)))


def covered(found: Estimates, truth: Floats) -> NDArray[np.int64]:
    """The number of releases whose interval contains the truth, by group, up to the rounding of floats."""
    slack = 1e-9 * np.maximum(1.0, np.abs(truth))
    low, high = (end.reshape(-1, truth.size) for end in (found.low, found.high))
    return ((low <= truth + slack) & (truth - slack <= high)).sum(axis=0)


def mean_width(found: Estimates, groups: int) -> Floats:
    return (found.high - found.low).reshape(-1, groups).mean(axis=0)
