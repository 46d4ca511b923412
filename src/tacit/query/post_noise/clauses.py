"""HAVING, ORDER BY, LIMIT and OFFSET: their reading, and the sorting of groups.

Groups are sorted by public or already noisy values, with NULLs first or last as asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Keys
from tacit.query.post_noise.expression import Column, Expression, as_keys, whole_literal
from tacit.query.post_noise.expression_reader import condition, read, refusal
from tacit.query.post_noise.scope import PostNoiseScope


def read_having(having: exp.Expr | None, scope: PostNoiseScope) -> tuple[Expression, ...]:
    """The parts of HAVING, which must all hold; each is decided by the values of its own numbers."""
    if having is None:
        return ()
    parts = having.this.flatten() if isinstance(having.this, exp.And) else [having.this]
    return tuple(condition(part, scope) for part in parts)


def read_order(order: exp.Expr | None, items: list[Expression], scope: PostNoiseScope) -> tuple[Ordering, ...]:
    """The items of ORDER BY: expressions, names, positions in SELECT, or ALL of them."""
    return tuple(found for by in (order.expressions if order else ()) for found in _orderings(by, items, scope))


def _orderings(by: exp.Expr, items: list[Expression], scope: PostNoiseScope) -> list[Ordering]:
    node, descending, nulls_first = by.this, bool(by.args.get("desc")), bool(by.args.get("nulls_first"))
    if by.args.get("with_fill") is not None:
        raise refusal(by)
    if isinstance(node, exp.Var) and node.name.upper() == "ALL":
        return [Ordering(item, descending, nulls_first) for item in items]
    if not (isinstance(node, exp.Literal) and not node.is_string):
        return [Ordering(read(node, scope), descending, nulls_first)]
    place = whole_literal(node, "ORDER BY")
    if not 1 <= place <= len(items):
        raise Refused(f"ORDER BY {place}", f"SELECT has {len(items)} columns.", f"1 to {len(items)}, or a name.")
    return [Ordering(items[place - 1], descending, nulls_first)]


def read_rows(clause: exp.Expr | None, what: str) -> int | None:
    """The number of rows that LIMIT or OFFSET names."""
    if clause is None:
        return None
    more = any(value and key != "expression" for key, value in clause.args.items())
    if more or not isinstance(clause, exp.Limit | exp.Offset):
        raise Refused(clause.sql(dialect="duckdb").strip(), "Only a number of rows is supported.", f"{what} 10.")
    rows = whole_literal(clause.expression, what)
    if not rows >= 0:
        raise Refused(f"{what} {rows}", "It is negative.", f"{what} 10.")
    return rows


def refused_clause(clause: str) -> Refused:
    """Why a clause of SELECT is not supported."""
    if clause == "distinct":
        return Refused("SELECT DISTINCT", "Every group is one row already.", "GROUP BY, or COUNT(DISTINCT …).")
    if clause in ("qualify", "windows"):
        return Refused(clause.upper(), "Window functions are not supported.", "HAVING, ORDER BY and LIMIT.")
    name = clause.strip("_").replace("_", " ").upper()
    return Refused(
        f"the clause {name}", "It is not supported.", "SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT."
    )


@frozen
class Ordering:
    """One item of ORDER BY."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = False


def values(column: Column) -> list[Any]:
    """The column's values in a comparable form, None for NULL."""
    exact = as_keys(column)
    if isinstance(exact, Keys):
        return list(exact.values)
    return [None if np.isnan(value) else float(value) for value in exact.value]


def arranged(rows: Sequence[int], column: Sequence[Any], descending: bool, nulls_first: bool) -> list[int]:
    """The rows in the column's order; those that are equal in it keep their order."""
    nulls = [row for row in rows if column[row] is None]
    rest = sorted((row for row in rows if column[row] is not None), key=column.__getitem__, reverse=descending)
    return nulls + rest if nulls_first else rest + nulls


def by_keys(rows: NDArray[np.int64], keys: Sequence[Keys]) -> NDArray[np.int64]:
    """The rows sorted by the keys, beginning with the first key; NULLs are last."""
    if not keys:
        return rows
    return np.asarray(rows[np.lexsort([_ranks(key)[rows] for key in reversed(keys)])])


def _ranks(key: Keys) -> NDArray[np.int64]:
    """The rank of each value among the distinct ones."""
    different: list[Any] = list({value for value in key.values if value is not None})
    places: dict[Any, int] = {value: place for place, value in enumerate(sorted(different))}
    places[None] = len(places)
    return np.fromiter(map(places.__getitem__, key.values), np.int64, len(key))
