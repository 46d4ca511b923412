"""The columns of an outer query that are sums or ratios of released numbers, and SQL that computes their weights.

A linear column is Σ weight·number + a constant; where rows are chosen, joined, grouped and ordered by exact values
only, the weights are exact too. They are its derivatives: beside each linear column stands a twin that is 1 where the
column is one released number and 0 elsewhere, carried through the same sums, windows and joins. A ratio of two linear
columns carries both of them. Everything else (ranks, greatest values, roots, products of noise) has no form.
"""

from __future__ import annotations

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.outer.column_forms import (
    Form,
    Linear,
    LinearRatio,
    NamedColumns,
    added,
    column_form,
    is_exact,
    scaled,
    twin_of,
)

_ADDING = (exp.Sum, exp.Avg)
_MOVING = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)


@frozen(eq=False)
class Forms:
    """The forms of expressions over some sources; `is_summable` where neither noise nor an unknown chose the rows."""

    sources: tuple[NamedColumns, ...]
    aliases: dict[str, Form]
    is_summable: bool
    tables: dict[str, NamedColumns]  # the common tables, for sub-queries

    def exact(self, node: exp.Expr | None) -> bool:
        """Whether nothing in an expression depends on a released number."""
        if node is None:
            return True
        form = self.of(node)
        return isinstance(form, Linear) and form.twin is None

    def of(self, node: exp.Expr) -> Form:
        """The form of an expression."""
        if isinstance(node, exp.Alias | exp.Paren):
            return self.of(node.this)
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Subquery):
            return self._scalar(node)
        if isinstance(node, exp.Window):
            return self._window(node)
        if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
            return self._aggregate(node)
        if isinstance(node, exp.Query):
            return None
        parts = [part for part in node.iter_expressions() if not isinstance(part, exp.DataType)]
        if all(self.exact(part) for part in parts):
            return Linear(node)
        return self._operation(node)

    def _column(self, node: exp.Column) -> Form:
        name = node.name.lower()
        for source in self.sources:
            if name in source.columns and (not node.table or node.table.lower() == source.alias.lower()):
                return column_form(node.name, source)
        return self.aliases.get(name) if not node.table else None

    def _operation(self, node: exp.Expr) -> Form:
        if isinstance(node, exp.Neg):
            return scaled(self.of(node.this), lambda part: exp.Neg(this=exp.paren(part)))
        if isinstance(node, exp.Cast | exp.TryCast) and node.to.this in (exp.DataType.Type.DOUBLE,):
            return self.of(node.this)
        if isinstance(node, exp.Coalesce):
            return self._with_default(node)
        if isinstance(node, exp.Case):
            return self._case(node)
        if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
            right = _divisor(node.expression) if isinstance(node, exp.Div) else node.expression
            return self._binary(type(node), self.of(node.this), self.of(right))
        return None

    def _binary(self, kind: type[exp.Binary], left: Form, right: Form) -> Form:
        if left is None or right is None:
            return None
        if kind in (exp.Add, exp.Sub):
            return added(kind, left, right)
        if kind is exp.Mul and is_exact(left):
            left, right = right, left
        if isinstance(right, Linear) and right.twin is None:
            return scaled(left, lambda part: kind(this=exp.paren(part), expression=exp.paren(right.value.copy())))
        if kind is exp.Div and isinstance(left, Linear) and isinstance(right, Linear):
            return LinearRatio(left, right)
        return None

    def _with_default(self, node: exp.Coalesce) -> Form:
        form = self.of(node.this)
        if isinstance(form, Linear) and form.twin is not None and all(map(self.exact, node.expressions)):
            zero = exp.Literal.number(0)
            missing = exp.Is(this=exp.paren(form.value.copy()), expression=exp.Null())
            twin = exp.Case(ifs=[exp.If(this=missing, true=zero)], default=form.twin.copy())
            return Linear(exp.Coalesce(this=form.value.copy(), expressions=[e.copy() for e in node.expressions]), twin)
        return None

    def _case(self, node: exp.Case) -> Form:
        branches = [branch.args["true"] for branch in node.args["ifs"]]
        branches += [node.args["default"]] if node.args.get("default") else []
        tests = [branch.this for branch in node.args["ifs"]]
        forms = [self.of(branch) for branch in branches]
        if not all(map(self.exact, (*tests, node.this))) or not all(isinstance(form, Linear) for form in forms):
            return None
        twin = node.copy()
        places = [(branch, "true") for branch in twin.args["ifs"]] + [(twin, "default")]
        for (holder, name), form in zip(places, forms, strict=False):
            assert isinstance(form, Linear)
            holder.set(name, twin_of(form))
        return Linear(node, twin)

    def _window(self, node: exp.Window) -> Form:
        around = [*(node.args.get("partition_by") or []), *_ordered(node.args.get("order"))]
        if not self.is_summable or not all(map(self.exact, around)):
            return None
        inner, keep = _inside(node.this)
        operands = list(inner.iter_expressions())
        if not self.exact(keep):
            return None
        if all(self.exact(part) or isinstance(part, exp.Star) for part in operands):
            return Linear(node)
        form = self.of(inner.this) if isinstance(inner, (*_ADDING, *_MOVING)) else None
        if not all(map(self.exact, operands[1:])) or isinstance(inner.this, exp.Distinct):
            return None
        if isinstance(inner, _ADDING) and not isinstance(form, Linear):
            return None

        def over(part: exp.Expr, is_twin: bool) -> exp.Expr:
            made = node.copy()
            call, _ = _inside(made.this)
            call.set("this", part.copy())
            if is_twin and call.args.get("default"):
                call.set("default", exp.Literal.number(0))
            return made

        def moved(linear: Linear) -> Linear:
            return Linear(over(linear.value, False), over(linear.twin, True) if linear.twin else None)

        if isinstance(form, LinearRatio):
            return None if inner.args.get("default") else LinearRatio(moved(form.top), moved(form.bottom))
        return None if form is None else moved(form)

    def _aggregate(self, node: exp.Expr) -> Form:
        inner, keep = _inside(node)
        operands = list(inner.iter_expressions())
        if not self.is_summable or not self.exact(keep):
            return None
        if all(isinstance(part, exp.Star) or self.exact(part) for part in operands):
            return Linear(node)
        form = self.of(inner.this) if isinstance(inner, _ADDING) else None
        if not isinstance(form, Linear) or form.twin is None:
            return None
        twin = node.copy()
        _inside(twin)[0].set("this", form.twin.copy())
        value = node.copy()
        _inside(value)[0].set("this", form.value.copy())
        return Linear(value, twin)

    def _scalar(self, node: exp.Subquery) -> Form:
        """A scalar sub-query of a single column, from common tables alone."""
        inner = node.this
        if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or inner.find(exp.Subquery):
            return None
        found = forms_of(inner, self.tables)
        if found is None or found.is_chosen_by(inner) or inner.args.get("distinct"):
            return None
        form = found.of(inner.expressions[0])

        def asked(part: exp.Expr) -> exp.Expr:
            made = inner.copy()
            made.set("expressions", [part.copy()])
            return exp.Subquery(this=made)

        def of(linear: Linear) -> Linear:
            return Linear(asked(linear.value), asked(linear.twin) if linear.twin else None)

        if isinstance(form, LinearRatio):
            return LinearRatio(of(form.top), of(form.bottom))
        return None if form is None else of(form)

    def is_chosen_by(self, select: exp.Select, *, is_read: bool = False) -> bool:
        """Whether noise chooses the rows of a SELECT's result, or their order where a window may read it."""
        distinct = select.args.get("distinct")
        on = distinct.args.get("on") if distinct else None
        clauses = [select.args[name].this for name in ("having", "qualify") if select.args.get(name)]
        clauses += [] if distinct is None else on.expressions if on else select.expressions
        if select.args.get("limit") or select.args.get("offset") or on or is_read:
            order = _ordered(select.args.get("order"))
            clauses += order
            named = {column.name.lower() for key in order for column in key.find_all(exp.Column) if not column.table}
            if not all(is_exact(self.aliases[name]) for name in named & self.aliases.keys()):
                return True  # ORDER BY means the column of the result before that of the source
        return not (self.is_summable and self.groups_exactly(select) and all(map(self.exact, clauses)))

    def groups_exactly(self, select: exp.Select) -> bool:
        """Whether exact values alone say which rows are a group."""
        group = select.args.get("group")
        return all(map(self.exact, group.expressions if group else []))


