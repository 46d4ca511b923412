"""People with a heavy tail, as in the benchmark's events: a million people, ten million rows, 50 regions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

PEOPLE, ROWS, REGIONS = 1_000_000, 10_000_000, 50
MULTIPLIER = 4.3 * np.sqrt(2)  # noise over limit at ε = 1, δ = 1e-6, two measures


@dataclass(frozen=True)
class Events:
    """What a limit acts on: each person's rows, total amount in cents, and, for people with many rows, rows a region.

    `norms` is √Σ(rows in a region)² of every person; of those with at most 200 rows it is taken as the rows
    themselves, since no sensible limit touches them.
    """

    rows: NDArray[np.int64]
    totals: NDArray[np.int64]
    heavy: NDArray[np.int64]
    norms: NDArray[np.int64]
    region_rows: NDArray[np.float64]


@lru_cache(maxsize=1)
def events() -> Events:
    """Everybody has one row; the others go to rank r with weight (r+20)^-0.8; amounts are log-normal, cut at 500."""
    generator = np.random.default_rng(20_240_602)
    weights = (np.arange(PEOPLE) + 20.0) ** -0.8
    rows = 1 + generator.multinomial(ROWS - PEOPLE, weights / weights.sum())
    amounts = np.minimum(np.round(100 * generator.lognormal(3.3, 1.0, 200_000)), 50_000)
    spread = np.sqrt(rows) * amounts.std() * generator.standard_normal(PEOPLE)
    totals = np.maximum(np.round(rows * amounts.mean() + spread), 1).astype(np.int64)
    shares = (np.arange(REGIONS) + 1.0) ** -0.9
    shares /= shares.sum()
    many = rows[rows > 200]
    homes = np.eye(REGIONS)[generator.choice(REGIONS, size=len(many), p=shares)]
    heavy = generator.multinomial(many, 0.2 * shares + 0.8 * homes)
    norms = np.concatenate(
        [np.rint(np.sqrt((heavy.astype(np.float64) ** 2).sum(axis=1))).astype(np.int64), rows[rows <= 200]]
    )
    return Events(rows, totals, heavy, norms, shares * ROWS)


def total_error(amounts: NDArray[np.int64], limit: int, multiplier: float = MULTIPLIER) -> float:
    """The root mean square error of a total under a limit: what is cut off, and the noise."""
    return float(np.hypot(np.maximum(amounts - limit, 0).sum(), multiplier * limit))


def region_error(people: Events, limits: list[int]) -> float:
    """Each region's relative root mean square error over limits chosen at random, averaged over the ten largest."""
    lengths = np.sqrt((people.heavy.astype(np.float64) ** 2).sum(axis=1))
    squares = np.zeros(10)
    for limit, times in zip(*np.unique(limits, return_counts=True), strict=True):
        lost = (1 - np.minimum(1.0, limit / lengths)) @ people.heavy[:, :10]
        squares += times * (lost**2 + (MULTIPLIER * limit) ** 2)
    return float(np.mean(np.sqrt(squares / len(limits)) / people.region_rows[:10]))
