"""The gain of a profile: the error of usual answers with one over the error without, on people's totals.

Of questions with a filter a profile of all rows is a cap: the widths are compared too, and how often they cover.

TACIT_COVERAGE_PROFILES is how many profiles of each cell are drawn (20). Each costs ε = 0.5 and has six subjects; each
serves so many answers at ε = 1 that its price is small beside theirs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from bench.coverage_data import Cell, cells, is_ordinary
from bench.coverage_release import DELTA, TABLE, Model, described
from tacit.noise.bits import Bits, Seeded
from tacit.query.aggregates.aggregate import noise_deviation
from tacit.query.bounding.profile import Profile
from tacit.query.execution.profile_release import VALUES
from tacit.query.plans.limit import AmountCounts
from tacit.query.plans.price import Price, noise_share, price_of

EPSILON = Fraction(1, 2)
SUBJECTS = 6
ANSWERS = 50  # beside each profile
WITHOUT = 300  # answers without one
MEDIAN, MOST = 0.9, 1.3


def main() -> None:
    profiles = int(os.environ.get("TACIT_COVERAGE_PROFILES", "20"))
    table = Table(title=f"Error beside a profile / without: {profiles} profiles a cell, {ANSWERS} answers each")
    for column in ("cell", "median", "95th percentile"):
        table.add_column(column)
    ratios: list[float] = []
    for half in ("shaping", "held out"):
        for cell in cells(half):
            if cell.groups == 1 and is_ordinary(cell.norms):
                own = gains(cell, profiles)
                table.add_row(f"{half}: {cell.name}", f"{np.median(own):.2f}", f"{np.quantile(own, 0.95):.2f}")
                print(f"{cell.name}: {np.median(own):.2f}", file=sys.stderr, flush=True)
                ratios += own
    Console(width=120).print(table)
    capped = np.array([gains_of_cap(cell, most, profiles) for half in CAPPED for cell, most in pairs(half)])
    widths, errors, before, after = *np.exp(np.log(capped[:, :2]).mean(axis=0)), *capped[:, 2:].mean(axis=0)
    claims = [
        Claim("width of filtered questions with a cap / without", float(widths), 1.0, True, f"error {errors:.2f}"),
        Claim(
            "what they cover, with a cap / without", float(after / before), 0.99, False, f"{before:.3f}, {after:.3f}"
        ),
        Claim("error beside a profile / without: median", float(np.median(ratios)), MEDIAN, True, ""),
        Claim("the same: 95th percentile", float(np.quantile(ratios, 0.95)), MOST, True, ""),
    ]
    report("Coverage beside a profile", claims)


def gains(cell: Cell, profiles: int) -> list[float]:
    """The ratio of errors, by profile."""
    model, bits = Model.of(cell, described(cell)), Seeded(5)
    without = error(model, WITHOUT, bits)
    noise = noise_share(_price(cell), 1 - VALUES, model.plan.relation)
    deviation = noise_deviation(noise.law) / noise.split(SUBJECTS)
    random = np.random.default_rng(1)
    found = []
    for _ in range(profiles):
        people = model.people + random.normal(0, deviation, len(model.people))
        profile = Profile({(TABLE, "total value" if cell.is_sum else "rows"): people}, deviation, {})
        beside = Model(cell, profile.completed(model.plan, model.price), model.price)
        found.append(error(beside, ANSWERS, bits) / without)
    return found


CAPPED = {
    "shaping": ("to BOS", "month 1", "UA", "from EWR"),
    "held out": ("to ATL", "month 7", "DL", "from JFK", "late"),
}


def pairs(half: str) -> Iterator[tuple[Cell, Cell]]:
    """Counts of some flights, and that of all flights."""
    known = {cell.name: cell for each in ("shaping", half) for cell in cells(each)}
    for name in CAPPED[half]:
        yield known[f"flights count, {name}"], known["flights count"]


def gains_of_cap(cell: Cell, most: Cell, profiles: int) -> tuple[float, float, float, float]:
    """The ratios of widths and of errors, and what is covered without a cap and with one: the same noise in both."""
    model, people = Model.of(cell, described(cell)), Model.of(most, described(most)).people
    noise = noise_share(_price(cell), 1 - VALUES, model.plan.relation)
    deviation = noise_deviation(noise.law) / noise.split(SUBJECTS)
    random, truth = np.random.default_rng(1), cell.truth[0]
    found: dict[bool, list[tuple[float, float, bool]]] = {False: [], True: []}
    for place in range(profiles):
        cap = AmountCounts(people + random.normal(0, deviation, len(people)), deviation)
        for is_capped, kept in found.items():
            plan = replace(model.plan, caps={model.part: cap}) if is_capped else model.plan
            beside, bits = Model(cell, plan, model.price), Seeded(place)
            for _ in range(ANSWERS // 5):
                told = beside.release(bits)[1]
                covers = bool(told.low[0] <= truth <= told.high[0])
                kept.append((told.high[0] - told.low[0], (told.value[0] - truth) ** 2, covers))
    without, beside_it = (np.array(found[is_capped], float) for is_capped in (False, True))
    width = float(np.median(beside_it[:, 0]) / np.median(without[:, 0]))
    off = float(np.sqrt(beside_it[:, 1].mean() / without[:, 1].mean()))
    return width, off, float(without[:, 2].mean()), float(beside_it[:, 2].mean())


def error(model: Model, answers: int, bits: Bits) -> float:
    """The root of the mean squared error of so many answers."""
    values = np.array([model.release(bits)[1].value[0] for _ in range(answers)])
    return float(np.sqrt(np.nanmean((values - model.cell.truth[0]) ** 2)))


def _price(cell: Cell) -> Price:
    description = described(cell)
    return price_of(description.budget, description.promise, EPSILON, DELTA, False)
