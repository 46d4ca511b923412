"""The part of a query above the noise, checked: it renders a stored release, free and repeatable.

It also names the answer's columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.post_noise.clauses import (
    Ordering,
    arranged,
    by_keys,
    read_having,
    read_order,
    read_rows,
    refused_clause,
    values,
)
from tacit.query.post_noise.estimates import Estimates, Groups, Keys, OutputColumn, Rendered
from tacit.query.post_noise.expression import Column, Expression, as_keys, as_truth, evaluate
from tacit.query.post_noise.expression_reader import read
from tacit.query.post_noise.scope import PostNoiseScope, depth, plain
from tacit.schema.kind import Kind

_DEEPEST: Final = 120
_BELOW: Final = frozenset({"with_", "from_", "joins", "laterals", "where", "group"})  # read by the planner
_ABOVE: Final = frozenset({"expressions", "having", "order", "limit", "offset"})


@frozen
class Item:
    """A SELECT item and the name of its column."""

    name: str
    expression: Expression


@frozen
class PostProcessing:
    """SELECT items, HAVING (all of its parts), ORDER BY, LIMIT and OFFSET, without data.

    Nothing here is part of a request's identity: it reads noisy numbers and public keys only (R25).
    """

    items: tuple[Item, ...]
    having: tuple[Expression, ...] = ()
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def chooses_by_noise(self) -> bool:
        """Whether noisy numbers decide which groups are shown.

        Their intervals then hold for each fixed group, and with less confidence for groups chosen by their noisy
        numbers.
        """
        cut = self.limit is not None or self.offset > 0
        return any(part.aggregates for part in self.having) or (
            cut and any(by.expression.aggregates for by in self.order)
        )

    @property
    def is_outer(self) -> bool:
        return False

    def render(self, groups: Groups, confidence: Fraction, bounded: Groups | None = None) -> Rendered:
        """The answer's columns, each number with an interval at this confidence.

        Groups that tie, or that no ORDER BY sorts, follow their keys (R24). `bounded` are the same groups with
        intervals of the noise alone: they are shown beside, for the rows that `groups` select.
        """
        rows = self._rows(groups, confidence)
        columns = []
        for item in self.items:
            exact = not item.expression.aggregates
            shown = _output(evaluate(item.expression, groups, confidence), exact=exact)
            beside = None if bounded is None or exact else evaluate(item.expression, bounded, confidence)
            noise = None if beside is None else _output(beside, exact=False)
            column = OutputColumn(item.name, shown, noise if isinstance(noise, Estimates) else None)
            columns.append(column.take(rows))
        return Rendered(tuple(columns))

    def _rows(self, groups: Groups, confidence: Fraction) -> NDArray[np.int64]:
        kept = np.ones(groups.size, np.bool_)
        for part in self.having:
            kept &= as_truth(evaluate(part, groups, confidence)).true
        rows = by_keys(np.flatnonzero(kept), list(groups.keys.values()))
        for by in reversed(self.order):
            column = values(evaluate(by.expression, groups, confidence))
            rows = np.array(arranged(rows.tolist(), column, by.descending, by.nulls_first), np.int64)
        return rows[self.offset :][: self.limit]


def read_post_processing(select: exp.Select, keys: Collection[str], aggregates: Collection[str]) -> PostProcessing:
    """The post-processing of a SELECT, given the SQL of its keys and aggregates; otherwise a refusal with a correction.

    `keys` may be a mapping to the keys' kinds; then arithmetic on texts and comparisons of unlike kinds are refused
    here, and are NULL otherwise.
    """
    for clause, value in select.args.items():
        if value and clause not in _BELOW | _ABOVE:
            raise refused_clause(clause)
    if not depth(select) <= _DEEPEST:
        asked = "a query nested this deeply"
        raise Refused(asked, f"More than {_DEEPEST} parts stand inside one another.", "shorter sums and cases.")
    scope = PostNoiseScope.of(keys, aggregates)
    expressions: list[Expression] = []
    for item in map(plain, select.expressions):
        expressions.append(_item(item.unalias(), scope))
        if isinstance(item, exp.Alias):
            scope = scope.with_alias(item.alias, expressions[-1])
    labels = [expression.kind is not None and not expression.kind.is_number for expression in expressions]
    having, order = (plain(clause) if clause else None for clause in map(select.args.get, ("having", "order")))
    names = column_names(select.expressions, labels)
    return PostProcessing(
        tuple(Item(name, expression) for name, expression in zip(names, expressions, strict=True)),
        read_having(having, scope),
        read_order(order, expressions, replace(scope, aliases_first=True)),
        read_rows(select.args.get("limit"), "LIMIT"),
        read_rows(select.args.get("offset"), "OFFSET") or 0,
    )


def _item(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    expression = read(node, scope)
    if expression.kind is Kind.BOOLEAN and expression.aggregates:
        why = "Whether a noisy number meets a condition is uncertain, and true or false has no interval to say so."
        shown = node.sql(dialect="duckdb", comments=False)
        raise Refused(shown, why, f"the number itself, or CASE WHEN {shown} THEN 1 ELSE 0 END, or HAVING {shown}.")
    return expression


def _output(column: Column, *, exact: bool) -> Keys | Estimates:
    """The output column; a column that depends on no aggregate is exact and has no interval."""
    return exact_values(column) if exact else as_keys(column)


def exact_values(column: Column) -> Keys:
    """A column that depends on no aggregate, as exact values."""
    shown = as_keys(column)
    if isinstance(shown, Keys):
        return shown
    points = (None if not np.isfinite(x) else int(x) if shown.whole else float(x) for x in shown.value)
    return Keys(tuple(points), Kind.INTEGER if shown.whole else Kind.FLOAT)


def column_names(items: Sequence[exp.Expr], labels: Sequence[bool]) -> list[str]:
    """One unique name per item: its alias, its column, `count`, or its SQL in lower case.

    A number `c` also takes `c_low` and `c_high` for its interval, and the same of `c_bounded`, its number with the
    interval of the noise alone; a name that is taken gets a suffix.
    """
    taken: set[str] = set()
    found = []
    for item, label in zip(items, labels, strict=True):
        wanted = _wanted(item)
        name, again = wanted, 2
        while not taken.isdisjoint(_columns(name, label)):
            name, again = f"{wanted}_{again}", again + 1
        taken |= _columns(name, label)
        found.append(name)
    return found


def _columns(name: str, label: bool) -> set[str]:
    lower = name.lower()
    if label:
        return {lower}
    return {f"{lower}{which}{end}" for which in ("", "_bounded") for end in ("", "_low", "_high")}


def _wanted(item: exp.Expr) -> str:
    if isinstance(item, exp.Alias | exp.Column):
        return str(item.alias_or_name)
    if isinstance(item, exp.Count) and isinstance(item.this, exp.Star):
        return "count"
    return item.sql(dialect="duckdb", comments=False).lower()
