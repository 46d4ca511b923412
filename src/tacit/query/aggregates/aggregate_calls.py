"""The reader of aggregate calls: a call in SQL becomes the parts that are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, ColumnSum, Distinct, Measure
from tacit.query.aggregates.aggregate_refusals import ACCEPTED, refused_aggregate
from tacit.query.aggregates.comoments import NEEDED, Comoment, Statistic
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.aggregates.quantile import Quantile
from tacit.query.aggregates.quantile_calls import quantile_call, since_1970
from tacit.query.aggregates.rank_grid import ranks_of
from tacit.query.aggregates.variance import Variance
from tacit.query.sql.clamp import ONE, Cut, one_where
from tacit.query.sql.expressions.rule_registry import type_expression, type_predicate, unbounded_reason
from tacit.query.sql.fixed_point import Steps, in_steps
from tacit.query.sql.rows import Rows
from tacit.query.sql.values.domains import MOST_PIECES, told_apart
from tacit.schema.kind import Kind

CALLS = (exp.AggFunc, exp.WithinGroup, exp.Filter)
_COMOMENTS: Mapping[type[exp.Expr], Statistic] = {
    exp.CovarPop: Statistic.COVARIANCE,
    exp.CovarSamp: Statistic.SAMPLE_COVARIANCE,
    exp.RegrSlope: Statistic.SLOPE,
    exp.RegrIntercept: Statistic.INTERCEPT,
    exp.Corr: Statistic.CORRELATION,
    exp.RegrR2: Statistic.DETERMINATION,
}
VAST = 2**40  # the span of values without declared bounds: it only keeps integers from overflowing
_EXACT = 2**42  # squares up to here are added up as they are
_SQUARES = 2**36  # the largest of other squares, in steps: several people with many rows fit the bins of amounts


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
        if node.args.get("expressions") and not isinstance(node, exp.AnonymousAggFunc):
            raise Refused(node.sql("duckdb"), "It has more arguments than it counts.", ACCEPTED)
        if isinstance(node, exp.Count):
            return self._count(node, keep)
        if isinstance(node, exp.Sum) and not isinstance(node.this, exp.Distinct):
            return Total(self._sum(node, node.this, keep, 0))
        if isinstance(node, exp.Avg) and not isinstance(node.this, exp.Distinct):
            return self._mean(node, keep)
        if isinstance(node, (exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevPop, exp.StddevSamp)):
            return self._variance(node, keep)
        if type(node) in _COMOMENTS:
            return self._comoment(node, keep)
        share = quantile_call(node)
        if share is not None:
            return self._quantile(node, keep, *share)
        raise refused_aggregate(node)

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

        Each is written as a text, and the digests of texts, which are equally long, are joined; "-", which is in none,
        stands for NULL.
        """
        is_tuple = isinstance(values[0], exp.Tuple)
        listed = values[0].expressions if is_tuple and len(values) == 1 else values
        if not len(listed) <= MOST_PIECES:
            why = f"More than {MOST_PIECES} values side by side are not counted."
            raise Refused("COUNT(DISTINCT …) of many values", why, f"at most {MOST_PIECES}.")
        texts = [type_expression(exp.TryCast(this=each, to=exp.DataType.build("TEXT")), self.rows) for each in listed]
        digests = [f"coalesce(md5({text.sql}), '-')" if is_tuple else f"md5({text.sql})" for text in texts]
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

    def _comoment(self, node: exp.Expression, keep: str) -> Aggregate:
        """The sums over rows where both columns are present; SQL names the dependent one, y, first."""
        statistic = _COMOMENTS[type(node)]
        nodes = (node.expression, node.this)
        typed = [type_expression(each, self.rows) for each in nodes]
        present = [f"{each.sql} IS NOT NULL" for each in typed if each.nullable]
        kept = " AND ".join(f"({test})" for test in (*present, *([keep] if keep != "TRUE" else ())))
        both = kept or "TRUE"
        steps = [self._numbers(node, each) for each in nodes]
        centres = [self._centre(each, found) for each, found in zip(nodes, steps, strict=True)]
        values = [_kept(each.cut(at).minus(at), both) for each, at in zip(steps, centres, strict=True)]
        along, above = values

        def products(one: Cut, other: Cut, step: Fraction) -> Measure:
            most = one.size * other.size
            coarse = 1 if most <= _EXACT else ceil(Fraction(most, _SQUARES))
            return Measure(one.multiplied(other, coarse), step * coarse)

        sums = (
            products(along, above, steps[0].step * steps[1].step),
            *(Measure(value, each.step) for value, each in zip(values, steps, strict=True)),
            _rows(both, "TRUE"),
            *(products(value, value, each.step**2) for value, each in zip(values, steps, strict=True)),
        )
        middles = [at * each.step for at, each in zip(centres, steps, strict=True)]
        spans = [(each.high - each.low) * each.step for each in steps]
        return Comoment(statistic, sums[: NEEDED[statistic]], (middles[0], middles[1]), (spans[0], spans[1]))

    def _quantile(
        self, node: exp.Expression, keep: str, inside: exp.Expression, share: Fraction, words: str
    ) -> Aggregate:
        kind = type_expression(inside, self.rows).kind
        if kind.is_time:
            inside = since_1970(inside, kind)
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
