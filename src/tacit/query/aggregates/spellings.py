"""Other spellings of aggregates: each is replaced by the aggregate that it means, before a query is read.

A column keeps the name that its own spelling gives it. What DuckDB has as an approximation is the same as the exact
one here: both are released with noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

_ONE: Mapping[str, Callable[..., exp.Expression]] = {
    "mean": exp.Avg,
    "favg": exp.Avg,
    "fsum": exp.Sum,
    "std": exp.Stddev,
    "var": exp.Variance,
    "approx_median": exp.Median,
    "every": exp.LogicalAnd,
}
_SHARES = ("approx_percentile", "percentile_approx")
_ELSEWHERE = ("histogram", "skewness", "entropy", "mad", "product", "bit_and", "bit_or", "bit_xor")
"""Aggregates of DuckDB that the parser takes for functions of a row."""


def respelled(select: exp.Select) -> exp.Select:
    """The query with each aggregate in the spelling that is read."""
    changed = select.copy()
    for place, item in enumerate(changed.expressions):
        is_named = isinstance(item, (exp.Alias, exp.Column, exp.Star))
        if not is_named and any(_meant(node) is not None or _is_list(node) for node in item.walk()):
            changed.expressions[place].replace(exp.alias_(item.copy(), _name(item), quoted=True))
    whole = changed.transform(lambda node: _meant(node) or node, copy=False)
    assert isinstance(whole, exp.Select)
    return whole


def _is_list(node: exp.Expr) -> bool:
    """Whether it is COUNT(DISTINCT a, b), which DuckDB writes with a CASE."""
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct) and len(node.this.expressions) > 1


def _name(item: exp.Expr) -> str:
    if _is_list(item):
        listed = ", ".join(each.sql("duckdb", comments=False) for each in item.this.expressions)
        return f"count(distinct {listed})".lower()
    return item.sql("duckdb", comments=False).lower()


def _meant(node: exp.Expr) -> exp.Expression | None:
    """The aggregate that a node spells in another way."""
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.CountIf):
        return _rows_where(node.this.this, node.expression.this)
    if isinstance(node, exp.Anonymous):
        return _by_name(node.name.lower(), node.expressions)
    reader = _NODES.get(type(node))
    return None if reader is None or not isinstance(node, exp.Expression) else reader(node)


def _by_name(name: str, given: Sequence[exp.Expression]) -> exp.Expression | None:
    one = _ONE.get(name) if len(given) == 1 else None
    if one is not None:
        return one(this=given[0])
    if name in _SHARES and len(given) == 2:
        return exp.Quantile(this=given[0], quantile=given[1])
    return exp.AnonymousAggFunc(this=name, expressions=list(given)) if name in _ELSEWHERE else None


def _rows_where(*conditions: exp.Expression) -> exp.Filter:
    """COUNT(*) FILTER (WHERE …)."""
    count = exp.Count(this=exp.Star(), big_int=True)
    return exp.Filter(this=count, expression=exp.Where(this=exp.and_(*conditions, copy=False)))


def _present(node: exp.Expression) -> exp.Expression:
    return exp.Is(this=exp.paren(node.copy()), expression=exp.Null()).not_()


def _mean_where(value: exp.Expression, other: exp.Expression) -> exp.Filter:
    """The mean over the rows where both are present."""
    return exp.Filter(this=exp.Avg(this=value), expression=exp.Where(this=_present(other)))


_NODES: Mapping[type[exp.Expr], Callable[[exp.Expression], exp.Expression]] = {
    exp.CountIf: lambda node: _rows_where(node.this),
    exp.ApproxDistinct: lambda node: exp.Count(this=exp.Distinct(expressions=[node.this]), big_int=True),
    exp.ApproxQuantile: lambda node: exp.Quantile(this=node.this, quantile=node.args["quantile"]),
    exp.RegrCount: lambda node: _rows_where(_present(node.this), _present(node.expression)),
    exp.RegrAvgy: lambda node: _mean_where(node.this, node.expression),
    exp.RegrAvgx: lambda node: _mean_where(node.expression, node.this),
}
