"""Window functions within one person: numbers, earlier and later values, and totals of each person's own rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.owned_keys import is_owned, names_person
from tacit.query.sql.rows import ALL, UNIT, Ownership, Rows, Select, SelectItem
from tacit.query.sql.scan import output_name
from tacit.query.sql.values.domains import kept
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import unsigned_zero
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_MOST = 2**50  # larger numbers of rows are cut, as those of a person's totals
_FURTHEST = 1_000  # rows that LAG and LEAD look back or ahead
WINDOW = "__window"
_NUMBERS: dict[type[exp.Expression], str] = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}
_MOVED: dict[type[exp.Expression], str] = {exp.Lag: "lag", exp.Lead: "lead"}
_TOTALS: dict[type[exp.Expression], str] = {exp.Count: "COUNT", exp.Min: "MIN", exp.Max: "MAX"}
_ACCEPTED = "ROW_NUMBER(), RANK(), DENSE_RANK(), LAG(x), LEAD(x), FIRST_VALUE(x), COUNT, MIN and MAX."


def with_windows(rows: Rows, body: exp.Select) -> tuple[Rows, exp.Select]:
    """The rows with a column for each window function of a sub-query, and the sub-query in terms of these.

    Claim: the rows are the same, and each new value depends on that person's rows alone; it is the same on every
    engine. Proof: lowered SQL partitions by the person, whatever else the query says. Where the place of a row
    matters, the order goes on with all columns that the query names, so that rows in equal places are equal for the
    query; NULL is last unless the query says otherwise.
    """
    qualify = body.args.get("qualify")
    clauses = [*body.expressions, *([qualify] if qualify else [])]
    windows = [node for clause in clauses for node in clause.find_all(exp.Window)]
    if not windows:
        return rows, body
    if body.args.get("group"):
        accepted = "the groups in a sub-query of their own, and the window over its rows."
        raise refuse(windows[0], "It stands beside GROUP BY.", accepted)
    named = {name.name.lower() for name in body.root().find_all(exp.Identifier)}
    texts = {node.sql("duckdb"): node for node in windows}
    columns: dict[tuple[str, str], Typed] = {}
    items: list[SelectItem] = []
    for number, node in enumerate(texts.values()):
        key = (WINDOW, f"{WINDOW}{number}")
        typed = _Window(node, rows, frozenset(named)).value
        items.append(SelectItem(f"{typed.sql} AS {output_name(key)}", output_name(key)))
        columns[key] = replace(typed, sql=output_name(key), weight=0)
    names = dict(zip(texts, columns, strict=True))
    placed = body.copy()
    listed = [*placed.expressions, *([placed.args["qualify"]] if qualify else [])]
    for copy in [node for clause in listed for node in clause.find_all(exp.Window)]:
        alias, name = names[copy.sql("duckdb")]
        copy.replace(exp.column(name, table=alias))
    select = Select((ALL, *items), (rows.select, ' AS "__rows"'), is_open=True)
    return replace(rows, select=select, columns={**rows.columns, **columns}, bare=None), placed


def qualified(body: exp.Select, rows: Rows) -> exp.Expression | None:
    """The condition of QUALIFY, in which the name of a selected column stands for its expression."""
    qualify = body.args.get("qualify")
    if qualify is None:
        return None
    selected = {item.alias.lower(): item.this for item in body.expressions if isinstance(item, exp.Alias)}

    def said(node: exp.Expr) -> exp.Expr:
        is_name = isinstance(node, exp.Column) and not node.table and not rows.knows(node.name, None)
        return selected[node.name.lower()].copy() if is_name and node.name.lower() in selected else node

    condition = qualify.this.transform(said)
    assert isinstance(condition, exp.Expression)
    return condition


@frozen
class _Window:
    """One window function over a person's rows."""

    node: exp.Expression
    rows: Rows
    named: frozenset[str]

    @property
    def value(self) -> Typed:
        """Its value, typed: bounds are those of what it takes, or of a number of rows."""
        if not isinstance(self.node, exp.Window) or self.node.args.get("alias") or self.node.args.get("first"):
            raise self._refused()
        call = self.node.this
        if type(call) in _NUMBERS and not call.args.get("expressions") and not call.this:
            self._refuse_no_order()
            is_place = isinstance(call, exp.RowNumber)
            return _counted(f"{_NUMBERS[type(call)]}() {self._with([], is_place=is_place)[1]}", least=1)
        if type(call) in _MOVED or isinstance(call, exp.FirstValue):
            return self._moved(call)
        if type(call) in _TOTALS and not isinstance(call.this, exp.Distinct):
            return self._total(call)
        raise self._refused()

    def _moved(self, call: exp.Expression) -> Typed:
        """LAG, LEAD or FIRST_VALUE: a value of another row of that person, or NULL."""
        self._refuse_no_order()
        if isinstance(call, exp.FirstValue) and self.node.args.get("spec") is not None:
            raise refuse(self.node, "Its first row is that of the part.", "FIRST_VALUE(x) without ROWS or RANGE.")
        steps = call.args.get("offset")
        many = (
            1 if steps is None else int(steps.name) if isinstance(steps, exp.Literal) and steps.name.isdigit() else -1
        )
        if call.args.get("default") is not None or not 0 <= many <= _FURTHEST:
            accepted = f"LAG(x, 1) with a number up to {_FURTHEST:,}; COALESCE(LAG(x) OVER (…), …) for another default."
            raise refuse(self.node, "It looks too far, or names a default.", accepted)
        (value,), over = self._with([call.this], is_place=True)
        name = "first_value" if isinstance(call, exp.FirstValue) else _MOVED[type(call)]
        asked = f"{value.sql}" if isinstance(call, exp.FirstValue) else f"{value.sql}, {many}"
        return replace(value, sql=f"{name}({asked}) {over}", nullable=True, is_constant=False)

    def _total(self, call: exp.Expression) -> Typed:
        """COUNT, MIN or MAX of all rows of the part, or of those up to the row in the order."""
        is_running = self._is_by_rows()
        if isinstance(call, exp.Count) and isinstance(call.this, exp.Star):
            return _counted(f"COUNT(*) {self._with([], is_place=is_running, is_running=is_running)[1]}", least=0)
        (value,), over = self._with([call.this], is_place=is_running, is_running=is_running)
        if isinstance(call, exp.Count):
            return _counted(f"COUNT({value.sql}) {over}", least=0)
        if value.kind is Kind.BOOLEAN:
            raise refuse(self.node, "It is a truth value.", "MAX(CASE WHEN … THEN 1 ELSE 0 END) OVER (…).")
        sql = f"{_TOTALS[type(call)]}({value.sql}) {over}"
        return replace(value, sql=sql, nullable=True, is_constant=False)

    def _with(
        self, values: Sequence[exp.Expression], *, is_place: bool, is_running: bool = False
    ) -> tuple[list[Typed], str]:
        """The values that it takes, and OVER (PARTITION BY the person …).

        Where the place of a row matters its order goes on with all that is named. What an engine keeps of a row has
        bounded length, as the keys of groups have.
        """
        parts = list(self.node.args.get("partition_by") or [])
        self._refuse_other_people(parts)
        order = self.node.args.get("order")
        sorts = list(order.expressions) if order else []
        keys = [part for part in parts if not names_person(part, self.rows)]
        typed = kept([type_expression(_ordered(each), self.rows) for each in (*values, *keys, *sorts)])
        taken, first, last = len(values), len(values) + len(keys), len(typed)
        within = ", ".join([UNIT, *map(unsigned_zero, typed[taken:first])])
        by = [f"{unsigned_zero(typed[place])}{_direction(sorts[place - first])}" for place in range(first, last)]
        if is_place:
            rest = [each for (_, name), each in self.rows.columns.items() if name in self.named]
            by += [f"{unsigned_zero(each)} NULLS LAST" for each in rest]
        frame = " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" if is_running else ""
        ordered = f" ORDER BY {', '.join(by)}" if by else ""
        return typed[:taken], f"OVER (PARTITION BY {within}{ordered}{frame})"

    def _refuse_other_people(self, parts: Sequence[exp.Expression]) -> None:
        if self.rows.ownership is Ownership.EACH or not any(
            names_person(part, self.rows) or is_owned(part, self.rows) for part in parts
        ):
            person = min((name for _, name in self.rows.identifiers), default="")
            accepted = f"OVER (PARTITION BY {person}, …) in a sub-query, within each person." if person else "GROUP BY."
            raise refuse(self.node, "It looks at other people's rows.", accepted)

    def _is_by_rows(self) -> bool:
        """Whether it has the frame of all rows up to this one; refused if it has another than that or the default."""
        spec = self.node.args.get("spec")
        if spec is None:
            return False
        ends = [str(spec.args.get(name) or "").upper() for name in ("start", "start_side", "end", "end_side")]
        is_running = ends[:2] == ["UNBOUNDED", "PRECEDING"] and ends[2:] in (["CURRENT ROW", ""], ["", ""])
        is_simple = is_running and self.node.args.get("order") is not None and not spec.args.get("exclude")
        if str(spec.args.get("kind") or "").upper() != "ROWS" or not is_simple:
            accepted = "no frame, or ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW."
            raise refuse(self.node, "This frame of rows has no form here.", accepted)
        return True

    def _refuse_no_order(self) -> None:
        if self.node.args.get("order") is None:
            raise refuse(self.node, "Without an order no row is before another.", "OVER (PARTITION BY … ORDER BY …).")

    def _refused(self) -> Refused:
        return refuse(self.node, "This window function has no form within one person.", _ACCEPTED)


def _counted(sql: str, least: int) -> Typed:
    """A number of rows, cut to its bounds."""
    return Typed(Kind.INTEGER, f"least({sql}, {_MOST})", Fraction(least), Fraction(_MOST), nullable=False)


def _ordered(item: exp.Expression) -> exp.Expression:
    found: exp.Expression = item.this if isinstance(item, exp.Ordered) else item
    return found


def _direction(item: exp.Expression) -> str:
    """The direction of an order, with the place of NULL written out."""
    down = " DESC" if item.args.get("desc") else ""
    return f"{down} NULLS {'FIRST' if item.args.get('nulls_first') else 'LAST'}"
