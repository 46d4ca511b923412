"""A sub-query in a condition, EXISTS or IN, taken apart: its own rows, and what compares them with the outer rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.joins import conjuncts
from tacit.query.sql.rows import Rows
from tacit.query.sql.values.refusal import refuse

_PLAIN = {"expressions", "from_", "joins", "where", "with_", "kind", "hint", "distinct", "order"}


@frozen
class Reader:
    """Reads parts of a sub-query: its FROM with its joins, which may be public, and a further condition on that.

    Beside the rows of FROM stands what the joins leave of their own conditions and of WHERE.
    """

    origin: Callable[[exp.Select], tuple[Rows, exp.Expression | None]]
    kept: Callable[[Rows, exp.Select, exp.Expression], Rows]


def sub_queries(node: exp.Expression) -> Iterator[exp.Expression]:
    """The outermost EXISTS and IN with a query."""
    if isinstance(node, exp.Exists) or (isinstance(node, exp.In) and node.args.get("query")):
        yield node
    elif not isinstance(node, exp.Query):
        for part in node.iter_expressions():
            yield from sub_queries(part)


def semi_join(join: exp.Join) -> exp.Expression | None:
    """A SEMI or ANTI JOIN as the condition EXISTS or NOT EXISTS; None for other joins."""
    kind, condition = str(join.kind).upper(), join.args.get("on")
    if kind not in ("SEMI", "ANTI") or join.side or join.method or condition is None:
        return None
    other = exp.Select(expressions=[exp.Star()], from_=exp.From(this=join.this.copy()))
    other.set("where", exp.Where(this=condition.copy()))
    found = exp.Exists(this=other)
    return found if kind == "SEMI" else exp.Not(this=found)


def conjunction(parts: Iterable[exp.Expression]) -> exp.Expression:
    """The condition that all of these hold; they are copied."""
    copies: list[exp.Expression] = [exp.paren(part.copy(), copy=False) for part in parts]
    return reduce(lambda first, second: exp.And(this=first, expression=second), copies)


@frozen
class SubQuery:
    """One EXISTS or IN.

    A name that both its rows and the outer rows have is that of its own, as in SQL.
    """

    node: exp.Expression
    reader: Reader

    @cached_property
    def body(self) -> exp.Select:
        """The SELECT: for IN one of plain rows, into which any other becomes a sub-query of FROM."""
        found = (self.node.args["query"] if isinstance(self.node, exp.In) else self.node.this).unnest()
        if not isinstance(found, exp.Select):
            raise refuse(self.node, "Its query is not one SELECT.", "(SELECT … FROM … WHERE …).")
        used = {name for name, value in found.args.items() if value} - _PLAIN
        has_totals = any(item.find(exp.AggFunc, exp.Window) for item in found.expressions)
        if isinstance(self.node, exp.Exists):
            if used - {"limit"} or has_totals or not _is_some(found.args.get("limit")):
                accepted = "EXISTS (SELECT * FROM … WHERE …); or x IN (SELECT the person … GROUP BY … HAVING …)."
                raise refuse(self.node, "EXISTS asks for plain rows.", accepted)
            return found
        if "limit" in used or "offset" in used:
            raise refuse(self.node, "Which rows LIMIT keeps depends on all people.", "the sub-query without LIMIT.")
        if not (used or has_totals):
            return found
        listed = [(item.alias_or_name or f"value{place}") for place, item in enumerate(found.expressions)]
        inner = found.copy()
        inner.set("order", None)
        named = zip(inner.expressions, listed, strict=True)
        inner.set("expressions", [item if item.alias_or_name else exp.alias_(item, name) for item, name in named])
        columns: list[exp.Expression] = [exp.column(name) for name in listed]
        return exp.Select(expressions=columns, from_=exp.From(this=exp.Subquery(this=inner)))

    @cached_property
    def _read(self) -> tuple[Rows, exp.Expression | None]:
        return self.reader.origin(self.body)

    @property
    def origin(self) -> Rows:
        """The rows of its FROM."""
        return self._read[0]

    @cached_property
    def conditions(self) -> tuple[list[exp.Expression], list[exp.Expression]]:
        """The conjuncts that its joins leave: those of its own rows alone, and those that name the outer rows."""
        own: list[exp.Expression] = []
        outer: list[exp.Expression] = []
        where = self._read[1]
        for part in conjuncts(where) if where else []:
            is_own = any(sub_queries(part)) or self.is_inner(part) is not False
            (own if is_own else outer).append(part)
        return own, outer

    def is_inner(self, node: exp.Expression) -> bool | None:
        """Whether all names are its own (True), or some are the outer rows' (False); None without names."""
        inner = {self.origin.knows(column.name, column.table or None) for column in node.find_all(exp.Column)}
        return None if not inner else inner == {True}

    def _is_outer(self, node: exp.Expression) -> bool:
        """Whether it has names, and none is its own."""
        columns = list(node.find_all(exp.Column))
        return bool(columns) and not any(self.origin.knows(each.name, each.table or None) for each in columns)

    @cached_property
    def others(self) -> Rows:
        """The rows that are looked at."""
        own = self.conditions[0]
        if not own:
            return self.origin
        return self.reader.kept(self.origin, self.body, conjunction(own))

    @cached_property
    def values(self) -> list[tuple[exp.Expression, exp.Expression]]:
        """What IN compares: values of the rows, each with a value of the others."""
        if isinstance(self.node, exp.Exists):
            return []
        left = self.node.this.unnest()
        own = list(left.expressions) if isinstance(left, exp.Tuple) else [left]
        others = [item.unalias() for item in self.body.expressions]
        if len(own) != len(others) or any(item.is_star for item in others):
            one = "one column" if len(own) == 1 else f"{len(own)} columns"
            raise refuse(self.node, f"Its query must have {one}, by name.", "x IN (SELECT y FROM …).")
        return list(zip(own, others, strict=True))

    @cached_property
    def equalities(self) -> list[tuple[exp.Expression, exp.Expression]]:
        """The conjuncts that compare a value of the rows with one of the others."""
        found = []
        for part in self.conditions[1]:
            node = part.unnest()
            sides = (node.this, node.expression) if isinstance(node, exp.EQ) else ()
            own = [side for side in sides if self._is_outer(side)]
            other = [side for side in sides if self.is_inner(side)]
            if len(own) == len(other) == 1:
                found.append((own[0], other[0]))
        return found


def _is_some(limit: exp.Expression | None) -> bool:
    """Whether a LIMIT keeps a row if there is one."""
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return limit is None or (isinstance(count, exp.Literal) and count.name.isdigit() and int(count.name) >= 1)
