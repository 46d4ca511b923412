"""One run of tables: choose private keys, find limits, add up cells, measure contrasts with exact noise.

No exception, shape or order depends on a unit: shapes are those of public keys, and of private keys that were shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Bits
from tacit.noise.grid import saturated_sum, wrapped
from tacit.noise.slabs import slabs
from tacit.query.aggregates.aggregate import Measure, noise_deviation
from tacit.query.bounding.histogram_sql import WIDE_BINS, finding_sql
from tacit.query.engines.protocol import Session, Stage, add_up
from tacit.query.execution.noisy_table import integers, key_columns, read_key, written_key
from tacit.query.execution.run import bin_counts, with_noise
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.group_keys import KeyRule
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price, noise_share
from tacit.workload.cell_sums import CellSums
from tacit.workload.noisy_contrasts import NoisyContrasts, NoisyTables
from tacit.workload.residual_basis import ResidualStrategy
from tacit.workload.scaled_rows import ROWS, MeasureScale, ScaledRows, TableKey, row_sums_sql
from tacit.workload.table_limits import STEPS as AMOUNT_STEPS
from tacit.workload.table_limits import TableLimit, coarse, find_limits
from tacit.workload.tables_plan import RADIUS, TablesPlan, most_chosen

Integers = NDArray[np.int64]
_HAS_WEIGHT: Final = "w > 0"
_KEPT_BITS: Final = 2  # of a row's size: multipliers, and the noise, are some hundred times as large
_DIGITS: Final = 6  # that are kept of what was cut off: no more depend on the machine


class TablesRun:
    """The stages of a plan of tables at a price; each gives bytes that are private already."""

    def __init__(self, plan: TablesPlan, price: Price) -> None:
        self._plan, self._price = plan, price

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Values of private keys, if there are some; people by amount, if limits are to be found; the contrasts."""
        chosen = (self._choose,) if self._plan.private else ()
        found = (self._find,) if self._plan.binned else ()
        return (*chosen, *found, self._measure)

    def _choose(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        """The values of each private key that are shown, by the rule that shows keys of queries.

        Claim: each key's rule costs its share of the price and, as they share it, its part of the δ.
        """
        plan, price, most = self._plan, self._price, most_chosen(self._plan)
        noise = noise_share(price, plan.share("keys"), plan.relation)
        rule = KeyRule(noise, price.keys_delta / len(plan.private), plan.base.most_keys)
        listed = []
        for place in plan.private:
            key = plan.base.question.keys[place]
            block = TallyBlock(plan.base.question.rows, (key,), (), (), noise, rule)
            table = add_up(session, block.sql(), where=_HAS_WEIGHT)
            values = key_columns(table, 1)[0]
            order = sorted(range(len(values)), key=lambda row: (values[row] is None, values[row]))
            weights = integers(table, "w")[order] if order else np.zeros(0, np.int64)
            noisy = saturated_sum(weights.copy(), slabs(noise.law).draw(weights.size, bits))
            shown = [row for row in range(len(order)) if weights[row] > 0 and noisy[row] >= rule.threshold]
            largest = sorted(shown, key=lambda row: -int(noisy[row]))[:most]
            listed.append(
                [written_key(values[order[row]]) for row in sorted(largest) if values[order[row]] is not None]
            )
        return json.dumps(listed).encode()

    def _keys(self, released: Sequence[bytes]) -> tuple[TableKey, ...]:
        public, chosen = self._plan.public_keys(), iter(json.loads(released[0]) if self._plan.private else ())
        return tuple(
            key or TableKey(column, (*(read_key(value) for value in next(chosen)), None), is_chosen=True)
            for key, column in zip(public, self._plan.base.question.keys, strict=True)
        )

    def _find(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        """Noisy numbers of people by their norm, for each measure whose limit is to be found or evaluated."""
        plan, keys = self._plan, self._keys(released)
        strategies, noise = plan.strategies(keys), noise_share(self._price, plan.share("finding"), plan.relation)
        scales = tuple(MeasureScale(part, 1, coarse(part), 1, strategies[part].form()) for part in plan.binned)
        amounts = ScaledRows(plan.base.question.rows, keys, scales, plan.structure).amounts_sql(AMOUNT_STEPS)
        sql = finding_sql([(amounts, f"a{place}") for place in range(len(scales))], WIDE_BINS)
        counts = bin_counts(add_up(session, sql, is_few=True), len(scales), WIDE_BINS)
        noisy = with_noise((counts * noise.split(len(scales))).ravel(), noise, bits)
        return noisy.astype("<i8").tobytes()

    def _limits(
        self, strategies: Mapping[Measure, ResidualStrategy], released: Sequence[bytes]
    ) -> Mapping[Measure, TableLimit]:
        plan, people, deviation = self._plan, {}, 0.0
        if plan.binned:
            noise = noise_share(self._price, plan.share("finding"), plan.relation)
            unit = noise.split(len(plan.binned))
            noisy = np.frombuffer(released[-1], "<i8").reshape(len(plan.binned), len(WIDE_BINS)) / unit
            people, deviation = dict(zip(plan.binned, noisy, strict=True)), noise_deviation(noise.law) / unit
        return find_limits(plan, strategies, self._price, people, deviation)

    def _measure(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        plan, keys = self._plan, self._keys(released)
        strategies = plan.strategies(keys)
        limits = self._limits(strategies, released)
        scales = tuple(measure_scale(part, strategies[part], limits[part], plan.is_scaled) for part in plan.measures)
        sums = self.cell_sums(session, keys, scales)
        measured = {
            plan.base.identity(scale.measure): self._contrasts(place, scale, strategies, limits, sums, bits)
            for place, scale in enumerate(scales)
        }
        domains = tuple(key.domain for key in keys)
        return NoisyTables(domains, measured, plan.strength(self._price), plan.tree).to_bytes()

    def cell_sums(self, session: Session, keys: tuple[TableKey, ...], scales: tuple[MeasureScale, ...]) -> CellSums:
        """The sums of all measures by a few wide tables: all others are margins of one of them."""
        plan, rows = self._plan, self._plan.base.question.rows
        if plan.is_scaled:
            block = ScaledRows(rows, keys, scales, plan.structure)
            session.keep(ROWS, block.sql())
        sums = CellSums(keys, len(scales), plan.tree)
        for table in plan.scans(keys):
            if plan.is_scaled:
                sql = block.sums_sql(table)
            else:
                sql = row_sums_sql(rows, keys, table, plan.measures, plan.structure)
            sums.add(table, add_up(session, sql))
        return sums

    def _contrasts(
        self,
        place: int,
        scale: MeasureScale,
        strategies: Mapping[Measure, ResidualStrategy],
        limits: Mapping[Measure, TableLimit],
        sums: CellSums,
        bits: Bits,
    ) -> NoisyContrasts:
        """The contrasts of one measure plus noise, rounded to 2^shift and modulo 2^64.

        Claim: it is post-processing of whole contrasts plus noise, for all rows. Proof: a margin is 2^shift·h + l, h
        and l the sums of cells' high and low bits, so that ⌊(m·C(margin) + noise)/2^shift⌋ is m·C(h) + ⌊(m·C(l) +
        noise)/2^shift⌋. The second is exact, and the first, being linear, is exact modulo 2^64. They are added modulo
        2^64, and neither is cut before: a number at the cut would reveal the other without noise. The sum is read
        correctly if it fits 64 bits: up to 2^33 rows or people, of any size, all in one cell.
        """
        strategy, limit = strategies[scale.measure], limits[scale.measure]
        law, values = self._plan.law(scale.measure, strategy, self._price), {}
        shift = coarse_bits(RADIUS if self._plan.is_scaled else scale.measure.size)
        for residual, most in strategy.scales.items():
            high, low = sums.halves(place, residual, shift, most)
            exact = strategy.measured(high, residual)
            noisy = strategy.measured(low, residual).ravel() + slabs(law).draw(exact.size, bits) + (1 << shift >> 1)
            values[residual] = exact + wrapped(noisy >> shift).reshape(exact.shape)
        variance = law.variance / 4**shift + (Fraction(1, 12) if shift else 0)
        kind = self._kind(limit)
        masses = None
        if kind is IntervalKind.USUAL and limit.masses is not None:
            masses = tuple(float(f"{mass:.{_DIGITS}g}") for mass in limit.masses)
        kept = float(f"{limit.kept:.{_DIGITS}g}")
        units = scale.scale / 2**shift
        return NoisyContrasts(strategy, values, variance, units, limit.norm, kind.value, masses, kept)

    def _kind(self, limit: TableLimit) -> IntervalKind:
        """The kind of intervals: where a limit cuts no unit, they are guaranteed unless bounded ones are requested."""
        if self._plan.is_scaled and self._plan.base.interval is IntervalKind.BOUNDED:
            return IntervalKind.BOUNDED
        return IntervalKind.GUARANTEED if limit.masses is None else self._plan.base.interval


def coarse_bits(size: int) -> int:
    """How many low bits of noisy contrasts are rounded off, where one row has this size: a small part of the noise."""
    return max(0, size.bit_length() - _KEPT_BITS)


def measure_scale(measure: Measure, strategy: ResidualStrategy, limit: TableLimit, is_scaled: bool) -> MeasureScale:
    """The units of a measure: steps as they are, or so many that a person at the limit has `RADIUS` of them."""
    if not is_scaled:
        return MeasureScale(measure, 1, 1, 1, {})
    form = strategy.form()
    if limit.norm <= RADIUS:
        return MeasureScale(measure, int(RADIUS / max(limit.norm, Fraction(1))), 1, RADIUS, form)
    return MeasureScale(measure, 1, ceil(limit.norm / RADIUS), RADIUS, form)
