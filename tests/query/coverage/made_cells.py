"""Made-up people for the coverage of usual intervals: ordinary laws of rows and values, seeds of their own."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from bench.coverage_data import Cell, Floats

_SEED = 20_261_118


@lru_cache(maxsize=1)
def made_cells() -> tuple[Cell, ...]:
    """Counts and sums, of one group and of several."""
    random = np.random.default_rng(_SEED)

    def lognormal(people: int, spread: float) -> Floats:
        return np.ceil(np.exp(random.normal(2, spread, people)))

    def spread(rows: Floats, groups: int) -> Floats:
        """Each person's rows, over groups of unequal size."""
        shares = 1 / (np.arange(groups) + 2.0)
        return random.multinomial(rows.astype(np.int64), shares / shares.sum()).astype(np.float64)

    def worth(rows: Floats) -> Floats:
        """The sum of so many lognormal values."""
        values = np.ceil(20 * np.exp(random.normal(0, 0.9, int(rows.sum()))))
        return np.asarray(np.add.reduceat(values, np.cumsum(rows).astype(np.int64) - rows.astype(np.int64)))

    geometric, poisson = random.geometric(0.15, 3000) * 1.0, 1.0 + random.poisson(6, 4000)
    heavy, even = lognormal(6000, 1.0), random.integers(1, 30, 2500) * 1.0
    return (
        _cell("geometric count", geometric),
        _cell("poisson count", poisson),
        _cell("lognormal count", heavy),
        _cell("even sum", worth(even), is_sum=True),
        _cell("geometric sum", worth(geometric), is_sum=True),
        _cell("lognormal by 6", spread(heavy, 6)),
        _cell("poisson by 10", spread(poisson, 10)),
        _cell("worth by 5", 20 * spread(geometric, 5), is_sum=True),
    )


def _cell(name: str, totals: Floats, *, is_sum: bool = False) -> Cell:
    by_group = totals.reshape(len(totals), -1)
    order = np.argsort((by_group**2).sum(axis=1), kind="stable")
    return Cell(name, "made up", by_group[order], is_sum)
