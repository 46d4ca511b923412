"""Ranges of numbers in the branches of a CASE, from its tests: CASE WHEN x < 0 … WHEN x <= 9 THEN x."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from sqlglot import exp

from tacit.query.engines.expression_walk import Walk
from tacit.query.sql.dialects.sql_type import TINIEST, Reach

_UPPER, _LOWER = (exp.LT, exp.LTE), (exp.GT, exp.GTE)


@dataclass
class ValueRanges:
    """The least and the greatest value of expressions, by their text."""

    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)

    def copy(self) -> ValueRanges:
        return ValueRanges(dict(self.low), dict(self.high))

    def reaches(self) -> Mapping[str, Reach]:
        """The reach of every expression that is bounded on both sides."""
        return {
            text: Reach(TINIEST, max(abs(low), abs(self.high[text])))
            for text, low in self.low.items()
            if text in self.high
        }


def branch_facts(branches: Sequence[exp.Expression], walk: Walk) -> Iterator[Mapping[str, Reach]]:
    """The facts that hold in each branch of a CASE, and then in its ELSE.

    A branch has its own test, and the failure of each before it. A test fails for NULL too, which a reach does not
    include, and x > 9 does not fail for NaN, which is above all numbers.
    """
    known = ValueRanges()
    for branch in branches:
        own = known.copy()
        for test in _conjuncts(branch.this):
            _note(test, own, walk, is_true=True)
        yield own.reaches()
        _note(branch.this, known, walk, is_true=False)
    yield known.reaches()


def as_choice(node: exp.Expression, walk: Walk) -> exp.Expression | None:
    """least(greatest(coalesce(x, n), a), b), where CASE cuts an integer x to [a, b] and NULL to n, which is in there.

    CASE is fastest in DuckDB. Other planners substitute x, a column of a sub-query, for each use of its name, and would
    compute it three times per row.
    """
    first, *others = node.args["ifs"]
    test, default = first.this, node.args.get("default")
    if not isinstance(test, exp.Between) or default is None or first.args["true"] != test.this:
        return None
    x, low, high = test.this, test.args["low"], test.args["high"]
    ends = {branch: branch.args["true"] for branch in others}
    above = any(exp.GT(this=x, expression=high) == branch.this and end == high for branch, end in ends.items())
    below = any(exp.LT(this=x, expression=low) == branch.this and end == low for branch, end in ends.items())
    is_cut = len(others) == above + below and (above or default == high) and (below or default == low)
    least, most, neutral = (walk(end).constant for end in (low, high, default))
    if not (is_cut and isinstance(least, int) and isinstance(most, int) and isinstance(neutral, int)):
        return None
    if not (walk(x).type.is_integer and least <= neutral <= most):
        return None
    inner = exp.Greatest(this=exp.Coalesce(this=x.copy(), expressions=[default.copy()]), expressions=[low.copy()])
    return exp.Least(this=inner, expressions=[high.copy()])


def _conjuncts(node: exp.Expression) -> Iterator[exp.Expression]:
    if isinstance(node, exp.And):
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    elif isinstance(node, exp.Between):
        yield exp.GTE(this=node.this, expression=node.args["low"])
        yield exp.LTE(this=node.this, expression=node.args["high"])
    elif isinstance(node, exp.Paren):
        yield from _conjuncts(node.this)
    else:
        yield node


def _note(test: exp.Expression, ends: ValueRanges, walk: Walk, is_true: bool) -> None:
    if not isinstance(test, (*_UPPER, *_LOWER)):
        return
    bound = walk(test.expression).constant
    if isinstance(bound, (int, float, Decimal)) and not isinstance(bound, bool):
        is_upper = isinstance(test, _UPPER) == is_true
        (ends.high if is_upper else ends.low)[walk(test.this).sql] = float(bound)
