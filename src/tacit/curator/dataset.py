"""The Python face of the curator: `tacit.open("clinic.toml")`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from tacit.curator.budget_view import BudgetView
from tacit.curator.door import Answered, find_stored, release
from tacit.curator.expected import Expected
from tacit.curator.explanation import Explanation
from tacit.curator.notes import notes_of
from tacit.curator.opened import Opened, open_ledger
from tacit.curator.planner import Planner
from tacit.curator.profiling import ProfileAnswer, release_profile
from tacit.curator.target import Target
from tacit.errors import Refused
from tacit.exact import Number, positive, proper
from tacit.query.engine import Engine
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of_strength, release_delta
from tacit.query.running.answering import answered
from tacit.release.price import Price as PriceWords
from tacit.release.release import Release
from tacit.schema.reading import read_description


class Dataset:
    """A data set behind its curator. Every answer is charged to the one budget of the data before a row is read."""

    def __init__(self, opened: Opened, analyst: str) -> None:
        self._opened = opened
        self._planner = Planner(opened)
        self._analyst = analyst

    @property
    def description(self) -> object:
        """What the steward said of the data."""
        return self._opened.description

    def query(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
        size: Number | None = None,
        confidence: Number = "0.95",
        fresh: bool = False,
    ) -> Release:
        """The private answer to a query, at a price or at a target error; free if an earlier release answers it."""
        level = proper(confidence, "confidence")
        plan, price = self._planned(sql, epsilon, delta, error, size, level)
        if price is None:
            found = None if fresh else self._stored(plan)
            if found is None:
                raise Refused(
                    "a query without a price",
                    "No earlier release answers it.",
                    "epsilon (--epsilon 0.1), or a target error (--error 50).",
                )
            return self._shown(plan, found, level)
        found = release(self._opened, plan, price, self._analyst, sql, fresh)
        return self._shown(plan, found, level, None if error is None else Target.read(error))

    def explain(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
        size: Number | None = None,
        confidence: Number = "0.95",
    ) -> Explanation:
        """What the query would cost and how far off it would be; nothing is spent and no row is read."""
        level = proper(confidence, "confidence")
        plan, price = self._planned(
            sql, "0.1" if epsilon is None and error is None else epsilon, delta, error, size, level
        )
        if price is None:
            raise Refused("an explanation without a price", "There is nothing to explain.", "epsilon or error.")
        stored = find_stored(self._opened, plan, price.keys_delta, plan.strength(price))
        words = self._price_words(price)
        return Explanation(plan, price, words, Expected.of(plan, price, level), level, stored is not None)

    def profile(self, *, epsilon: Number, delta: Number | None = None, fresh: bool = False) -> ProfileAnswer:
        """A private profile of how much people have, from which later queries choose their limits for free."""
        return release_profile(self._opened, epsilon, delta, self._analyst, fresh)

    def budget(self) -> BudgetView:
        """What was spent, by whom, on what, and what is left."""
        return BudgetView.of(self._opened.account, self._opened.description)

    def close(self) -> None:
        """Let go of the ledger."""
        self._opened.ledger.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _planned(
        self,
        sql: str,
        epsilon: Number | None,
        delta: Number | None,
        error: Number | None,
        size: Number | None,
        confidence: Fraction,
    ) -> tuple[Plan, Price | None]:
        if epsilon is not None and error is not None:
            raise Refused("both a price and a target error", "One decides the other.", "epsilon or error.")
        question = self._planner.question(sql)
        if epsilon is not None:
            price = self._planner.price(question, epsilon, delta)
            return self._planner.plan(question, price), price
        if error is None:
            return self._planner.bare_plan(question), None
        return self._planned_for(sql, Target.read(error), None if size is None else positive(size, "size"), confidence)

    def _planned_for(self, sql: str, target: Target, size: Fraction | None, confidence: Fraction) -> tuple[Plan, Price]:
        """The cheapest plan that keeps the target; limits from a profile depend on the price, so it is sought twice."""
        description, question = self._opened.description, self._planner.question(sql)
        known = size or (self._earlier_size(sql, confidence) if target.is_relative else None)
        price = self._planner.price(question, 1, None)
        for _ in range(4):
            plan = self._planner.plan(question, price)
            ratio = target.ratio(Expected.of(plan, price, confidence), known)
            strength = price.strength * (ratio if price.is_pure else ratio**2) * Fraction(1001, 1000)
            price = price_of_strength(description.budget, description.promise, strength, question.has_private_keys)
            plan = self._planner.plan(question, price)
            if target.ratio(Expected.of(plan, price, confidence), known) <= 1:
                break
        return plan, price

    def _earlier_size(self, sql: str, confidence: Fraction) -> Fraction | None:
        """The smallest cell of an earlier answer to the same query, at the lower end of its interval."""
        plan = self._planner.bare_plan(self._planner.question(sql))
        found = self._stored(plan)
        if found is None:
            return None
        groups = answered(plan, found.table)
        ends = [each.at(confidence).low.min() for each in groups.aggregates.values() if groups.size]
        least = min(ends, default=0.0)
        return Fraction(float(least)) if least > 0 else None

    def _stored(self, plan: Plan) -> Answered | None:
        description = self._opened.description
        delta = release_delta(description.budget, description.promise) / 2
        return find_stored(self._opened, plan, delta, Fraction(0))

    def _shown(self, plan: Plan, found: Answered, confidence: Fraction, target: Target | None = None) -> Release:
        groups = answered(plan, found.table)
        rendered = plan.question.above.render(groups, confidence)
        notes = list(notes_of(plan, found.table, None))
        used = self._opened.account.filter()
        left = 1 - used.share(used.spent)
        words = PriceWords(found.certificate.statement.price, found.share, left, found.free, "")
        return Release(rendered, confidence, tuple(notes), words, found.certificate)

    def _price_words(self, price: Price) -> PriceWords:
        used = self._opened.account.filter()
        left = 1 - used.share(used.spent)
        return PriceWords(str(price.alone), used.share(price.charge), left, False, "")


def open_dataset(
    path: str | Path, *, ledger: str | Path | None = None, analyst: str | None = None, engine: Engine | None = None
) -> Dataset:
    """The data set that a description file describes."""
    if engine is None:
        from tacit.query.engines.duckdb_engine import DuckDBEngine  # a driver loads when it is needed

        engine = DuckDBEngine()
    description = read_description(Path(path), engine.public_values)
    opened = Opened(description, engine, open_ledger(description, None if ledger is None else Path(ledger)))
    return Dataset(opened, analyst or description.steward)
