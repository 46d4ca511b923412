"""FROM, WHERE and GROUP BY: tables, joins, sub-queries and common table expressions, read into private rows.

WHERE keeps the rows for which a predicate is true. GROUP BY names its expressions by alias, by position, or by ALL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.bounded_join import linked
from tacit.query.sql.expressions.rule_registry import type_expression, type_predicate
from tacit.query.sql.joins import conjuncts, join_kind, join_public
from tacit.query.sql.per_person import per_person
from tacit.query.sql.rows import ALL, UNIT, Ownership, Rows, Select, SelectItem
from tacit.query.sql.scan import once_named, output_name, scan, visible
from tacit.query.sql.values.domains import HANDED_ON, kept
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Lookup, Table

_PLAIN = {"expressions", "from_", "joins", "where", "group", "having", "with_", "kind", "hint", "distinct"}

GROUPINGS = (exp.Cube, exp.Rollup, exp.GroupingSets)
_WITH = ("cube", "rollup", "grouping_sets", "totals")  # the keys of other dialects' parsers

_LONGEST = 2**22  # letters of SQL: a relation that is joined to itself is written twice, and so on

Named = Mapping[str, exp.Select]


def read_rows(select: exp.Select, catalogue: Catalogue, named: Named | None = None) -> Rows:
    """The rows that a SELECT aggregates or projects: its FROM, its joins and its WHERE."""
    known = {**(named or {}), **_named(select)}
    origin = select.args.get("from_")
    if origin is None:
        raise Refused("a SELECT without FROM", "There are no rows to ask about.", "SELECT … FROM a described table.")
    rows = _read(origin.this, catalogue, known)
    if isinstance(rows, Lookup):
        raise Refused(
            f"a query of {rows.name} alone", "It is public: no privacy is needed.", "the table itself, read as it is."
        )
    for join in select.args.get("joins") or []:
        rows = _join(rows, join, catalogue, known)
        if not len(rows.sql) <= _LONGEST:
            raise Refused("so many joined tables", "Written out, the query is too long to be run.", "fewer joins.")
    where = select.args.get("where")
    return filtered(rows, where.this) if where else rows


def _most_rows(select: exp.Select, catalogue: Catalogue, named: Named) -> int | None:
    """The most rows of a person, where it is declared for the only table that is read."""
    origin = select.args["from_"].this
    is_alone = isinstance(origin, exp.Table) and not select.args.get("joins") and origin.name.lower() not in named
    table = catalogue.table(origin.name) if is_alone else None
    return table.at_most.rows if isinstance(table, Table) else None


def _named(select: exp.Select) -> dict[str, exp.Select]:
    clause = select.args.get("with_")
    if clause is None:
        return {}
    if clause.args.get("recursive"):
        raise Refused("WITH RECURSIVE", "A recursion has no bound.", "WITH without RECURSIVE.")
    for part in clause.expressions:
        _refuse_own_name(part.alias)
        _refuse_column_names(part)
    return {part.alias.lower(): part.this for part in clause.expressions}


def _refuse_own_name(name: str) -> None:
    if name.startswith("__"):
        raise Refused(f"the name {name}", "Names that begin with __ are Tacit's own.", "AS a_name.")


def _refuse_column_names(node: exp.Expression) -> None:
    """Refuses `v(a, b)`: it renames columns by their order, which is not part of a table's description."""
    named = node.args.get("alias")
    if isinstance(named, exp.TableAlias) and named.columns:
        listed = ", ".join(column.name for column in named.columns)
        raise Refused(
            f"{node.alias}({listed})",
            "Names for the columns behind the name of a table would rename them by their order.",
            f"{node.alias} alone; and in a sub-query, SELECT … AS {named.columns[0].name}.",
        )


def _read(node: exp.Expression, catalogue: Catalogue, named: Named) -> Rows | Lookup:
    if "." in (node.alias or node.name):
        raise Refused(f"the name {node.alias or node.name}", "A dot stands between a table and a column.", "AS a_name.")
    _refuse_own_name(node.alias)
    _refuse_column_names(node)
    if isinstance(node, exp.Subquery):
        if {key for key, value in node.args.items() if value} - {"this", "alias"}:
            raise Refused("this sub-query", "Something stands behind it that has no form here.", "(SELECT …) AS t.")
        return _sub_query(node.this, node.alias or "__sub", catalogue, named)
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier) or node.args.get("db"):
        raise Refused(f"FROM {node.sql('duckdb')}", "It is no described table.", "a table of the description, by name.")
    if {key for key, value in node.args.items() if value} - {"this", "alias"}:
        raise Refused(f"FROM {node.sql('duckdb')}", "Only whole tables are read.", f"FROM {node.name}.")
    alias = node.alias or node.name
    if node.name.lower() in named:
        earlier = {name: body for name, body in named.items() if name != node.name.lower()}
        return _sub_query(named[node.name.lower()], alias, catalogue, earlier)
    table = catalogue.table(node.name)
    return table if isinstance(table, Lookup) else scan(table, alias, catalogue)


def _join(left: Rows, join: exp.Join, catalogue: Catalogue, named: Named) -> Rows:
    kind = join_kind(join)
    right = _read(join.this, catalogue, named)
    alias = join.this.alias or join.this.name
    condition = join.args.get("on") or _using(join.args.get("using") or [], left, alias)
    if isinstance(right, Lookup):
        return join_public(left, right, alias, kind, condition, catalogue)
    if not any(isinstance(part.unnest(), exp.EQ) for part in conjuncts(condition)):
        raise Refused("a join without an equality", "Every row would meet every other.", "ON a.column = b.column.")
    return linked(left, right, join, kind, condition)


