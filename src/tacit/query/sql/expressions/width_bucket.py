"""WIDTH_BUCKET(x, low, high, n): the number of the bucket, of n equal ones, that x lies in; 0 is below, n + 1 above."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.arithmetic import numbers
from tacit.query.sql.expressions.rule import Family, SqlFunction, Typer, part
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import (
    as_float,
    as_type,
    constant_number,
    double_sql,
    integer_sql,
    integer_type,
    is_null,
    null_of,
    rescaled,
    stored,
)
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_MOST_BUCKETS = 10_000
_ACCEPTED = f"WIDTH_BUCKET(x, low, high, n) with literals low < high and 1 ≤ n ≤ {_MOST_BUCKETS}."


def _width_bucket(node: exp.Expression, typer: Typer) -> Typed:
    names = ("this", "min_value", "max_value", "num_buckets")
    if any(node.args.get(name) is None for name in names):
        raise refuse(node, "It takes four arguments.", _ACCEPTED)
    value, low, high, count = numbers(node, *(typer(part(node, name)) for name in names))
    first, last, buckets = (constant_number(fixed) for fixed in (low, high, count))
    if first is None or last is None or buckets is None:
        raise refuse(node, "Its limits and number must be literals.", _ACCEPTED)
    if not (buckets.denominator == 1 and 1 <= buckets <= _MOST_BUCKETS):
        raise refuse(node, "The number of buckets is out of range.", _ACCEPTED)
    is_float = Kind.FLOAT in (value.kind, low.kind, high.kind)
    if is_float:
        value, first, last = as_float(value), Fraction(float(first)), Fraction(float(last))
    if not float((last - first) / buckets) > 1e-300:
        raise refuse(node, "The lower limit is not below the upper one.", _ACCEPTED)
    if is_null(value):
        return null_of(Kind.INTEGER)
    if is_float:
        sql = _in_doubles(value, first, last, int(buckets))
    else:
        sql = _in_integers(node, value, low, high, int(buckets))
    return Typed(Kind.INTEGER, sql, *_ends(value, first, last, int(buckets)), nullable=value.nullable)


def _ends(value: Typed, low: Fraction, high: Fraction, buckets: int) -> tuple[Fraction, Fraction]:
    """The bounds: without the buckets below or above where the operand's bounds exclude them."""
    first = 1 if value.low is not None and value.low >= low else 0
    last = buckets if value.high is not None and value.high < high else buckets + 1
    return Fraction(min(first, last)), Fraction(last)


def _in_integers(node: exp.Expression, value: Typed, low: Typed, high: Typed, buckets: int) -> str:
    """Exactly: (x − low)·n // (high − low) + 1, where x is at least low."""
    scale = max(value.scale, low.scale, high.scale)
    fine, start, end = (rescaled(item, scale, node) for item in (value, low, high))
    assert start.low is not None
    assert end.low is not None
    first, last = int(start.low * 10**scale), int(end.low * 10**scale)
    largest = Fraction(max(abs(first), abs(last), last - first) * buckets)
    reach = stored(fine)
    assert reach.low is not None
    assert reach.high is not None
    kept = Interval(min(-largest, reach.low), max(largest, reach.high))
    target = integer_type(kept)
    if target is None:
        raise refuse(node, "Its limits are too large to calculate with exactly.", _ACCEPTED)
    x = as_type(fine, target)
    inside = f"({x} - {integer_sql(first, target)}) * {buckets} // {integer_sql(last - first, target)}"
    return (
        f"(CASE WHEN {x} < {integer_sql(first, target)} THEN {integer_sql(0)} WHEN {x} < {integer_sql(last, target)} "
        f"THEN CAST({inside} AS BIGINT) + 1 WHEN {x} IS NOT NULL THEN {integer_sql(buckets + 1)} END)"
    )


def _in_doubles(value: Typed, low: Fraction, high: Fraction, buckets: int) -> str:
    """In doubles, kept within 1 … n against rounding."""
    x, width = value.sql, (high - low) / buckets
    place = f"CAST(floor(({x} - {double_sql(low)}) / {double_sql(width)}) AS BIGINT) + 1"
    inside = f"least(greatest({place}, {integer_sql(1)}), {integer_sql(buckets)})"
    return (
        f"(CASE WHEN {x} < {double_sql(low)} THEN {integer_sql(0)} WHEN {x} < {double_sql(high)} THEN {inside} "
        f"WHEN {x} IS NOT NULL THEN {integer_sql(buckets + 1)} END)"
    )


BUCKETS = Family.of("histograms", SqlFunction(("WIDTH_BUCKET",), _width_bucket, (exp.WidthBucket,)))
