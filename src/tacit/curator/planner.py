"""Planning for an open data set: questions, prices and plans, from the facts that are read before a charge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from tacit.curator.materialization import Preparation
from tacit.curator.open_data import Opened, check_question
from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.query.aggregates.quantile import Quantile
from tacit.query.aggregates.quantile_calls import without_scale
from tacit.query.aggregates.rank_grid import has_scale
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.protocol import Session
from tacit.query.materialized.statements import Statements
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of, release_delta
from tacit.query.plans.question import Question, read_question
from tacit.schema.catalogue import Catalogue

if TYPE_CHECKING:
    from tacit.query.bounding.profile import Profile


COUNTS: Final = "counts."
"""The prefix of the digests of counting questions."""

TABLES: Final = "tables."
"""The prefix of the digests of tables."""


@frozen(eq=False)
class Planner:
    """Turns SQL into plans, from one reading of the headers, the version of the data and the newest profile."""

    opened: Opened
    catalogue: Catalogue
    version: str
    profile: Profile | None

    @classmethod
    def of(cls, opened: Opened) -> Planner:
        """A planner, from everything that is read of a data set before a charge, which includes no row."""
        return cls(opened, opened.catalogue, opened.data_version(), opened.profile())

    @cached_property
    def preparation(self) -> Preparation:
        """The prepared form of these data, if the steward made one."""
        edges = {} if self.profile is None else self.profile.edges
        return self.opened.preparation.at(self.version, edges)

    @contextmanager
    def session(self, statements: Statements, plan: Plan | None = None) -> Iterator[Session]:
        """A session of the version of the data that this planner read; refused where they have changed.

        A release is stored under the version that was read, so it must not include rows that were added since.
        """
        with self.preparation.session(statements, plan) as session:
            if not self.opened.data_version() == self.version:
                raise Refused(
                    f"the data of {self.opened.description.name}",
                    "They changed while the question was planned.",
                    "the same question again.",
                )
            yield session

    def has_stored(self, family: str) -> bool:
        """Whether a release of this version of the data has a digest with this prefix."""
        return bool(self.opened.stored_under(f"{family}{self.version}."))

    def question(self, sql: str) -> Question:
        centres = None if self.profile is None else self.profile.centres
        try:
            question = read_question(sql, self.catalogue, centres)
        except Refused as refusal:
            # few statements have an outer query
            from tacit.query.outer.public_tables import read_public
            from tacit.query.outer.statement import read_statement

            public = partial(read_public, catalogue=self.catalogue, engine=self.opened.engine)
            question = read_statement(sql, self.catalogue, centres, refusal, public)
        return self.checked(question)

    def checked(self, question: Question) -> Question:
        """The question, if the engine has words for all of it: refused now, and not behind a charge."""
        check_question(question, self.catalogue, self.opened.engine)
        return question

    def price(self, question: Question, epsilon: Number, delta: Number | None) -> Price:
        description = self.opened.description
        return price_of(description.budget, description.promise, epsilon, delta, question.has_private_keys)

    @property
    def usual_keys_delta(self) -> Fraction:
        """The default δ of private keys."""
        description = self.opened.description
        return release_delta(description.budget, description.promise) / 2

    def bare_plan(self, question: Question, interval: IntervalKind) -> Plan:
        """The plan with the limits that were declared or hold by construction."""
        is_gaussian = not isinstance(self.opened.description.budget, Pure)
        return make_plan(question, self.catalogue, is_gaussian, interval)

    def plan(self, question: Question, price: Price, interval: IntervalKind) -> Plan:
        """The plan at a price: undeclared limits come from the profile where it covers them."""
        plan = self.bare_plan(question, interval)
        if self.profile is not None and plan.binned:
            plan = self.profile.completed(plan, price)
        for name, each in plan.question.aggregates.items():
            if isinstance(each, Quantile) and not has_scale(each.ranks):
                raise without_scale(name)
        return plan

    def plans_of_any_price(self, question: Question, interval: IntervalKind) -> Iterator[Plan]:
        """Each possible plan of an earlier release: with limits from the profile, and without."""
        bare = self.bare_plan(question, interval)
        if self.profile is not None and bare.binned:
            yield self.profile.completed(bare, self.price(question, 1, None))
        yield bare