def _using(names: list[exp.Expression], left: Rows, alias: str) -> exp.Expression:
    parts: list[exp.Expression] = []
    for name in names:
        owners = [key[0] for key in (*left.columns, *left.identifiers) if key[1] == name.name.lower()]
        if not owners:
            raise Refused(f"USING ({name.name})", "The first table has no such column.", "a column of both tables.")
        parts.append(exp.EQ(this=exp.column(name.name, owners[0]), expression=exp.column(name.name, alias)))
    return reduce(lambda first, second: exp.And(this=first, expression=second), parts)


def _sub_query(body: exp.Expression, alias: str, catalogue: Catalogue, named: Named) -> Rows:
    if not isinstance(body, exp.Select) or {key for key, value in body.args.items() if value} - _PLAIN:
        raise Refused(
            "this sub-query", "It is not a plain SELECT.", "SELECT … FROM … WHERE …, or one with GROUP BY the person."
        )
    if body.args.get("distinct"):
        raise Refused("SELECT DISTINCT in a sub-query", "It would merge people's rows.", "GROUP BY the person.")
    rows = read_rows(body, catalogue, named)
    if body.args.get("group"):
        keys = group_keys(body)
        people = [
            key for key in keys if isinstance(key, exp.Column) and rows.is_identifier(key.name, key.table or None)
        ]
        if not people or rows.ownership is Ownership.EACH:
            raise Refused(
                "a sub-query grouped by something else than the person",
                "Its rows would mix people, and could not be bounded by person afterwards.",
                "GROUP BY the identifier column (and more, if needed).",
            )
        most = _most_rows(body, catalogue, {**named, **_named(body)})
        return per_person(body, rows, alias, [key for key in keys if key not in people], most)
    if body.args.get("having") or any(item.find(exp.AggFunc) for item in body.expressions):
        raise Refused(
            "an aggregate in a sub-query", "It would mix people.", "GROUP BY the identifier column in the sub-query."
        )
    return _projected(body, rows, alias)


def _projected(body: exp.Select, rows: Rows, alias: str) -> Rows:
    """The rows with the columns that a sub-query selects; the owner's column is added implicitly."""
    columns: dict[tuple[str, str], Typed] = {}
    identifiers: set[tuple[str, str]] = set()
    for item in body.expressions:
        if isinstance(item, exp.Star):
            for (_, name), typed in rows.columns.items():
                key = once_named(alias, name, columns, identifiers)
                columns[key] = typed
            identifiers |= {once_named(alias, name, columns) for _, name in rows.identifiers}
            continue
        inner, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, item.alias_or_name)
        if isinstance(inner, exp.Column) and rows.is_identifier(inner.name, inner.table or None):
            identifiers.add(once_named(alias, name or inner.name, columns))
            continue
        if not name:
            raise Refused(f"{inner.sql('duckdb')} without a name", "The outer query could not call it.", "… AS a_name.")
        typed = type_expression(inner, rows)
        columns[once_named(alias, name, columns, identifiers)] = typed
    columns = dict(zip(columns, kept(list(columns.values()), HANDED_ON), strict=True))
    listed = [SelectItem(f"{typed.sql} AS {output_name(key)}", output_name(key)) for key, typed in columns.items()]
    people = [] if rows.ownership is Ownership.EACH else [SelectItem(UNIT)]
    select = Select((*people, *listed), (rows.select, ' AS "__rows"'))
    return replace(rows, select=select, columns=visible(columns), identifiers=frozenset(identifiers), bare=None)


def filtered(rows: Rows, predicate: exp.Expression) -> Rows:
    """The rows on which the predicate is true; rows where it is NULL are excluded, as in SQL."""
    condition = type_predicate(predicate, rows)
    if condition.is_constant and condition.keys == (True,):
        return rows
    select = Select((ALL,), (rows.select, f' AS "__rows" WHERE {condition.sql}'), is_open=True)
    return replace(rows, select=select, bare=None)


def group_keys(select: exp.Select) -> list[exp.Expression]:
    """The group expressions, with aliases and positions replaced by their expressions."""
    group = select.args.get("group")
    if group is None:
        return []
    if any(isinstance(node, GROUPINGS) for node in group.expressions) or any(map(group.args.get, _WITH)):
        raise Refused(
            "GROUP BY with CUBE, ROLLUP or GROUPING SETS in one query",
            "It asks for several tables.",
            "`tacit tables`, which releases them together at one price; or one query for each grouping.",
        )
    items = select.expressions
    if group.args.get("all"):
        return [_body(item) for item in items if not item.find(exp.AggFunc, exp.WithinGroup)]
    return [resolved_key(node, items) for node in group.expressions]


def resolved_key(node: exp.Expression, items: list[exp.Expression]) -> exp.Expression:
    """The expression of a GROUP BY node: an alias or a position means the item of SELECT."""
    if isinstance(node, exp.Literal) and not node.is_string:
        position = int(node.name) if node.name.isdigit() else 0
        if not 1 <= position <= len(items):
            raise Refused(f"GROUP BY {node.name}", "There is no such item in SELECT.", f"1 to {len(items)}.")
        return _body(items[position - 1])
    if isinstance(node, exp.Column) and not node.table:
        for item in items:
            if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                return _body(item)
    return node


def _body(item: exp.Expression) -> exp.Expression:
    body: exp.Expression = item.this if isinstance(item, exp.Alias) else item
    return body
