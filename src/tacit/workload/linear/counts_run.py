"""One run of counting questions: find the limit of one person, add up cells, measure them with exact noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import wrapped
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Fetched, Session, Stage, add_up
from tacit.query.execution.noisy_table import integers, key_columns
from tacit.query.execution.run import PlanRun
from tacit.query.plans.limit import CUTTING_NOBODY, IntervalKind
from tacit.query.plans.price import Price
from tacit.workload.linear.counts_plan import CountsPlan
from tacit.workload.linear.noisy_counts import NoisyCounts

Integers = NDArray[np.int64]

_FITS = 2**61  # a smaller number and a draw of noise add up within 64 bits


class CountsRun:
    """The stages of a plan at a price: people by amount, if a limit is to be found; the measurements.

    No exception, shape or order depends on a unit: shapes are those of public cells.
    """

    def __init__(self, plan: CountsPlan, price: Price) -> None:
        self._plan, self._price = plan, price
        self._base = PlanRun(plan.base, price)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (*self._base.stages[:-1], self._measure)

    def _measure(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        plan, price = self._plan, self._price
        final, found = self._base.found(released)
        limit, clipped = final.limits[plan.measure], found.get(plan.measure)
        if limit.norm is None:
            raise TypeError("a limit is still to be found")
        law, best = plan.law(price), plan.best
        block = plan.tally(limit.norm)
        values = self._noisy(cell_sums(plan, add_up(session, block.sql())), law, bits)
        kind = plan.base.interval
        if limit.origin in CUTTING_NOBODY or (clipped is not None and clipped.is_sure):
            kind = IntervalKind.GUARANTEED
        bias = clipped.bias if clipped is not None and kind is IntervalKind.USUAL else None
        return NoisyCounts(
            best.strategy.transform,
            values,
            plan.variance(price),
            block.scalings[0].scale / 2**plan.shift,
            limit.norm,
            kind,
            bias,
            best.optimum_down,
            plan.strength(price),
        ).to_bytes()

    def _noisy(self, cells: Integers, law: RoundedGaussian, bits: Bits) -> Integers:
        """The measurements plus noise, rounded to 2^shift, modulo 2^64.

        Claim: it is post-processing of whole measurements plus noise, for all rows. Proof: cells are
        2^shift·h + l, so that ⌊(A x + noise)/2^shift⌋ is A h + ⌊(A l + noise)/2^shift⌋. The second is exact, in
        Python's integers where words might not hold it, and both are added modulo 2^64, never cut.
        """
        matrix, shift = self._plan.best.strategy.matrix, self._plan.shift
        low: NDArray[Any] = cells & ((1 << shift) - 1)
        if int(np.abs(matrix).max()) * cells.size << shift >= _FITS:
            low = low.astype(object)
        noisy = matrix @ low + slabs(law).draw(len(matrix), bits) + (1 << shift >> 1)
        return np.asarray(matrix @ (cells >> shift) + wrapped(noisy >> shift))


def cell_sums(plan: CountsPlan, table: Fetched) -> Integers:
    """The sums of merged cells, in units; cells that the engine does not list are zero."""
    domain = plan.asked.domain
    sums = integers(table, "y0")
    groups = key_columns(table, len(domain.columns)) if domain.columns else []
    places = domain.cells(groups) if groups else np.zeros(len(sums), np.int64)
    whole = np.zeros(domain.size, np.int64)
    np.add.at(whole, places[places >= 0], sums[places >= 0])
    return plan.asked.matrix.merged(whole)
