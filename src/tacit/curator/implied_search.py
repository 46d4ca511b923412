"""The search for an earlier release of other questions that answers a query.

A query's own earlier release comes first. Of the others the most accurate one answers: the choice is free, since all of
them are already released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from tacit.curator.implied_answer import ImpliedAnswer
from tacit.curator.planner import COUNTS, TABLES, Planner
from tacit.curator.query_job import find_stored
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question


def find_implied(
    planner: Planner,
    question: Question,
    interval: IntervalKind,
    is_enough: Callable[[ImpliedAnswer], bool] = lambda _: True,
) -> ImpliedAnswer | None:
    """The release with the narrowest intervals that answers a question with intervals of this kind.

    One that counts all rows comes before those that count what fits public facts.
    """
    best: ImpliedAnswer | None = None
    rank = (True, inf)
    for answer in _answers(planner, question):
        if answer.serves(interval) and is_enough(answer):
            own = (answer.rests_on_facts, answer.widest(interval))
            if best is None or own < rank:
                best, rank = answer, own
    return best


def implied_as_asked(planner: Planner, plan: Plan, price: Price, interval: IntervalKind) -> ImpliedAnswer | None:
    """A release that answers a question at the requested accuracy, where no earlier query does."""
    if find_stored(planner, plan, price.keys_delta, plan.enough(price)) is not None:
        return None
    return find_implied(planner, plan.question, interval, lambda answer: answer.is_as_accurate(plan, price))


def _answers(planner: Planner, question: Question) -> Iterator[ImpliedAnswer]:
    if not (planner.has_stored(TABLES) or planner.has_stored(COUNTS)):
        return
    # imported late: most data sets have no such release
    from tacit.curator.implied_tables import answers_from_tables
    from tacit.curator.implied_workload import answers_from_workloads

    yield from answers_from_tables(planner, question)
    yield from answers_from_workloads(planner, question)
