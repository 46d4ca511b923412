"""Sub-selects merged into the SELECT around them, where that does not change the query's meaning.

The result is planned like any other query, so a mistake here could change the question, but never exceed what the
planner permits.
"""

from __future__ import annotations

from sqlglot import exp

from tacit.query.sql.simplification.substitution import (
    aggregates,
    looks_at_other_rows,
    meanings,
    own_columns,
    put_in_place,
    sources,
)

_KNOWN = {
    *("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "kind"),
}
_ROWS_ONLY = {"expressions", "from_", "joins", "where", "order", "kind"}


def merged(select: exp.Select) -> exp.Select:
    """The same query in as few SELECTs as possible, with tables under their own names."""
    whole = select.copy()
    for common in whole.args["with_"].expressions if whole.args.get("with_") else []:
        if isinstance(common.this, exp.Select):
            common.set("this", merged(common.this))
    whole = _merged(whole)
    for part in whole.find_all(exp.Select):
        _call_by_own_names(part)
    return whole


def _merged(select: exp.Select) -> exp.Select:
    for source in sources(select):
        if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Select):
            source.set("this", _merged(source.this))
    for join in select.args.get("joins") or []:
        _merge_right(select, join)
    origin = select.args.get("from_")
    inner = origin.this.this if origin and isinstance(origin.this, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or not _is_known(select, {*_KNOWN, "with_"}) or not _is_known(inner, _KNOWN):
        return select
    if origin is None or looks_at_other_rows(inner):
        return select
    around, alias = select.copy(), origin.this.alias
    if aggregates(inner) or inner.args.get("distinct"):
        return _above(around, inner.copy(), alias) or select
    return _below(around, inner.copy(), alias) or select


def _below(select: exp.Select, inner: exp.Select, alias: str) -> exp.Select | None:
    """A SELECT of rows, read by another: its tables and conditions go there. An ORDER BY without LIMIT is dropped."""
    if not _is_known(inner, _ROWS_ONLY) or not _tables_differ(select, inner) or not _joins_keep_left(select):
        return None
    meaning = meanings(inner)
    if meaning is None or not _star_taken_over(select, inner) or not put_in_place(select, alias, meaning):
        return None
    select.set("from_", inner.args["from_"])
    select.set("joins", [*(inner.args.get("joins") or []), *(select.args.get("joins") or [])])
    _both(select, "where", inner.args.get("where"), select.args.get("where"))
    return select


def _above(select: exp.Select, inner: exp.Select, alias: str) -> exp.Select | None:
    """Groups that another SELECT computes with, filters, sorts or cuts: WHERE becomes HAVING."""
    if aggregates(select) or select.args.get("joins") or select.args.get("distinct") or not _grouped(inner):
        return None
    changes = any(select.args.get(name) for name in ("where", "order", "limit", "offset"))
    if changes and (inner.args.get("limit") or inner.args.get("offset")):
        return None
    meaning = meanings(inner)
    if meaning is None or not _star_taken_over(select, inner) or not put_in_place(select, alias, meaning):
        return None
    inner.set("expressions", select.expressions)
    _both(inner, "having", inner.args.get("having"), select.args.get("where"))
    for name in ("order", "limit", "offset"):
        if select.args.get(name):
            inner.set(name, select.args[name])
    inner.set("with_", select.args.get("with_"))
    return inner


def _grouped(inner: exp.Select) -> bool:
    """Names each group by its expression, since what is selected may change; DISTINCT is a way to group."""
    distinct, group = inner.args.get("distinct"), inner.args.get("group")
    if distinct:
        if aggregates(inner) or distinct.args.get("on") or any(item.is_star for item in inner.expressions):
            return False
        inner.set("distinct", None)
        inner.set("group", exp.Group(expressions=[item.unalias().copy() for item in inner.expressions]))
    elif group:
        if {name for name, value in group.args.items() if value} - {"expressions"}:
            return False
        group.set("expressions", [_named(node, inner) for node in group.expressions])
    group = inner.args.get("group")
    return group is None or not any(isinstance(node, exp.Literal) for node in group.expressions)


def _named(node: exp.Expression, inner: exp.Select) -> exp.Expression:
    is_position = isinstance(node, exp.Literal) and node.name.isdigit() and int(node.name) <= len(inner.expressions)
    return inner.expressions[int(node.name) - 1].unalias().copy() if is_position else node


def _merge_right(select: exp.Select, join: exp.Join) -> None:
    """A joined sub-select that only lists or renames the columns of one table is that table."""
    source = join.this
    inner = source.this if isinstance(source, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or not _is_known(inner, {"expressions", "from_", "kind"}):
        return
    is_listing = all(item.is_star or isinstance(item.unalias(), exp.Column) for item in inner.expressions)
    meaning = meanings(inner) if is_listing and isinstance(sources(inner)[0], exp.Table) else None
    has_star = any(item.is_star for item in select.expressions)
    if meaning is None or has_star or not _tables_differ(select, inner):
        return
    if put_in_place(select, source.alias, meaning):
        source.replace(sources(inner)[0])


def _star_taken_over(select: exp.Select, inner: exp.Select) -> bool:
    """Write out SELECT *; False if that is impossible."""
    if not any(item.is_star for item in select.expressions):
        return True
    if len(select.expressions) != 1 or len(sources(select)) != 1:
        return False
    select.set("expressions", [_selected(item, sources(select)[0].alias) for item in inner.expressions])
    return True


def _selected(item: exp.Expression, alias: str) -> exp.Expression:
    return exp.Star() if item.is_star else exp.column(item.alias_or_name, table=alias, quoted=True)


def _both(select: exp.Select, clause: str, first: exp.Expression | None, second: exp.Expression | None) -> None:
    kept = [part.this for part in (first, second) if part]
    kind = exp.Where if clause == "where" else exp.Having
    select.set(clause, kind(this=exp.and_(*kept)) if kept else None)


def _is_known(select: exp.Select, known: set[str]) -> bool:
    return not {name for name, value in select.args.items() if value} - known


def _tables_differ(select: exp.Select, inner: exp.Select) -> bool:
    names = [source.alias_or_name.lower() for source in (*sources(select), *sources(inner))]
    return len(set(names)) == len(names)


def _joins_keep_left(select: exp.Select) -> bool:
    """Whether a condition on the relations before the joins can be applied after them."""
    kinds = ({str(word).upper() for word in (join.side, join.kind) if word} for join in select.args.get("joins") or [])
    return all(words <= {"LEFT", "INNER", "OUTER"} for words in kinds)


def _call_by_own_names(select: exp.Select) -> None:
    """Drop an alias where the table's own name means the same."""
    every = sources(select)
    names = [name.lower() for source in every for name in {source.alias_or_name, source.name} if name]
    for source in every:
        alias = source.alias
        if isinstance(source, exp.Table) and alias and names.count(source.name.lower()) == 1:
            for column in own_columns(select):
                if column.table.lower() == alias.lower():
                    column.set("table", exp.to_identifier(source.name, quoted=True))
            source.set("alias", None)
