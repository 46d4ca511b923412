"""Linear counting questions as SQL writes them: several SELECTs over the same rows, each counting some of them.

A SELECT counts rows (COUNT(*)) or adds a column up (SUM(x)), the same for all SELECTs of a text. Conditions in every
SELECT are below the noise and select the rows; all others, those of FILTER, and the keys of GROUP BY are over columns
with public values, and say which cells are in a question. SUM(…) OVER (ORDER BY key) is a running total.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate_calls import CALLS
from tacit.query.plans.question import parsed_selects
from tacit.query.post_noise.scope import canonical
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.group_by import resolved_key
from tacit.query.sql.joins import conjuncts
from tacit.query.sql.rows import Rows
from tacit.schema.kind import Kind

_ROWS = ("from_", "joins", "with_", "laterals")
_ABOVE = ("having", "order", "limit", "offset", "distinct", "qualify", "windows")
_MOST_SELECTS = 2_000


@frozen(eq=False)
class CountItem:
    """A number that a SELECT shows of each group: its name, its FILTER, and what a running total is by."""

    name: str
    condition: exp.Expr | None
    running: RunningTotal | None


@frozen(eq=False)
class RunningTotal:
    """OVER (PARTITION BY … ORDER BY …): keys of the SELECT, and which of those that order fall."""

    partition: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]


@frozen(eq=False)
class CountSelect:
    """One SELECT: its keys by canonical SQL with the names they are shown by, its conditions, and its numbers.

    `conditions` are those that not every SELECT has, `given` all of them.
    """

    keys: dict[str, exp.Expr]
    shown: dict[str, str]
    given: tuple[exp.Expr, ...]
    conditions: tuple[exp.Expr, ...]
    items: tuple[CountItem, ...]

    @property
    def expressions(self) -> list[exp.Expr]:
        """All expressions that determine the cells counted."""
        filters = [item.condition for item in self.items if item.condition is not None]
        return [*self.keys.values(), *self.conditions, *filters]


@frozen(eq=False)
class CountText:
    """A text of SELECTs over the same rows. `whole` asks for what all of them count, of all of these rows."""

    sql: str
    whole: exp.Select
    selects: tuple[CountSelect, ...]

    @cached_property
    def columns(self) -> dict[str, exp.Column]:
        """The columns that say which cells are counted."""
        nodes = [node for select in self.selects for node in select.expressions]
        return {canonical(column): column for node in nodes for column in node.find_all(exp.Column)}

    def refuse_floats(self, rows: Rows) -> None:
        """Refuses columns whose values nobody could list, whatever is declared of them."""
        for name, node in self.columns.items():
            if type_expression(node, rows).kind is Kind.FLOAT:
                raise Refused(
                    f"questions about {name}",
                    "It is a floating-point number, whose values cannot be listed.",
                    "columns with declared keys, or integers and dates with bounds; or one condition in every SELECT.",
                )

    def by_columns(self) -> str:
        """The question of all rows, by these columns."""
        select = self.whole.copy()
        nodes = [node.copy() for node in self.columns.values()]
        select.set("expressions", [*nodes, *select.expressions])
        if nodes:
            select.set("group", exp.Group(expressions=[node.copy() for node in nodes]))
        return str(select.sql("duckdb"))


def read_counts(sql: str) -> CountText:
    """The text of SELECTs; refused where it is none of linear questions over the same rows."""
    selects = [_plainly(select) for select in parsed_selects(sql)]
    if not len(selects) <= _MOST_SELECTS:
        raise Refused(f"{len(selects):,} SELECTs", "They share one price.", f"at most {_MOST_SELECTS:,}.")
    _refuse_unlike(selects)
    listed = [_conditions(select) for select in selects]
    common = set.intersection(*({canonical(node) for node in nodes} for nodes in listed))
    calls: dict[str, exp.Expr] = {}
    read = tuple(_read(select, nodes, common, calls) for select, nodes in zip(selects, listed, strict=True))
    if len(calls) != 1:
        shown = " and ".join(calls) or "no aggregate"
        raise Refused(f"{shown} in one text", "All its questions count the same.", "COUNT(*), or SUM(x), in all.")
    whole = exp.Select(expressions=[next(iter(calls.values())).copy()])
    for name in _ROWS:
        whole.set(name, selects[0].args.get(name))
    base = list({canonical(node): node for node in listed[0] if canonical(node) in common}.values())
    return CountText(sql, whole.where(*base) if base else whole, read)


def _plainly(select: exp.Select) -> exp.Select:
    """Without the alias of its table, where it has one table."""
    origin = select.args.get("from_")
    if origin is not None and isinstance(origin.this, exp.Table) and not select.args.get("joins"):
        origin.this.set("alias", None)
        for column in select.find_all(exp.Column):
            column.set("table", None)
    return select


def _refuse_unlike(selects: Sequence[exp.Select]) -> None:
    for select in selects:
        extra = [name for name in _ABOVE if select.args.get(name)]
        if extra:
            raise Refused(
                f"{extra[0].upper()}{' BY' if extra[0] == 'order' else ''} in a workload",
                "Its questions are sums of cells, all of them shown.",
                "without it.",
            )
    rows = {tuple(str(_text(select.args.get(name))) for name in _ROWS) for select in selects}
    if len(rows) > 1:
        raise Refused("questions over different rows", "One workload has one FROM.", "the same FROM in every SELECT.")


def _text(clause: object) -> str:
    parts = clause if isinstance(clause, list) else [clause]
    return " ".join(canonical(part) for part in parts if isinstance(part, exp.Expr))


def _conditions(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    return list(conjuncts(where.this)) if where else []


def _read(select: exp.Select, given: Sequence[exp.Expr], common: set[str], calls: dict[str, exp.Expr]) -> CountSelect:
    group, items = select.args.get("group"), select.expressions
    nodes: list[exp.Expr] = []
    if group is not None and group.args.get("all"):
        nodes = [item.unalias() for item in items if not item.find(*CALLS)]
    elif group is not None:
        if any(group.args.get(name) for name in ("cube", "rollup", "grouping_sets", "totals")) or any(
            isinstance(node, exp.Cube | exp.Rollup | exp.GroupingSets) for node in group.expressions
        ):
            raise Refused("CUBE, ROLLUP or GROUPING SETS in a workload", "They add up.", "`tacit tables`.")
        nodes = [resolved_key(node, items) for node in group.expressions]
    keys = {canonical(node): node for node in nodes}
    shown, found = {}, []
    for item in items:
        node = item.unalias()
        if canonical(node) in keys:
            shown[canonical(node)] = item.alias or node.name or canonical(node)
        else:
            found.append(_item(item, node, keys, calls))
    if not found:
        raise Refused("a SELECT that counts nothing", "A workload is of counts.", "COUNT(*) or SUM(x) in each SELECT.")
    conditions = tuple(node for node in given if canonical(node) not in common)
    return CountSelect(keys, shown, tuple(given), conditions, tuple(found))


def _item(item: exp.Expr, node: exp.Expr, keys: dict[str, exp.Expr], calls: dict[str, exp.Expr]) -> CountItem:
    running, condition, inner = None, None, node
    if isinstance(inner, exp.Window):
        running, inner = _running(inner, keys), inner.this.this
    if isinstance(inner, exp.Filter):
        condition, inner = inner.expression.this, inner.this
    if not isinstance(inner, exp.Count | exp.Sum):
        raise Refused(
            node.sql("duckdb"),
            "A workload is of sums over cells.",
            "keys, COUNT(*), SUM(x), each with FILTER if wanted, and SUM(COUNT(*)) OVER (ORDER BY key).",
        )
    calls.setdefault(canonical(inner), inner)
    name = item.alias or ("running" if running else "count" if isinstance(inner, exp.Count) else "sum")
    return CountItem(name, condition, running)


def _running(window: exp.Window, keys: dict[str, exp.Expr]) -> RunningTotal:
    frame, order = window.args.get("spec"), window.args.get("order")
    is_plain = frame is None or frame.sql("duckdb") in (
        f"{kind} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" for kind in ("ROWS", "RANGE")
    )
    partition = tuple(canonical(node) for node in window.args.get("partition_by") or [])
    by = tuple((canonical(each.this), bool(each.args.get("desc"))) for each in (order.expressions if order else []))
    if not (isinstance(window.this, exp.Sum) and is_plain and {*partition, *(name for name, _ in by)} <= set(keys)):
        raise Refused(
            window.sql("duckdb"),
            "Its value is no sum of cells that is known here.",
            "SUM(COUNT(*)) OVER (PARTITION BY key ORDER BY key), over keys of GROUP BY.",
        )
    return RunningTotal(partition, by)
