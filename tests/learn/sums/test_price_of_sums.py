"""What models by sums cost: the parts of each plan add up to its price, and the noise that is drawn is its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.patients import described, table_of
from tests.learn.sums.plans import kmeans, multinomial, naive_bayes, pca
from tests.learn.sums.visits_session import VisitsSession

from tacit.learn.sums.sums_stage import SumsReader
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Seeded
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.plans.price import Price, price_of

Parts = Sequence[tuple[int, RoundedGaussian, int]]
"""Limits, laws, and how many releases have them."""


def classes_parts(folder: Path, relation: Relation, price: Price) -> Parts:
    plan = replace(multinomial(folder, 3, 9), relation=relation)
    scores = np.zeros((sum(each.levels for each in plan.training.features), 3))
    return [(plan.counts.limit, plan.law(price, 0), 1), (plan.residuals(scores).limit, plan.law(price, 1), 9)]


def centres_parts(folder: Path, relation: Relation, price: Price) -> Parts:
    plan = replace(kmeans(folder, 3, 9), relation=relation)
    return [(plan.near(np.zeros((5, 2), np.int64)).limit, plan.law(price), 9)]


def bayes_parts(folder: Path, relation: Relation, price: Price) -> Parts:
    plan = replace(naive_bayes(folder, 3), relation=relation)
    return [(plan.bounded.limit, plan.law(price), 1)]


def components_parts(folder: Path, relation: Relation, price: Price) -> Parts:
    plan = replace(pca(folder, 3), relation=relation)
    return [(plan.bounded.limit, plan.law(price), 1)]


@pytest.mark.parametrize("parts", [classes_parts, centres_parts, bayes_parts, components_parts])
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_all_steps_cost_the_price(
    tmp_path: Path, relation: Relation, parts: Callable[[Path, Relation, Price], Parts]
) -> None:
    """And one step more than is paid for costs more: a broken twin."""
    description, worlds = described(tmp_path), 2 if relation is Relation.REPLACE else 1
    for epsilon in ("0.01", "1", "30"):
        price = price_of(description.budget, description.promise, epsilon, "1e-9", False)
        listed = parts(tmp_path, relation, price)
        spent = sum((worlds**2 * limit * many / law.variance for limit, law, many in listed), Fraction(0))
        assert price.strength * Fraction(99, 100) < spent <= price.strength
        assert Fraction(Gdp(spent).delta(price.alone.exact_epsilon)) <= price.alone.exact_delta
        limit, law, _ = listed[-1]
        assert spent + worlds**2 * limit / law.variance > price.strength


@pytest.mark.parametrize("kind", ["multinomial", "kmeans"])
def test_noise_of_every_stage_is_that_of_the_plan(tmp_path: Path, kind: str) -> None:
    """On no rows, what is released is noise. Of over 900 draws; false alarm below 10⁻⁶ at 6 deviations."""
    description = described(tmp_path)
    pq.write_table(table_of([]), tmp_path / "visits.parquet")
    price = price_of(description.budget, description.promise, 1, "1e-9", False)
    classes, centres = multinomial(tmp_path, steps=30), replace(kmeans(tmp_path, steps=31), centres=12)
    found: list[bytes] = []
    with DuckDBEngine(threads=1).session(description) as session:
        stages = (classes if kind == "multinomial" else centres).stages(price)
        for place, stage in enumerate(stages[:-1]):
            found.append(stage(session, Seeded(place), found))
    assert len(set(found)) == len(found)
    steps = found[1:] if kind == "multinomial" else found
    values = np.concatenate([np.frombuffer(each, "<i8").astype(float) for each in steps])
    variance = (classes.law(price, 1) if kind == "multinomial" else centres.law(price)).variance
    ratio, many = float(np.mean(values**2) / variance), len(values)
    assert many > 900
    assert abs(ratio - 1) < 6 * (2 / many) ** 0.5
    if many > 2_000:
        assert abs(ratio * 0.81 - 1) > 6 * (2 / many) ** 0.5  # a broken twin: σ times 0.9


def test_noise_of_counts_is_that_of_the_plan(tmp_path: Path) -> None:
    description, plan = described(tmp_path), naive_bayes(tmp_path)
    price = price_of(description.budget, description.promise, 1, "1e-9", False)
    law, reader = plan.law(price), SumsReader(plan.rows_sql)
    session = VisitsSession([])
    values = np.concatenate([reader.noisy(session, plan.bounded, law, Seeded(seed)) for seed in range(60)])
    ratio, many = float(np.mean(values.astype(float) ** 2) / law.variance), len(values)
    assert many > 2_000
    assert abs(ratio - 1) < 6 * (2 / many) ** 0.5
    assert abs(ratio * 0.81 - 1) > 6 * (2 / many) ** 0.5  # a broken twin: σ times 0.9
