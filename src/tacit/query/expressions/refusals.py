"""Refusals of whole nodes: what is not supported, why, and what is."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.expressions.rule import Family
from tacit.query.expressions.shown import near, refuse

_NOT_REPEATABLE = "Its value changes from run to run, so a release could not be repeated."
_REGEX = "Regular expressions can take time that depends on the data."
_LIKE = "LIKE, ILIKE, STARTS_WITH, ENDS_WITH or CONTAINS with a literal."
_REASONS: tuple[tuple[tuple[type, ...], str, str], ...] = (
    ((exp.Rand, exp.Uuid), _NOT_REPEATABLE, "an expression of columns and literals."),
    (
        (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime),
        _NOT_REPEATABLE,
        "the date itself, such as DATE '2024-01-31'.",
    ),
    ((exp.RegexpLike, exp.RegexpILike, exp.SimilarTo, exp.Glob, exp.RegexpExtract, exp.RegexpReplace), _REGEX, _LIKE),
    ((exp.Window,), "Window functions look at other rows.", "an expression of one row, or GROUP BY."),
    ((exp.Placeholder, exp.Parameter), "There are no parameters here.", "the value itself."),
    ((exp.AggFunc,), "An aggregate stands where one row's value is wanted.", "an expression of columns of one row."),
    (
        (exp.Subquery, exp.Select, exp.Exists, exp.All, exp.Any),
        "A query inside an expression looks at other rows.",
        "a join with a public table, or a sub-query in FROM.",
    ),
    ((exp.Star,), "A star is not a value.", "the name of a column."),
    ((exp.Collate,), "Texts are compared letter by letter, without collation.", "LOWER(x) = 'text'."),
    ((exp.AtTimeZone,), "Times here have no zone; what is stored with one is read in UTC.", "the time without a zone."),
    ((exp.Interval,), "An interval is not a value here.", "day + INTERVAL 1 DAY, or date_diff('day', a, b)."),
    ((exp.Array, exp.Struct, exp.Bracket, exp.Lambda), "Lists and structs are not values here.", "plain columns."),
    ((exp.Tuple,), "A tuple is not a value here.", "a = 1 AND b = 2."),
)
_CHANGING = {"now", "today", "get_current_timestamp", "transaction_timestamp", "nextval", "current_localtimestamp"}


def refusal(node: exp.Expression, families: Sequence[Family]) -> Refused:
    """Why this node has no rule, and what has one."""
    for nodes, why, accepted in _REASONS:
        if isinstance(node, nodes):
            return refuse(node, why, accepted)
    if isinstance(node, exp.Func):
        name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
        if name.lower() in _CHANGING:
            return refuse(node, _NOT_REPEATABLE, "the date itself, such as DATE '2024-01-31'.")
        words = [word for family in families for word in family.words if word.isidentifier()]
        return refuse(
            node, f"The function {name.upper()} is not supported.", f"for instance {near(name.upper(), words)}."
        )
    operators = ", ".join(word for family in families for word in family.words if not word.isidentifier())
    return refuse(
        node, f"{type(node).__name__} is not supported in an expression.", f"columns, functions, {operators}."
    )