def forms_of(select: exp.Select, tables: dict[str, NamedColumns]) -> Forms | None:
    """The forms over the sources of a SELECT, all of which are tables with known forms."""
    sources = []
    joins = select.args.get("joins") or []
    for node in [select.args["from_"].this, *(join.this for join in joins)] if select.args.get("from_") else []:
        known = tables.get(node.name) if isinstance(node, exp.Table) else None
        if known is None:
            return None
        sources.append(NamedColumns(node.alias or node.name, known.columns, known.is_chosen))
    forms = Forms(tuple(sources), {}, True, tables)
    conditions = [join.args["on"] for join in joins if join.args.get("on")]
    conditions += [column for join in joins for column in map(_using, join.args.get("using") or [])]
    conditions += [select.args["where"].this] if select.args.get("where") else []
    is_summable = not any(source.is_chosen for source in sources) and all(map(forms.exact, conditions))
    return Forms(tuple(sources), {}, is_summable, tables)


def _divisor(node: exp.Expr) -> exp.Expr:
    """A divisor without NULLIF(…, 0): a ratio is not known where it is 0. Elsewhere that is a choice by noise."""
    if isinstance(node, exp.Paren):
        return _divisor(node.this)
    is_so = isinstance(node, exp.Nullif) and isinstance(node.expression, exp.Literal) and node.expression.name == "0"
    return _divisor(node.this) if is_so else node


def _using(name: exp.Expr) -> exp.Expr:
    return exp.column(name.name)


def _ordered(order: exp.Expr | None) -> list[exp.Expr]:
    return [] if order is None else [each.this if isinstance(each, exp.Ordered) else each for each in order.expressions]


def _inside(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """The call, and the condition of its FILTER."""
    if isinstance(node, exp.Filter):
        return _inside(node.this)[0], node.expression.this
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
        return _inside(node.this)
    return node, None
