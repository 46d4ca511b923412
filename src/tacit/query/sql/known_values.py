"""Known values: what is certain of the values of filtered rows, from the query and from public tables alone.

It lists the groups that can have rows, and nothing else: no expression is made total by it, and no scale follows from
it, so that a row whose value is none of these counts nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.expressions.result_types import unify
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.rows import Known, Rows
from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.restricted import bounded, can_be, constant_of, either, lies, limit_of, one_of_these
from tacit.query.sql.values.storage import is_null
from tacit.query.sql.values.typed import Typed
from tacit.query.sql.values.wildcards import Wildcards
from tacit.schema.kind import Key, Kind

_COLUMN = re.compile(r'"([^"]|"")*"')
_SWAPPED: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


@frozen
class KnownScope:
    """The columns of rows, with the values that they can have."""

    rows: Rows

    def column(self, name: str, table: str | None) -> Typed:
        typed = self.rows.column(name, table)
        return self.rows.known.get(typed.sql, typed)


def known_domain(node: exp.Expression, typed: Typed, rows: Rows) -> Typed:
    """An expression of the rows with the values that it can have; as it is, where nothing more is known.

    `typed` is the same expression, as its columns are declared.
    """
    if not rows.known:
        return typed
    found = rows.known.get(typed.sql) or type_expression(node, KnownScope(rows))
    values = domain(found)
    if not values:  # none at all: a table without groups has no answer
        return typed
    return replace(typed, low=found.low, high=found.high, keys=values, nullable=typed.nullable and found.nullable)


def certain(condition: exp.Expression, rows: Rows) -> Known:
    """What is known of those rows on which a condition is true."""
    return {**rows.known, **{sql: typed for sql, typed in tested(condition, rows).items() if typed.keys != ()}}


def joined_known(left: Known, right: Known, kind: str) -> Known:
    """What is known of joined rows: after a LEFT JOIN what is on the right may be NULL, so only columns are known."""
    if kind == "LEFT JOIN":
        right = {sql: replace(typed, nullable=True) for sql, typed in right.items() if _COLUMN.fullmatch(sql)}
    return {**left, **right}


def tested(condition: exp.Expression, rows: Rows) -> dict[str, Typed]:
    """The expressions that a condition restricts, if it is true."""
    node = condition.unnest()
    if isinstance(node, exp.And):
        first = tested(node.this, rows)
        return {**first, **tested(node.expression, replace(rows, known={**rows.known, **first}))}
    if isinstance(node, exp.Or):
        one, other = tested(node.this, rows), tested(node.expression, rows)
        return {sql: either(one[sql], other[sql]) for sql in one.keys() & other.keys()}
    return _Test(rows).of(node) if isinstance(node, exp.Expression) else {}


@frozen
class _Test:
    """Reads one condition: an expression beside constants."""

    rows: Rows

    def of(self, node: exp.Expression) -> dict[str, Typed]:
        if isinstance(node, exp.Column):
            return self._kept(node, lambda value: value is True)
        if isinstance(node, exp.Not):
            return self._denied(node.this.unnest())
        if isinstance(node, exp.Between):
            low = self.of(exp.GTE(this=node.this.copy(), expression=node.args["low"].copy()))
            within = _Test(replace(self.rows, known={**self.rows.known, **low}))
            return {**low, **within.of(exp.LTE(this=node.this.copy(), expression=node.args["high"].copy()))}
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            return self._listed(node)
        if isinstance(node, exp.Like) and not node.args.get("negate"):
            return self._liked(node)
        if type(node) in _SWAPPED:
            own = self._compared(node, node.this, node.expression, type(node))
            return own or self._compared(node, node.expression, node.this, _SWAPPED[type(node)])
        return {}

    def _denied(self, node: exp.Expression) -> dict[str, Typed]:
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return self._kept(node.this, lambda value: True)
        if isinstance(node, exp.Column):
            return self._kept(node, lambda value: value is False)
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            values = self._constants(node)
            return {} if values is None else self._kept(node.this, lambda value: value not in values)
        return {}

    def _listed(self, node: exp.In) -> dict[str, Typed]:
        values = self._constants(node)
        if values is None:
            return {}
        typed = self._typed(node.this)
        order = values if typed.keys is None else [key for key in typed.keys if key in values]
        possible = tuple(value for value in order if lies(value, typed.low, typed.high))
        return {typed.sql: replace(one_of_these(typed, possible), nullable=False)}

    def _liked(self, node: exp.Like) -> dict[str, Typed]:
        """The listed texts that a pattern fits."""
        pattern = type_expression(node.expression, self.rows)
        text = constant_of(pattern)
        if not isinstance(text, str):
            return {}
        fits = Wildcards.of_like(text).fits
        return self._kept(node.this, lambda value: isinstance(value, str) and fits(value))

    def _constants(self, node: exp.In) -> dict[Key, None] | None:
        """The values of the list, in order; None where they are of another kind, or of none that can be listed."""
        typed, found = self._typed(node.this), dict[Key, None]()
        for item in node.expressions:
            _, value = unify(node, typed, type_expression(item, self.rows))
            constant = None if value.kind is not typed.kind or value.scale else constant_of(value)
            if constant is None:
                return None
            found[constant] = None
        return found

    def _compared(
        self, node: exp.Expression, own: exp.Expression, other: exp.Expression, how: type
    ) -> dict[str, Typed]:
        typed, limit = self._typed(own), type_expression(other, self.rows)
        if is_null(limit) or is_null(typed):
            return {}
        _, value = unify(node, typed, limit)
        if value.kind is Kind.TEXT or typed.kind is Kind.BOOLEAN:
            constant = constant_of(value)
            if constant is None or how not in (exp.EQ, exp.NEQ):
                return {}
            if how is exp.NEQ:
                return self._kept(own, lambda known: known != constant)
            return (
                {typed.sql: replace(one_of_these(typed, (constant,)), nullable=False)}
                if can_be(constant, typed)
                else {}
            )
        number = limit_of(typed, value)
        return {} if number is None else {typed.sql: bounded(typed, number, how)}

    def _kept(self, node: exp.Expression, test: Callable[[Key], bool]) -> dict[str, Typed]:
        """The listed values that pass, and none of them NULL."""
        typed = self._typed(node)
        values = domain(typed)
        if values is None:
            return {typed.sql: replace(typed, nullable=False)}
        return {typed.sql: replace(typed, keys=tuple(filter(test, values)), nullable=False)}

    def _typed(self, node: exp.Expression) -> Typed:
        typed = type_expression(node, self.rows)
        return self.rows.known.get(typed.sql, typed)
