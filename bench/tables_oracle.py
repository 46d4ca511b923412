"""Tables by an oracle that knows the people: the limit with the least error in hindsight, at the full price.

It scales people as the library does, each by one factor over all tables; what is cut and the noise are its error. The
limit is the one at which the geometric mean over tables of the mean squared error of a cell is least.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bench.tables_data import Publication
from tacit.workload.residual_basis import Attributes, Weighting, best_strategy
from tacit.workload.table_limits import unit_variance

Floats = NDArray[np.float64]
_TRIED = 60
_REACH = 1.96


@dataclass(frozen=True)
class Oracle:
    """The error of each cell, one row of cells per table, at the best limit of one measure."""

    limit: float
    errors: dict[tuple[str, ...], Floats]

    def width(self, keys: tuple[str, ...]) -> float:
        """The median, over cells."""
        return float(2 * _REACH * np.median(self.errors[keys]))

    def error(self, keys: tuple[str, ...]) -> float:
        return float(np.sqrt((self.errors[keys] ** 2).mean()))


def oracle(asked: Publication, rows: pd.DataFrame, measure: str, strength: float) -> Oracle:
    """The oracle's tables of a count or a sum, at this μ²."""
    people, cells, sizes, values = _placed(asked, rows, measure)
    strategy = best_strategy(_tables(asked), sizes, Weighting.TABLES)
    form = {margin: float(part) for margin, part in strategy.form().items()}
    margins = {each: _margin(people, cells, values, sizes, each) for each in {*form, *_tables(asked)}}
    squares = sum(part * np.asarray(margins[each].power(2).sum(axis=1)).ravel() for each, part in form.items())
    norms = np.sqrt(np.maximum(squares / sum(form.values()), 1e-12))
    whole = {each: np.asarray(margins[each].sum(axis=0)).ravel() for each in _tables(asked)}
    least, best = np.inf, (0.0, whole)
    for limit in np.unique(np.quantile(norms, np.linspace(0.2, 1, _TRIED))):
        factors, errors = np.minimum(1.0, limit / norms), {}
        for table in _tables(asked):
            noise = limit**2 * float(strategy.squared_norm) * unit_variance(strategy, table) / strength
            cut = whole[table] - np.asarray(margins[table].T @ factors).ravel()
            errors[table] = np.sqrt(cut**2 + noise)
        mean = float(np.mean([np.log((each**2).mean()) for each in errors.values()]))
        if mean < least:
            least, best = mean, (float(limit), errors)
    return Oracle(best[0], {tuple(asked.keys[place] for place in table): e for table, e in best[1].items()})


def _tables(asked: Publication) -> tuple[Attributes, ...]:
    return tuple(tuple(asked.keys.index(key) for key in keys) for keys in asked.sets)


def _placed(
    asked: Publication, rows: pd.DataFrame, measure: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int], Floats]:
    """Each row's person, its cell of the finest table, the sizes of keys, and what it adds."""
    owned = rows[rows.person.notna()]
    people, _ = pd.factorize(owned.person)
    cells, sizes = np.zeros(len(owned), np.int64), []
    for key in asked.keys:
        places, found = pd.factorize(owned[key], sort=True)
        cells = cells * len(found) + places
        sizes.append(len(found))
    column = measure.removeprefix("SUM(").removesuffix(")")
    values = np.ones(len(owned)) if measure == "COUNT(*)" else owned[column].to_numpy(np.float64)
    return np.asarray(people, np.int64), cells, sizes, values


def _margin(
    people: NDArray[np.int64], cells: NDArray[np.int64], values: Floats, sizes: list[int], table: Attributes
) -> csr_matrix:
    """People's totals by the cells of a table."""
    axes = np.unravel_index(cells, sizes)
    places = np.zeros(len(cells), np.int64)
    for place in table:
        places = places * sizes[place] + axes[place]
    shape = (int(people.max()) + 1, prod(sizes[place] for place in table))
    return csr_matrix((values, (people, places)), shape=shape)
