"""One run of counting questions: find the limit of one person, add up cells, measure them with exact noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Bits
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Fetched, Session, Stage, add_up
from tacit.query.execution.fetched_columns import integers, key_columns
from tacit.query.execution.run import PlanRun
from tacit.query.plans.limit import CUTTING_NOBODY, IntervalKind
from tacit.query.plans.price import Price
from tacit.workload.linear.counts_plan import CountsPlan
from tacit.workload.linear.noisy_counts import NoisyCounts

Integers = NDArray[np.int64]


class CountsRun:
    """The stages of a plan at a price: people by amount, if a limit is to be found; the measurements.

    Whatever happens, no exception, shape or order depends on a person: shapes are those of public cells.
    """

    def __init__(self, plan: CountsPlan, price: Price) -> None:
        self._plan, self._price = plan, price
        self._base = PlanRun(plan.base, price)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (*self._base.stages[:-1], self._measure)

    def _measure(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        """Modulo 2^64: reducing what is noisy already is post-processing."""
        plan, price = self._plan, self._price
        final, found = self._base.found(released)
        limit, clipped = final.limits[plan.measure], found.get(plan.measure)
        if limit.norm is None:
            raise TypeError("a limit is still to be found")
        law, best = plan.law(price), plan.best
        block = plan.tally(limit.norm)
        exact = best.strategy.matrix @ cell_sums(plan, add_up(session, block.sql()))
        values = exact + slabs(law).draw(exact.size, bits)
        kind = plan.base.interval
        if limit.origin in CUTTING_NOBODY or (clipped is not None and clipped.is_sure):
            kind = IntervalKind.GUARANTEED
        bias = clipped.bias if clipped is not None and kind is IntervalKind.USUAL else None
        return NoisyCounts(
            best.strategy.transform,
            values,
            law.variance,
            block.scalings[0].scale,
            limit.norm,
            kind,
            bias,
            best.optimum_down,
            plan.strength(price),
        ).to_bytes()


def cell_sums(plan: CountsPlan, table: Fetched) -> Integers:
    """The sums of merged cells, in units; cells that the engine does not list are zero."""
    domain = plan.asked.domain
    sums = integers(table, "y0")
    groups = key_columns(table, len(domain.columns)) if domain.columns else []
    places = domain.cells(groups) if groups else np.zeros(len(sums), np.int64)
    whole = np.zeros(domain.size, np.int64)
    np.add.at(whole, places[places >= 0], sums[places >= 0])
    return plan.asked.matrix.merged(whole)
