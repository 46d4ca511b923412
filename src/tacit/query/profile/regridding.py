"""Even grids: stretches that hold about as many rows each, as far as a released profile can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import floor

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import Aggregate
from tacit.query.aggregates.even_grid import STRETCHES, Edges, fits
from tacit.query.aggregates.parts import Part, Ranks
from tacit.query.aggregates.quantile import Quantile
from tacit.query.limits.evidence import seen
from tacit.query.lowering.finding import BINS
from tacit.query.plans.limit import Limit
from tacit.query.plans.plan import Plan
from tacit.query.steps import Steps

_EVERYWHERE = 1 / 16  # of the rows are taken to lie anywhere, so that no cell is more than 16 times too wide


def even_edges(steps: Steps, people: NDArray[np.float64], deviation: float) -> tuple[int, ...]:
    """The edges of a column, from noisy numbers of people by how far above the lower bound a value of theirs lies.

    Bin i of `people` holds distances from its least amount less one. None are given where the values are so few that
    each has a cell of its own on two levels, or where too few people stand out of the noise.
    """
    span = steps.high - steps.low + 1
    found = seen(people[1:], deviation)
    if not span > FAN**2 or found is None:
        return ()
    first, last = found.first + 1, found.last + 1
    begins = np.minimum(BINS.edges()[first : last + 2] - 1, span).astype(np.float64)
    if len(begins) < last + 2 - first:
        begins = np.append(begins, float(span))
    below = np.concatenate([[0.0], np.cumsum(np.maximum(people[first : last + 1], 0.0))])
    places = np.unique(np.concatenate([[0.0], begins, [float(span)]]))
    parts = np.interp(places, begins, below / max(below[-1], 1.0))
    parts = (1 - _EVERYWHERE) * parts + _EVERYWHERE * places / span
    cuts = np.interp(np.arange(1, STRETCHES) / STRETCHES, parts, places)
    edges = [0]
    for place, cut in enumerate(cuts.tolist(), start=1):
        edges.append(min(max(floor(cut + 0.5), edges[-1] + 1), span - (STRETCHES - place)))
    return tuple(steps.low + edge for edge in (*edges, span))


def on_even_grids(plan: Plan, edges: Edges) -> Plan:
    """The plan with ranks whose limit is still to be chosen on even grids, where the profile knows them."""
    if len(plan.question.rows.tables) != 1:
        return plan
    table = min(plan.question.rows.tables)
    ranks = [part for part in plan.unknown if isinstance(part, Ranks)]
    moved: dict[Part, Ranks] = {part: _moved(part, edges.get((table, part.column or ""), ())) for part in ranks}
    aggregates: Mapping[str, Aggregate] = {
        name: replace(each, ranks=moved.get(each.ranks, each.ranks)) if isinstance(each, Quantile) else each
        for name, each in plan.question.aggregates.items()
    }
    limits: dict[Part, Limit] = {moved.get(part, part): limit for part, limit in plan.limits.items()}
    return replace(plan, question=replace(plan.question, aggregates=aggregates), limits=limits)


def _moved(part: Ranks, edges: tuple[int, ...]) -> Ranks:
    return replace(part, edges=edges) if fits(edges, part.low, part.high) else part
