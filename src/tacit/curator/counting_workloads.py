"""Many questions at once on an open data set, workloads and tables: release and explanation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.curator.ibis_expression import Asked, sql_of_all
from tacit.curator.open_data import Opened
from tacit.curator.planner import Planner
from tacit.curator.terms import analyst_share, at_least
from tacit.exact import Number, proper
from tacit.query.plans.limit import IntervalKind

if TYPE_CHECKING:
    from tacit.curator.counts_explanation import CountsExplanation
    from tacit.curator.tables_explanation import TablesExplanation
    from tacit.release.tables_release import TablesRelease

_USUAL = "0.1"  # the ε to explain where none is given


class CountingWorkloads:
    """The part of an open data set that takes many counting questions, or several tables, at once."""

    def __init__(self, opened: Opened, analyst: str) -> None:
        self._opened = opened
        self._analyst = analyst

    @property
    def _planner(self) -> Planner:
        """The planner with the current public facts, read once for each question."""
        return Planner.of(self._opened)

    def workload(
        self,
        asked: Asked | Sequence[Asked],
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        weights: Sequence[Number] | None = None,
        confidence: Number = "0.95",
        interval: str = "usual",
        fresh: bool = False,
    ) -> TablesRelease:
        """Many counting questions answered together, with the best noise for all: ranges, prefixes, histograms."""
        # imported late, because few questions need the factorisation
        from tacit.curator.counts_answer import ask_counts
        from tacit.curator.counts_job import counts_plan, counts_price

        level, kind = proper(confidence, "confidence"), IntervalKind.named(interval)
        analyst_share(self._opened, self._analyst)
        planner = self._planner
        plan = counts_plan(planner, sql_of_all(asked), weights, kind)
        price = None if epsilon is None else counts_price(planner, epsilon, delta)
        return ask_counts(planner, plan, price, self._analyst, level, fresh)

    def explain_workload(
        self,
        asked: Asked | Sequence[Asked],
        *,
        epsilon: Number = 1,
        delta: Number | None = None,
        weights: Sequence[Number] | None = None,
        confidence: Number = "0.95",
        interval: str = "usual",
    ) -> CountsExplanation:
        """Each question's error, together and with separate queries; nothing is spent and no row is read."""
        from tacit.curator.counts_explanation import explain_counts
        from tacit.curator.counts_job import counts_plan, counts_price

        level, planner = proper(confidence, "confidence"), self._planner
        plan = counts_plan(planner, sql_of_all(asked), weights, IntervalKind.named(interval))
        return explain_counts(planner, plan, counts_price(planner, epsilon, delta), level)

    def tables(
        self,
        asked: Asked | Sequence[Asked],
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        weight: str = "tables",
        confidence: Number = "0.95",
        interval: str = "usual",
        fresh: bool = False,
    ) -> TablesRelease:
        """Several tables released together: CUBE, ROLLUP, GROUPING SETS, or several SELECTs over the same rows."""
        from tacit.curator.tables_answer import ask_tables
        from tacit.curator.tables_job import tables_plan, tables_price
        from tacit.workload.residual_basis import Weighting

        analyst_share(self._opened, self._analyst)
        level, planner = proper(confidence, "confidence"), self._planner
        plan = tables_plan(planner, sql_of_all(asked), IntervalKind.named(interval), Weighting.named(weight))
        price = None if epsilon is None else tables_price(planner, plan, epsilon, delta)
        return ask_tables(planner, plan, price, self._analyst, level, fresh)

    def explain_tables(
        self,
        asked: Asked | Sequence[Asked],
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        weight: str = "tables",
        confidence: Number = "0.95",
        interval: str = "usual",
    ) -> TablesExplanation:
        """The price and the expected errors of tables; nothing is spent and no row is read."""
        from tacit.curator.tables_explanation import explain_tables
        from tacit.curator.tables_job import tables_plan, tables_price
        from tacit.workload.residual_basis import Weighting

        level, planner = proper(confidence, "confidence"), self._planner
        plan = tables_plan(planner, sql_of_all(asked), IntervalKind.named(interval), Weighting.named(weight))
        price = tables_price(planner, plan, _USUAL if epsilon is None else epsilon, delta)
        price = price if epsilon is not None else at_least(self._opened, price, bool(plan.private))
        return explain_tables(planner, plan, price, level)
