"""Planning for an open data set: a question, its price and its plan, with limits from the profile if there is one."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.curator.opened import Opened
from tacit.curator.translatable import check_question
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.query.plans.plan import Plan
from tacit.query.plans.planning import make_plan
from tacit.query.plans.price import Price, price_of
from tacit.query.plans.question import Question, read_question


@frozen
class Planner:
    """Turns SQL into plans. It reads the description, headers and earlier releases; never a row."""

    opened: Opened

    def question(self, sql: str) -> Question:
        profile = self.opened.profile()
        question = read_question(sql, self.opened.catalogue, None if profile is None else profile.centres)
        check_question(question, self.opened.catalogue, self.opened.engine)
        return question

    def price(self, question: Question, epsilon: Number, delta: Number | None) -> Price:
        description = self.opened.description
        return price_of(description.budget, description.promise, epsilon, delta, question.has_private_keys)

    def bare_plan(self, question: Question) -> Plan:
        """The plan with the limits that were declared or hold by construction."""
        is_gaussian = not isinstance(self.opened.description.budget, Pure)
        return make_plan(question, self.opened.catalogue, is_gaussian)

    def plan(self, question: Question, price: Price) -> Plan:
        """The plan at a price: limits that nobody declared come from the profile where it covers them."""
        plan = self.bare_plan(question)
        profile = self.opened.profile() if plan.unknown else None
        return plan if profile is None else profile.completed(plan, price)

    def plans_of_any_price(self, question: Question) -> Iterator[Plan]:
        """Each plan that an earlier release may have had: with limits from the profile, and without."""
        bare = self.bare_plan(question)
        profile = self.opened.profile() if bare.unknown else None
        if profile is not None:
            yield profile.completed(bare, self.price(question, 1, None))
        yield bare
