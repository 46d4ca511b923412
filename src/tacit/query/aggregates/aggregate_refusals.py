"""Aggregates without a private form: why, and what would be answered instead."""

from __future__ import annotations

import re
from difflib import get_close_matches

from sqlglot import exp

from tacit.errors import Refused

ACCEPTED = (
    "COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM(x), AVG(x), VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, CORR(y, x), "
    "COVAR_POP, COVAR_SAMP, REGR_SLOPE, REGR_INTERCEPT, REGR_R2, MEDIAN(x), QUANTILE_CONT(x, share), "
    "PERCENTILE_CONT(share) WITHIN GROUP (ORDER BY x), MIN(x), MAX(x), each with FILTER (WHERE …) if wanted."
)
_NAMES = list(dict.fromkeys(re.findall(r"\b[A-Z][A-Z0-9_]*(?=[(,])", ACCEPTED)))
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


def refused_aggregate(node: exp.Expression) -> Refused:
    """The refusal of an aggregate."""
    inner = node.this if isinstance(node, (exp.WithinGroup, exp.IgnoreNulls)) else node
    for nodes, why, cure in _CURES:
        if isinstance(inner, nodes):
            return Refused(node.sql("duckdb"), why, cure)
    if isinstance(inner, exp.AnonymousAggFunc) and inner.name.lower() == "histogram":
        return Refused(node.sql("duckdb"), "A cell has one number.", _FREQUENT)
    return Refused(node.sql("duckdb"), "There is no private form of it here.", ACCEPTED)


def without_aggregate(select: exp.Select) -> Refused:
    """The refusal of a query of plain rows; a function that nobody knows may be a misspelt aggregate."""
    unknown = next((node.name for item in select.expressions for node in item.find_all(exp.Anonymous)), "")
    near = get_close_matches(unknown.upper(), _NAMES, n=3)
    if near:
        return Refused(f"{unknown}(…)", "There is no such function.", f"{', '.join(near)}.")
    return Refused(
        "a query without an aggregate",
        "It would show people's own rows.",
        "COUNT(*), SUM(x), AVG(x) … with GROUP BY if wanted; or private keys alone, to learn which there are.",
    )
