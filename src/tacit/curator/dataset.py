"""The Python interface of the curator: `tacit.open("clinic.toml")`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.curator.account_view import BudgetView
from tacit.curator.certifier import Certifier
from tacit.curator.expected_error import PROMISED, Target, TargetSearch
from tacit.curator.explanation import Explanation, explain_plan
from tacit.curator.ibis_expression import Asked, ibis_table, sql_of
from tacit.curator.implied_search import find_implied, implied_as_asked
from tacit.curator.network_training import NetworkTraining
from tacit.curator.notes import intervals_of, notes_of
from tacit.curator.open_data import Watcher, open_data, unwatched
from tacit.curator.planner import Planner
from tacit.curator.profile_job import ProfileAnswer, release_profile
from tacit.curator.query_job import Answered, find_earlier, release_query
from tacit.curator.terms import analyst_share, at_least
from tacit.errors import Failed, Refused
from tacit.exact import Number, positive, proper
from tacit.query.engines.protocol import Engine
from tacit.query.execution.noisy_table import answered
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.release.price import price_words
from tacit.release.release import Release
from tacit.schema.budgets import who_asks

if TYPE_CHECKING:
    from tacit.curator.weights_job import WeightsDesk

_USUAL = "0.1"  # the ε to explain where none is given


class Dataset(NetworkTraining):
    """A data set behind its curator. Every answer is charged to the one budget of the data before a row is read."""

    @property
    def description(self) -> object:
        """The steward's description of the data."""
        return self._opened.description

    def table(self, name: str) -> Any:
        """A table's columns and types for ibis: expressions over it can be asked like SQL. It has no rows."""
        return ibis_table(name, self._opened.catalogue)

    def query(
        self,
        asked: Asked,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
        size: Number | None = None,
        confidence: Number = "0.95",
        interval: str = "usual",
        fresh: bool = False,
    ) -> Release:
        """The private answer to a query, at a price or at a target error; free if an earlier release answers it."""
        sql, level, kind = sql_of(asked), proper(confidence, "confidence"), IntervalKind.named(interval)
        analyst_share(self._opened, self._analyst)
        planner = self._planner
        if epsilon is None and error is None:
            question = planner.question(sql)
            known = None if fresh else find_earlier(planner, question, kind)
            implied = None if fresh or known is not None else find_implied(planner, question, kind)
            if implied is not None:
                return implied.show(planner, sql, kind, level)
            if known is None:
                raise Refused(
                    "a query without a price",
                    "No earlier release answers it.",
                    "epsilon (--epsilon 0.1), or a target error (--error 50).",
                )
            return self._shown(sql, *known, level)
        target = None if error is None else Target.read(error)
        plan, price = self._planned(planner, sql, kind, epsilon, delta, error, size, level, fresh)
        if not fresh and (implied := implied_as_asked(planner, plan, price, kind)) is not None:
            return implied.show(planner, sql, kind, level)
        found = release_query(planner, plan, price, self._analyst, sql, fresh)
        try:
            return self._shown(sql, plan, found, level, target, plan.interval is not kind)
        except Exception:
            if found.free:
                raise
            raise Failed from None  # the answer is paid for and stored, so asking again is free

    def explain(
        self,
        asked: Asked,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
        size: Number | None = None,
        confidence: Number = "0.95",
        interval: str = "usual",
    ) -> Explanation:
        """The price and the expected error of the query; nothing is spent and no row is read."""
        sql, level, kind = sql_of(asked), proper(confidence, "confidence"), IntervalKind.named(interval)
        planner = self._planner
        plan, price = self._planned(planner, sql, kind, epsilon, delta, error, size, level)
        implied, public = implied_as_asked(planner, plan, price, kind), None if size is None else positive(size, "size")
        tables = None if implied is None else implied.words(level)
        promised = PROMISED if error is not None and plan.interval is not kind else None
        return explain_plan(planner, plan, price, level, public, tables, promised)

    def weights(self, asked: Asked, *, epsilon: Number, updates: int, **options: Any) -> WeightsDesk:
        """A session of counting questions by the keys of one table (`open_weights`), paid for up front."""
        from tacit.curator.weights_job import open_weights

        return open_weights(self._planner, self._analyst, sql_of(asked), epsilon, updates, **options)

    def profile(self, *, epsilon: Number, delta: Number | None = None, fresh: bool = False) -> ProfileAnswer:
        """A private profile of how much people have, from which later queries choose their limits for free."""
        return release_profile(self._opened, epsilon, delta, self._analyst, fresh)

    def budget(self) -> BudgetView:
        """What was spent, by whom, on what, and what is left."""
        return BudgetView.of(self._opened)

    def close(self) -> None:
        """Close the ledger."""
        self._opened.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _planned(
        self,
        planner: Planner,
        sql: str,
        interval: IntervalKind,
        epsilon: Number | None,
        delta: Number | None,
        error: Number | None,
        size: Number | None,
        confidence: Fraction,
        fresh: bool = False,
    ) -> tuple[Plan, Price]:
        question = planner.question(sql)
        if epsilon is not None and error is not None:
            raise Refused("both a price and a target error", "One decides the other.", "epsilon or error.")
        if error is not None and question.above.is_outer:
            why = "A target is for the numbers of groups, and its columns are computed from them."
            raise Refused(
                "a target error for an outer query", why, "--epsilon; or a target for the groups, asked first."
            )
        if error is not None:
            known = None if size is None else positive(size, "size")
            search = TargetSearch(planner, question, Target.read(error), known, confidence)
            return (None if fresh else search.earlier(interval)) or search.cheapest(interval)
        price = planner.price(question, _USUAL if epsilon is None else epsilon, delta)
        if epsilon is None:
            price = at_least(self._opened, price, question.has_private_keys)
        return planner.plan(question, price, interval), price

    def _shown(
        self,
        sql: str,
        plan: Plan,
        found: Answered,
        confidence: Fraction,
        target: Target | None = None,
        is_promised: bool = False,
    ) -> Release:
        """The answer; `is_promised` where a target error made its intervals guaranteed ones."""
        groups, intervals = answered(plan, found.table), intervals_of(plan, found.table)
        is_usual = intervals.kind == IntervalKind.USUAL.value
        bounded = answered(plan, found.table, is_bounded=True) if is_usual else None
        rendered = plan.question.above.render(groups, confidence, bounded)
        kept = [] if target is None else [target.verdict(groups, confidence, found.free, is_usual=is_usual)]
        kept += [PROMISED] if is_promised else []
        notes = (*kept, *rendered.notes, *notes_of(plan, found, confidence))
        words = price_words(self._opened.filter, found.grounds.price, found.share, found.free, found.charge)
        certify = Certifier.of(self._opened, found.grounds, found.entry, sql)
        return Release(rendered, confidence, notes, words, certify, intervals)


def open_dataset(
    path: str | Path,
    *,
    ledger: str | Path | None = None,
    analyst: str | None = None,
    engine: Engine | None = None,
    frames: Mapping[str, object] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    watcher: Watcher = unwatched,
) -> Dataset:
    """The data set that a description file describes; `frames` gives the rows of tables whose source is "frame".

    `memory`, as "2GB", and `threads` limit DuckDB's use of this machine; larger data go to temporary files. `watcher`
    gets each session that runs; its progress may be shown to the steward only.
    """
    asking = who_asks(analyst)
    opened = open_data(path, ledger, engine, frames, memory, threads, watcher)
    return Dataset(opened, asking)
