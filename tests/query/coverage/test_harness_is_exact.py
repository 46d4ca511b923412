"""Releases of `bench coverage` are those of the library: under the same bits, the same integers as on DuckDB."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from bench.coverage_data import Cell, cells
from bench.coverage_release import TABLE, Integers, Model, described, most_of, question_sql
from tests.query.coverage.made_cells import made_cells

from tacit.noise.bits import Seeded
from tacit.query.aggregates.clipping_bias import ClippingBias
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.frames import read_frames
from tacit.query.execution.noisy_table import NoisyColumn, NoisyTable, answered
from tacit.query.execution.run import PlanRun
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.question import read_question
from tacit.query.post_noise.estimates import Estimates
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description

RELEASES = 50
_FLIGHTS = ("flights count", "flights distance", "flights by carrier", "flights distance by month")


def all_cells() -> dict[str, Cell]:
    """Flights by plane, and made-up people."""
    found = {}
    for cell in cells("shaping"):
        if not cell.name.startswith("flights"):
            break
        found[cell.name] = cell
    return {name: found[name] for name in _FLIGHTS} | {cell.name: cell for cell in made_cells()}


@pytest.fixture(scope="module")
def known() -> dict[str, Cell]:
    return all_cells()


def frame(cell: Cell) -> pd.DataFrame:
    """Rows that have a cell's totals: one for each person and group of a sum, as many as are counted for a count."""
    person, group = np.nonzero(cell.totals)
    values = cell.totals[person, group].astype(np.int64)
    if not cell.is_sum:
        person, group, values = (np.repeat(each, values) for each in (person, group, values))
    return pd.DataFrame({"person": person, "value": values, "place": [f"g{each}" for each in group]})


class Real:
    """A cell behind the library's own engine."""

    def __init__(self, cell: Cell, description: Description, interval: IntervalKind) -> None:
        self._engine = DuckDBEngine(threads=1, frames=read_frames({TABLE: frame(cell)}))
        self._description = description
        headers = {TABLE: dict(self._engine.header(description.tables[TABLE].source))}
        catalogue = Catalogue(description, headers)
        question = read_question(question_sql(cell), catalogue)
        self.price = Model.of(cell, description, interval).price
        self.plan = make_plan(question, catalogue, True, interval)

    def release(self, bits: Seeded) -> tuple[list[Integers], NoisyColumn, Estimates]:
        """The noisy histogram, if there is one, the noisy sums with their limit, and how they are read."""
        released: list[bytes] = []
        with self._engine.session(self._description) as session:
            for stage in PlanRun(self.plan, self.price).stages:
                released.append(stage(session, bits, released))
        table = NoisyTable.from_bytes(released[-1])
        (column,) = table.columns.values()
        (read,) = answered(self.plan, table).aggregates.values()
        histograms = [np.frombuffer(each, "<i8") for each in released[:-1]]
        return histograms, column, read.at(Fraction(95, 100))


@pytest.mark.long
@pytest.mark.parametrize("times", [None, 2.5])
@pytest.mark.parametrize("name", [*_FLIGHTS, *(cell.name for cell in made_cells())])
def test_usual_releases_have_the_same_integers(known: dict[str, Cell], name: str, times: float | None) -> None:
    """Histogram, limit, what it cuts off, sums and interval of each release."""
    cell = known[name]
    description = described(cell, times and most_of(cell, times))
    model, real = Model.of(cell, description), Real(cell, description, IntervalKind.USUAL)
    for seed in range(RELEASES):
        bits = Seeded(seed)
        histogram = model.histogram(bits)
        found = model.clipped(histogram)
        sums = model.sums(found.norm, bits)
        bias = None if found.is_sure else found.bias
        ((real_histogram,), column, estimates) = real.release(Seeded(seed))
        assert np.array_equal(histogram, real_histogram)
        assert column.norm == found.norm
        assert np.array_equal(sums, column.values)
        assert _said(bias) == _said(column.bias)
        own = model.read(sums, found.norm, bias)
        for end in ("value", "low", "high"):
            assert np.array_equal(getattr(own, end), getattr(estimates, end), equal_nan=True)


def _said(bias: ClippingBias | None) -> object:
    return None if bias is None else (bias.masses.tolist(), bias.kept, bias.is_grouped)


@pytest.mark.long
@pytest.mark.parametrize("name", ["flights count", "flights distance by month"])
def test_guaranteed_releases_have_the_same_integers(known: dict[str, Cell], name: str) -> None:
    cell = known[name]
    description = described(cell, most_of(cell, 2.5))
    model = Model.of(cell, description, IntervalKind.GUARANTEED)
    real = Real(cell, description, IntervalKind.GUARANTEED)
    for seed in range(10):
        _, column, estimates = real.release(Seeded(seed))
        assert column.norm == model.norm
        assert np.array_equal(model.sums(model.norm, Seeded(seed)), column.values)
        assert np.array_equal(model.releases(Seeded(seed), 1).low, estimates.low)


@pytest.mark.long
@pytest.mark.parametrize("name", ["flights count", "flights by carrier"])
def test_twin_that_looks_twice_is_caught(known: dict[str, Cell], name: str) -> None:
    """A limit from one histogram and what it cuts off from a second costs more than the plan: no release has it."""
    cell = known[name]
    model, real = Model.of(cell, described(cell)), Real(cell, described(cell), IntervalKind.USUAL)
    for seed in range(3):
        bits = Seeded(seed)
        found, again = (model.clipped(model.histogram(bits)) for _ in range(2))
        sums = model.sums(found.norm, bits)
        _, column, _ = real.release(Seeded(seed))
        assert not np.array_equal(sums, column.values)
        assert _said(again.bias) != _said(column.bias)
