"""FROM and WHERE: tables, joins, sub-queries and common table expressions, read into private rows.

WHERE keeps the rows for which a predicate is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.bounded_join import linked
from tacit.query.sql.expressions.rule_registry import type_expression, type_predicate
from tacit.query.sql.group_by import group_keys
from tacit.query.sql.join_order import FromItem, JoinStep, join_order
from tacit.query.sql.joins import conjuncts, join_public
from tacit.query.sql.known_values import certain, known_domain
from tacit.query.sql.owned_keys import grouped_by_person, handed_on, names_person, refuse_mixed_groups
from tacit.query.sql.per_person import per_person
from tacit.query.sql.rows import ALL, UNIT, Ownership, Rows, Select, SelectItem
from tacit.query.sql.scan import once_named, output_name, public_rows, scan, visible
from tacit.query.sql.semi_joins import with_matches
from tacit.query.sql.sub_query import Reader, semi_join
from tacit.query.sql.values.domains import HANDED_ON, kept
from tacit.query.sql.values.typed import Typed
from tacit.query.sql.windows import WINDOW, qualified, with_windows
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Lookup, Table, Through

_PLAIN = {"expressions", "from_", "joins", "where", "group", "having", "with_", "kind", "hint", "distinct", "qualify"}

_LONGEST = 2**22  # letters of SQL: a relation that is joined to itself is written twice, and so on

Named = Mapping[str, exp.Select]


def read_rows(select: exp.Select, catalogue: Catalogue, named: Named | None = None) -> Rows:
    """The rows that a SELECT aggregates or projects: its FROM, its joins and its WHERE."""
    known = {**(named or {}), **_named(select)}
    rows, condition = _origin(select, catalogue, known)
    return rows if condition is None else _filtered(rows, condition, catalogue, known)


def _origin(
    select: exp.Select, catalogue: Catalogue, known: Named, may_be_public: bool = False
) -> tuple[Rows, exp.Expression | None]:
    """The rows of FROM with its joins, and what these leave of WHERE."""
    origin = select.args.get("from_")
    if origin is None:
        raise Refused("a SELECT without FROM", "There are no rows to ask about.", "SELECT … FROM a described table.")
    written = select.args.get("joins") or []
    tests = [test for join in written if (test := semi_join(join)) is not None]
    sources = [
        _source(origin.this, None, catalogue, known),
        *(_source(join.this, join, catalogue, known) for join in written if semi_join(join) is None),
    ]
    first = sources[0].relation
    if may_be_public and isinstance(first, Lookup) and all(source.is_public for source in sources):
        sources[0] = replace(sources[0], relation=public_rows(first, sources[0].alias, catalogue))
    where = select.args.get("where")
    order = join_order(sources, where.this if where else None)
    rows = order.first
    for step in order.steps:
        rows = _joined(rows, step, select, catalogue)
        if not len(rows.sql) <= _LONGEST:
            raise Refused("so many joined tables", "Written out, the query is too long to be run.", "fewer joins.")
    for test in tests:
        rows = _filtered(rows, test, catalogue, known)
    return rows, order.where


def _source(node: exp.Expression, join: exp.Join | None, catalogue: Catalogue, named: Named) -> FromItem:
    relation, implied = _read(node, catalogue, named), frozenset[str]()
    table = catalogue.description.tables.get(relation.bare or "") if isinstance(relation, Rows) else None
    if isinstance(relation, Rows) and table is not None and isinstance(table.owner, Through):
        implied = frozenset(name for _, name in relation.identifiers)
    return FromItem(node.alias or node.name, relation, join, implied)


def _filtered(rows: Rows, predicate: exp.Expression, catalogue: Catalogue, known: Named) -> Rows:
    """The rows on which a condition is true; sub-queries in it are read with the same named SELECTs."""

    def inside(body: exp.Select) -> Named:
        return {**known, **_named(body)}

    reader = Reader(
        lambda body: _origin(body, catalogue, inside(body), may_be_public=True),
        lambda others, body, part: _filtered(others, part, catalogue, inside(body)),
    )
    found, condition = with_matches(rows, predicate, reader)
    return replace(filtered(found, condition), columns=rows.columns)


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


def _joined(left: Rows, step: JoinStep, query: exp.Select, catalogue: Catalogue) -> Rows:
    right, kind, condition = step.source.relation, step.kind, step.condition
    if isinstance(right, Lookup):
        return join_public(left, right, step.source.alias, kind, condition, catalogue, _shown_names(query))
    if not any(isinstance(part.unnest(), exp.EQ) for part in conjuncts(condition)):
        raise Refused("a join without an equality", "Every row would meet every other.", "ON a.column = b.column.")
    return linked(left, right, query, kind, condition)


def _shown_names(query: exp.Select) -> set[str]:
    """The names in SELECT and GROUP BY, outside of aggregates: columns that groups may be of."""
    selects = list(query.root().find_all(exp.Select))
    parts = [part for each in selects for part in (*each.expressions, each.args.get("group")) if part]
    nodes = (node for part in parts for node in part.walk(prune=lambda node: isinstance(node, exp.AggFunc)))
    return {node.name.lower() for node in nodes if isinstance(node, exp.Column)}


def _sub_query(body: exp.Expression, alias: str, catalogue: Catalogue, named: Named) -> Rows:
    if not isinstance(body, exp.Select) or {key for key, value in body.args.items() if value} - _PLAIN:
        raise Refused(
            "this sub-query", "It is not a plain SELECT.", "SELECT … FROM … WHERE …, or one with GROUP BY the person."
        )
    body = grouped_by_person(body)
    rows, body = with_windows(read_rows(body, catalogue, named), body)
    if body.args.get("group"):
        keys = group_keys(body)
        refuse_mixed_groups(keys, rows)
        most = _most_rows(body, catalogue, {**named, **_named(body)})
        grouped = per_person(body, rows, alias, [key for key in keys if not names_person(key, rows)], most)
        return handed_on(grouped, body, rows, alias)
    if body.args.get("having") or any(item.find(exp.AggFunc) for item in body.expressions):
        raise Refused(
            "an aggregate in a sub-query", "It would mix people.", "GROUP BY the identifier column in the sub-query."
        )
    condition = qualified(body, rows)
    whole = rows if condition is None else filtered(rows, condition)
    return handed_on(_projected(body, whole, alias), body, rows, alias)


def _projected(body: exp.Select, rows: Rows, alias: str) -> Rows:
    """The rows with the columns that a sub-query selects; the owner's column is added implicitly."""
    columns: dict[tuple[str, str], Typed] = {}
    known: dict[tuple[str, str], Typed] = {}
    identifiers: set[tuple[str, str]] = set()
    for item in body.expressions:
        if isinstance(item, exp.Star):
            for (_, name), typed in ((key, typed) for key, typed in rows.columns.items() if key[0] != WINDOW):
                key = once_named(alias, name, columns, identifiers)
                columns[key] = typed
                known[key] = rows.known.get(typed.sql, typed)
            identifiers |= {once_named(alias, name, columns) for _, name in rows.identifiers}
            continue
        inner, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, item.alias_or_name)
        if isinstance(inner, exp.Column) and rows.is_identifier(inner.name, inner.table or None):
            identifiers.add(once_named(alias, name or inner.name, columns))
            continue
        if not name:
            raise Refused(f"{inner.sql('duckdb')} without a name", "The outer query could not call it.", "… AS a_name.")
        typed = type_expression(inner, rows)
        key = once_named(alias, name, columns, identifiers)
        columns[key], known[key] = typed, known_domain(inner, typed, rows)
    said = {key: typed for key, typed in known.items() if typed is not columns[key]}
    columns = dict(zip(columns, kept(list(columns.values()), HANDED_ON), strict=True))
    said = {key: typed for key, typed in said.items() if typed.sql == columns[key].sql}
    listed = [SelectItem(f"{typed.sql} AS {output_name(key)}", output_name(key)) for key, typed in columns.items()]
    people = [] if rows.ownership is Ownership.EACH else [SelectItem(UNIT)]
    select = Select((*people, *listed), (rows.select, ' AS "__rows"'))
    names, told = frozenset(identifiers), {output_name(key): typed for key, typed in visible(said).items()}
    own = replace(rows, select=select, columns=visible(columns), identifiers=names, absent=frozenset())
    return replace(own, known=told, bare=None, matches=0)


def filtered(rows: Rows, predicate: exp.Expression) -> Rows:
    """The rows on which the predicate is true; rows where it is NULL are excluded, as in SQL."""
    condition = type_predicate(predicate, rows)
    if condition.is_constant and condition.keys == (True,):
        return rows
    select = Select((ALL,), (rows.select, f' AS "__rows" WHERE {condition.sql}'), is_open=True)
    return replace(rows, select=select, bare=None, known=certain(predicate, rows))
