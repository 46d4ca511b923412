"""A query as counting questions: its groups and its aggregates, without what is above the noise.

SUM and COUNT of a CASE with one branch are those of the rows where its condition is true. AVG of 1 where a condition
holds, else 0, is a share: the number of these rows, over the number of all.
"""

from __future__ import annotations

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.plans.question import Question, calls_in, parsed_selects
from tacit.query.post_noise.scope import canonical
from tacit.query.sql.group_by import group_keys
from tacit.workload.implied_ways import cores

_BELOW = ("from_", "joins", "with_", "laterals", "where")
_ONE, _ZERO = exp.Literal.number(1), exp.Literal.number(0)


@frozen
class CountedQuery:
    """The SELECT of a query's keys and of what its aggregates are read from; `shares` are those read from two counts.

    The columns of aggregates are in the order of the question's, and of a share both, one after the other.
    """

    sql: str
    shares: frozenset[str]


def counted_query(question: Question) -> CountedQuery | None:
    """A query as counting questions; None where it counts nothing, or has a key twice."""
    select = parsed_selects(question.sql)[0]
    calls = calls_in(select)
    nodes = group_keys(select)
    if not calls or len({canonical(node) for node in nodes}) < len(nodes):
        return None
    keys = [node.copy().as_(f"k{place}") for place, node in enumerate(nodes)]
    counted = {name: _counted(calls[name]) for name in question.aggregates}
    listed = [call.as_(f"a{place}") for place, call in enumerate(call for each in counted.values() for call in each)]
    asked = exp.Select(expressions=[*keys, *listed])
    for name in _BELOW:
        asked.set(name, select.args.get(name))
    if keys:
        asked.set("group", exp.Group(expressions=[exp.Literal.number(place + 1) for place in range(len(keys))]))
    return CountedQuery(asked.sql("duckdb"), frozenset(name for name, each in counted.items() if len(each) > 1))


def _counted(call: exp.Expr) -> tuple[exp.Expr, ...]:
    """An aggregate without CASE; of a share, the rows that fulfil its condition, and all."""
    *_, (core, tests) = cores(call)
    case = core.this
    if isinstance(core, exp.Avg) and isinstance(case, exp.Case) and not case.this and len(case.args["ifs"]) == 1:
        (branch,) = case.args["ifs"]
        if branch.args["true"] == _ONE and case.args.get("default") == _ZERO:
            rows = exp.Count(this=exp.Star())
            return _filtered(rows, (*tests, branch.this)), _filtered(rows, tests)
    return (_filtered(core, tests),)


def _filtered(core: exp.Expr, tests: tuple[exp.Expr, ...]) -> exp.Expr:
    if not tests:
        return core.copy()
    return exp.Filter(this=core.copy(), expression=exp.Where(this=exp.and_(*(test.copy() for test in tests))))
