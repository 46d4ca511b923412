"""A query as counting questions: its groups and its aggregates, without what is above the noise."""

from __future__ import annotations

from sqlglot import exp

from tacit.query.plans.question import Question, calls_in, parsed_selects
from tacit.query.post_noise.scope import canonical
from tacit.query.sql.from_clause import group_keys

_BELOW = ("from_", "joins", "with_", "laterals", "where")


def counted_query(question: Question) -> str | None:
    """The SELECT of a query's keys and aggregates, in their order; None where it counts nothing, or has a key twice."""
    select = parsed_selects(question.sql)[0]
    calls = calls_in(select)
    if not calls:
        return None
    nodes = group_keys(select)
    if len({canonical(node) for node in nodes}) < len(nodes):
        return None
    keys = [node.copy().as_(f"k{place}") for place, node in enumerate(nodes)]
    counts = [calls[name].copy().as_(f"a{place}") for place, name in enumerate(question.aggregates)]
    counted = exp.Select(expressions=[*keys, *counts])
    for name in _BELOW:
        counted.set(name, select.args.get(name))
    if keys:
        counted.set("group", exp.Group(expressions=[exp.Literal.number(place + 1) for place in range(len(keys))]))
    return str(counted.sql("duckdb"))
