"""The search for an earlier release of other questions that answers a query."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.curator.implied_answer import ImpliedAnswer
from tacit.curator.implied_tables import answers_from_tables
from tacit.curator.planner import Planner
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question


def find_implied(
    planner: Planner, question: Question, interval: IntervalKind, plan: Plan | None = None, price: Price | None = None
) -> ImpliedAnswer | None:
    """The most accurate release that answers a question; with a price, one as accurate as that."""
    best: ImpliedAnswer | None = None
    for answer in _answers(planner, question):
        if not answer.serves(interval):
            continue
        if plan is not None and price is not None and not answer.is_as_accurate(plan, price):
            continue
        best = answer if best is None or answer.widest < best.widest else best
    return best


def _answers(planner: Planner, question: Question) -> Iterator[ImpliedAnswer]:
    from tacit.curator.implied_workload import answers_from_workloads  # few questions need the factorisation

    yield from answers_from_tables(planner, question)
    yield from answers_from_workloads(planner, question)
