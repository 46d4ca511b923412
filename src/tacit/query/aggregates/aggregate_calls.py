"""The reader of aggregate calls: a call in SQL becomes the parts that are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

from sqlglot import exp, parse_one

from tacit.errors import Refused
from tacit.exact import proper
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, ColumnSum, Distinct, Measure
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.aggregates.quantile import Quantile
from tacit.query.aggregates.rank_grid import ranks_of
from tacit.query.aggregates.variance import Variance
from tacit.query.sql.clamp import ONE, Cut, one_where
from tacit.query.sql.expressions.rule_registry import type_expression, type_predicate, unbounded_reason
from tacit.query.sql.fixed_point import Steps, in_steps
from tacit.query.sql.rows import Rows
from tacit.query.sql.values.domains import MOST_PIECES, told_apart
from tacit.schema.kind import Kind

CALLS = (exp.AggFunc, exp.WithinGroup, exp.Filter)
_ACCEPTED = (
    "COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM(x), AVG(x), VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, CORR(y, x), "
    "COVAR_POP, COVAR_SAMP, REGR_SLOPE, REGR_INTERCEPT, REGR_R2, MEDIAN(x), QUANTILE_CONT(x, share), "
    "PERCENTILE_CONT(share) WITHIN GROUP (ORDER BY x), MIN(x), MAX(x), each with FILTER (WHERE …) if wanted."
)
_FREQUENT = "SELECT x, COUNT(*) … GROUP BY x ORDER BY 2 DESC: each value, with its number and interval."
_CURES: tuple[tuple[tuple[type[exp.Expr], ...], str, str], ...] = (
    ((exp.LogicalOr,), "One row alone decides it, so that no noisy answer is right.", "COUNT(*) FILTER (WHERE p)."),
    (
        (exp.LogicalAnd,),
        "One row alone decides it, so that no noisy answer is right.",
        "COUNT(*) FILTER (WHERE NOT p).",
    ),
    ((exp.Mode,), "It would not say how near the next value is.", _FREQUENT),
    (
        (exp.ArrayAgg, exp.GroupConcat, exp.AnyValue, exp.First, exp.Last),
        "It would show people's own values.",
        "a number of them, such as COUNT(DISTINCT x).",
    ),
    (
        (exp.ArgMax, exp.ArgMin),
        "It would show one person's own row.",
        "GROUP BY ranges of the one, with AVG of the other.",
    ),
)
VAST = 2**40  # the span of values without declared bounds: it only keeps integers from overflowing
_EXACT = 2**42  # squares up to here are added up as they are
_SQUARES = 2**36  # the largest of other squares, in steps: several people with many rows fit the bins of amounts
_EXTREME = Fraction(1, 200)


@frozen
class AggregateReader:
    """Reads the aggregates of one query; `summed` are the arguments whose plain sums the query also asks for."""

    rows: Rows
    summed: frozenset[str]
    is_middle: bool  # whether values are counted from the middle of their bounds
    centres: Mapping[tuple[str, str], int]  # estimated centres of the values of table columns, in steps

    def read(self, node: exp.Expression) -> Aggregate:
        """The aggregate for a call."""
        keep = "TRUE"
        if isinstance(node, exp.Filter):
            keep, node = type_predicate(node.expression.this, self.rows).sql, node.this
        if node.args.get("expressions"):
            raise Refused(node.sql("duckdb"), "It has more arguments than it counts.", _ACCEPTED)
        if isinstance(node, exp.Count):
            return self._count(node, keep)
        if isinstance(node, exp.Sum) and not isinstance(node.this, exp.Distinct):
            return Total(self._sum(node, node.this, keep, 0))
        if isinstance(node, exp.Avg) and not isinstance(node.this, exp.Distinct):
            return self._mean(node, keep)
        if isinstance(node, (exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevPop, exp.StddevSamp)):
            return self._variance(node, keep)
        share = _share(node)
        if share is not None:
            return self._quantile(node, keep, *share)
        raise _refusal(node)

    def _count(self, node: exp.Count, keep: str) -> Aggregate:
        inside = node.this
        if isinstance(inside, exp.Star) or (isinstance(inside, exp.Literal) and not inside.is_string):
            return Total(_rows("TRUE", keep))
        if not isinstance(inside, exp.Distinct):
            return Total(self._present(inside, keep))
        value = inside.expressions[0]
        if len(inside.expressions) != 1 or isinstance(value, exp.Tuple):
            return Total(Distinct(self._together(inside.expressions, keep)), "different rows of values")
        if isinstance(value, exp.Column) and self.rows.is_identifier(value.name, value.table or None):
            one, of = (ONE, ColumnSum()) if keep == "TRUE" else (one_where(keep), None)
            return Total(Measure(one, Fraction(1), once=True, subject="keys", of=of))
        counted = told_apart(type_expression(value, self.rows))
        sql = counted if keep == "TRUE" else f"CASE WHEN {keep} THEN {counted} END"
        return Total(Distinct(sql), "different values, of those that count")

    def _together(self, values: Sequence[exp.Expression], keep: str) -> str:
        """SQL that differs where several values do; as in SQL, a list with a NULL is not counted, and a tuple is.

        Each is written as a text, and the digests of texts, which are equally long, are joined.
        """
        is_tuple = isinstance(values[0], exp.Tuple)
        listed = values[0].expressions if is_tuple and len(values) == 1 else values
        if not len(listed) <= MOST_PIECES:
            why = f"More than {MOST_PIECES} values side by side are not counted."
            raise Refused("COUNT(DISTINCT …) of many values", why, f"at most {MOST_PIECES}.")
        texts = [type_expression(exp.TryCast(this=each, to=exp.DataType.build("TEXT")), self.rows) for each in listed]
        digests = [f"coalesce(md5({text.sql}), '')" if is_tuple else f"md5({text.sql})" for text in texts]
        together = f"({' || '.join(digests)})"
        return together if keep == "TRUE" else f"CASE WHEN {keep} THEN {together} END"

    def _present(self, inside: exp.Expression, keep: str) -> Measure:
        typed = type_expression(inside, self.rows)
        if not typed.nullable:
            return _rows("TRUE", keep)
        return replace(_rows(f"{typed.sql} IS NOT NULL", keep), of=_of_column(inside, keep, None))

    def _steps(self, node: exp.Expression, inside: exp.Expression) -> Steps:
        typed = type_expression(inside, self.rows)
        unbounded = unbounded_reason(inside, self.rows) if typed.low is None or typed.high is None else None
        if unbounded is not None:
            raise Refused(node.sql("duckdb"), unbounded.why, unbounded.cure)
        return in_steps(typed, node.sql("duckdb"))

    def _sum(self, node: exp.Expression, inside: exp.Expression, keep: str, centre: int) -> Measure:
        steps, subject = self._numbers(node, inside), None
        if isinstance(inside, exp.Column):
            subject = f"{'away' if centre else 'total'} {inside.name.lower()}"
        value = _kept(steps.cut(centre).minus(centre), keep)
        return Measure(value, steps.step, subject=subject, of=_of_column(inside, keep, centre))

    def _numbers(self, node: exp.Expression, inside: exp.Expression) -> Steps:
        if not type_expression(inside, self.rows).kind.is_number:
            raise Refused(node.sql("duckdb"), "It is not a number.", "a number; or MEDIAN, MIN or MAX of a date.")
        return self._steps(node, inside)

    def _centre(self, inside: exp.Expression, steps: Steps) -> int:
        if inside.sql("duckdb") in self.summed:
            return 0
        if self.is_middle and steps.high - steps.low < VAST:
            return (steps.low + steps.high) // 2
        if isinstance(inside, exp.Column) and len(self.rows.tables) == 1:
            seen = self.centres.get((min(self.rows.tables), inside.name.lower()), 0)
            return min(max(seen, steps.low), steps.high)
        return min(max(0, steps.low), steps.high)

    def _mean(self, node: exp.Avg, keep: str) -> Aggregate:
        steps = self._numbers(node, node.this)
        centre = self._centre(node.this, steps)
        total = self._sum(node, node.this, keep, centre)
        return Mean(total, self._present(node.this, keep), centre, steps.low, steps.high)

    def _variance(self, node: exp.Expression, keep: str) -> Aggregate:
        steps = self._numbers(node, node.this)
        centre = self._centre(node.this, steps)
        total = self._sum(node, node.this, keep, centre)
        coarse = 1 if total.size**2 <= _EXACT else ceil(total.size**2 / _SQUARES)
        squared = _kept(steps.cut(centre).minus(centre).squared(coarse), keep)
        squares = Measure(squared, steps.step**2 * coarse)
        is_sample = not isinstance(node, (exp.VariancePop, exp.StddevPop))
        is_root = isinstance(node, (exp.Stddev, exp.StddevPop, exp.StddevSamp))
        rows = self._present(node.this, keep)
        return Variance(squares, total, rows, centre, steps.low, steps.high, is_sample, is_root)

    def _quantile(
        self, node: exp.Expression, keep: str, inside: exp.Expression, share: Fraction, words: str
    ) -> Aggregate:
        kind = type_expression(inside, self.rows).kind
        if kind.is_time:
            inside = _since_1970(inside, kind)
        steps = self._steps(node, inside)
        sql = steps.sql if keep == "TRUE" else f"CASE WHEN {keep} THEN {steps.sql} END"
        of = _of_column(inside, keep, None)
        column = None if of is None else of.column
        return Quantile(ranks_of(sql, steps, column), share, words, kind if kind.is_time else Kind.FLOAT)


def _rows(condition: str, keep: str) -> Measure:
    tests = [test for test in (condition, keep) if test != "TRUE"]
    one = one_where(" AND ".join(f"({test})" for test in tests)) if tests else ONE
    return Measure(one, Fraction(1), subject="rows", of=None if tests else ColumnSum())


def _of_column(inside: exp.Expression, keep: str, centre: int | None) -> ColumnSum | None:
    return ColumnSum(inside.name.lower(), centre) if isinstance(inside, exp.Column) and keep == "TRUE" else None


def _kept(value: Cut, keep: str) -> Cut:
    return value if keep == "TRUE" else value.where(keep)


def _refusal(node: exp.Expression) -> Refused:
    inner = node.this if isinstance(node, (exp.WithinGroup, exp.IgnoreNulls)) else node
    for nodes, why, cure in _CURES:
        if isinstance(inner, nodes):
            return Refused(node.sql("duckdb"), why, cure)
    if isinstance(inner, exp.AnonymousAggFunc) and inner.name.lower() == "histogram":
        return Refused(node.sql("duckdb"), "A cell has one number.", _FREQUENT)
    return Refused(node.sql("duckdb"), "There is no private form of it here.", _ACCEPTED)


def without_scale(call: str) -> Refused:
    """The refusal of a quantile, by its SQL, whose values have no bounds that would tell them apart."""
    node = parse_one(call, dialect="duckdb")
    found = _share(node.this if isinstance(node, exp.Filter) else node)
    inside = "x" if found is None else found[0].sql("duckdb")
    cure = f"LEAST(GREATEST({inside}, 0), 1000) in its place; min and max declared for its columns; or `tacit profile`."
    return Refused(call, "Its values have no bounds, so that the answer could be anywhere.", cure)


def _since_1970(time: exp.Expression, kind: Kind) -> exp.Expression:
    """A time as a number: days, or whole seconds, since the start of 1970."""
    start = exp.cast(exp.Literal.string("1970-01-01"), kind.traits.cast)
    unit = "second" if kind.has_clock else "day"
    return exp.DateDiff(this=time.copy(), expression=start, unit=exp.var(unit))


def _share(node: exp.Expression) -> tuple[exp.Expression, Fraction, str] | None:
    """The argument of a quantile, its share, and its description; None if the call is not a quantile."""
    if isinstance(node, exp.Median):
        return node.this, Fraction(1, 2), ""
    if isinstance(node, exp.Min):
        return node.this, _EXTREME, f"{node.sql('duckdb')} stands for the value that 0.5% of the rows lie below"
    if isinstance(node, exp.Max):
        return node.this, 1 - _EXTREME, f"{node.sql('duckdb')} stands for the value that 99.5% of the rows lie below"
    if isinstance(node, (exp.PercentileCont, exp.PercentileDisc)) and node.args.get("expression"):
        return node.this, _level(node, node.expression), ""
    if isinstance(node, exp.Quantile):
        return node.this, _level(node, node.args["quantile"]), ""
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, (exp.PercentileCont, exp.PercentileDisc)):
        ordered = node.expression.expressions
        if len(ordered) == 1:
            level = _level(node, node.this.this)
            return ordered[0].this, 1 - level if ordered[0].args.get("desc") else level, ""
    return None


def _level(node: exp.Expression, literal: exp.Expression) -> Fraction:
    if isinstance(literal, exp.Array):
        raise Refused(node.sql("duckdb"), "A cell has one number.", "one call for each share, side by side.")
    if not isinstance(literal, exp.Literal) or literal.is_string:
        raise Refused(node.sql("duckdb"), "Its share is no number.", "a share between 0 and 1, such as 0.9.")
    return proper(literal.name, "share")
