"""Whether one person can add as much to a sum as its bounds say: what a least error of sums rests on.

A bound on the error of a sum is in the most that one person adds to it, and of sums by groups, to each of them. Where
`WHERE income < 50` cuts the values, or groups are made of them, nobody adds what the bounds of the column say. A
release that is made for what can be added is unbiased for all data, with less noise than such a bound has as the least.
For counts there is no such question: whoever counts at all counts as one.

Interval arithmetic reaches its bounds where each column is read once. So of a sum one of whose columns is read twice,
by the sum itself, a key, a condition or a join, no bound is known.
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp, parse_one

from tacit.query.plans.question import Question, parsed_selects


def reaches_its_bounds(question: Question, aggregate: str) -> bool:
    """Whether no column that an aggregate adds up is read again; of counts, always."""
    node = parse_one(aggregate, dialect="duckdb")
    added = [_names(call) for call in node.find_all(exp.Sum)]
    select = parsed_selects(question.sql)[0]
    others = [*select.find_all(exp.Where, exp.Join), *(parse_one(key.name, dialect="duckdb") for key in question.keys)]
    if added and select.find(exp.Subquery, exp.CTE):
        return False  # where its columns have other names
    conditions = [node.expression] if isinstance(node, exp.Filter) else []
    read = sum(map(_names, [*others, *conditions]), Counter[str]())
    return all(times == 1 and not read[name] for names in added for name, times in names.items())


def _names(node: exp.Expr) -> Counter[str]:
    """How often each column is read, by its name without its table."""
    return Counter(column.name.lower() for column in node.find_all(exp.Column))
