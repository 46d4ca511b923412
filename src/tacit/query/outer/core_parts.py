"""The parts of a SELECT that its core is made of: its keys, its aggregate calls, the common tables that it reads."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from tacit.query.aggregates.aggregate_calls import CALLS
from tacit.query.sql.group_by import group_keys


def table_alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def common_tables(select: exp.Select, named: Mapping[str, exp.Expr]) -> exp.With | None:
    """The common tables that a SELECT's rows are read from, in an order in which each comes after those it reads."""
    wanted: dict[str, exp.Expr] = {}

    def visit(node: exp.Expr) -> None:
        for table in node.find_all(exp.Table):
            name = table.name.lower()
            if name in named and name not in wanted:
                visit(named[name])
                wanted[name] = named[name]

    for clause in ("from_", "where"):
        if select.args.get(clause):
            visit(select.args[clause])
    for join in select.args.get("joins") or []:
        visit(join)
    order = [name for name in named if name in wanted]
    listed = [exp.CTE(this=named[name].copy(), alias=table_alias(name)) for name in order]
    return exp.With(expressions=listed) if listed else None


def keys_of(select: exp.Select) -> list[exp.Expr]:
    """The keys of GROUP BY; DISTINCT of columns without aggregates is GROUP BY all of them."""
    distinct = select.args.get("distinct")
    if distinct and not distinct.args.get("on") and not select.args.get("group") and not list(calls_of(select)):
        return [item.unalias() for item in select.expressions if not item.find(exp.Window)]
    if select.args.get("group") and select.args["group"].args.get("all"):
        items = [item.unalias() for item in select.expressions]
        return [item for item in items if not item.find(exp.AggFunc, exp.WithinGroup, exp.Window)]
    return list(group_keys(select))


def calls_of(select: exp.Select) -> list[exp.Expr]:
    """The aggregate calls that are computed of rows: those inside a window function's arguments are, itself is not."""
    found: list[exp.Expr] = []

    def visit(node: exp.Expr, is_windowed: bool) -> None:
        if isinstance(node, exp.Window):
            visit(node.this, True)
            for part in (*(node.args.get("partition_by") or []), node.args.get("order")):
                if part is not None:
                    visit(part, False)
        elif is_windowed and isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
            visit(node.this, True)
        elif isinstance(node, CALLS) and not is_windowed:
            found.append(node)
        elif not isinstance(node, exp.Query):
            for part in node.iter_expressions():
                visit(part, False)

    clauses = [*select.expressions, *(select.args.get(name) for name in ("having", "qualify", "order"))]
    for clause in clauses:
        if clause is not None:
            visit(clause, False)
    return found
