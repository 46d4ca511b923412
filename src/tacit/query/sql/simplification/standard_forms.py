"""Forms of standard SQL, replaced by those that the planner knows.

A schema before the name of a table (`main.visits`), names of columns behind that of a sub-query (`t(a, b)`), and FETCH
FIRST 10 ROWS ONLY. The result is planned like any other query, so a mistake here could change the question, but never
exceed what the planner permits.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

DEFAULT_SCHEMAS = frozenset(["main", "public"])
_RENAMED = {"expressions", "from_", "joins", "where", "group", "having", "with_", "kind"}


def in_known_forms(select: exp.Select, schemas: Iterable[str] = DEFAULT_SCHEMAS) -> None:
    """Replace these forms in a query, which is changed."""
    _leave_out_schemas(select, {schema.lower() for schema in schemas})
    for fetch in list(select.find_all(exp.Fetch)):
        _limit_instead(fetch)
    for node in list(select.find_all(exp.Subquery, exp.CTE)):
        _name_inside(node)


def _leave_out_schemas(select: exp.Select, schemas: set[str]) -> None:
    """A table by its last name, where no WITH has that name: with a schema, it means the table nevertheless."""
    common = {part.alias.lower() for part in select.find_all(exp.CTE)}
    for node in select.find_all(exp.Table, exp.Column):
        name = node.table if isinstance(node, exp.Column) else node.name
        if node.args.get("db") and node.text("db").lower() in schemas and name.lower() not in common:
            node.set("db", None)
            node.set("catalog", None)


def _limit_instead(fetch: exp.Fetch) -> None:
    """FETCH FIRST n ROWS ONLY; of a part in percent, or with ties, it stays."""
    options = fetch.args.get("limit_options")
    is_plain = options is None or not (options.args.get("percent") or options.args.get("with_ties"))
    if is_plain:
        fetch.replace(exp.Limit(expression=fetch.args.get("count") or exp.Literal.number(1)))


def _name_inside(node: exp.Expr) -> None:
    """Give the items of a SELECT the names behind its alias; where they cannot be told, these stay, and are refused."""
    alias, inner = node.args.get("alias"), node.this
    if not isinstance(alias, exp.TableAlias) or not alias.columns or not isinstance(inner, exp.Select):
        return
    items, names = inner.expressions, [column.name for column in alias.columns]
    is_known = not {name for name, value in inner.args.items() if value} - _RENAMED
    if not is_known or len(names) > len(items) or any(item.is_star for item in items):
        return
    group = inner.args.get("group")
    if group is not None and not _by_position(group, items, {name.lower() for name in names}):
        return
    renamed = [
        exp.alias_(item.unalias(), column.name, quoted=column.args.get("quoted"))
        for item, column in zip(items, alias.columns, strict=False)
    ]
    inner.set("expressions", [*renamed, *items[len(names) :]])
    alias.set("columns", None)


def _by_position(group: exp.Group, items: list[exp.Expression], names: set[str]) -> bool:
    """Name groups by the positions of their items, since a new name may be that of another column.

    False, without changes, for other groups with such a name.
    """
    if {name for name, value in group.args.items() if value} - {"expressions"}:
        return bool(group.args.get("all"))
    places = {_text(item.unalias()): place for place, item in reversed([*enumerate(items, 1)])}
    places |= {item.alias.lower(): place for place, item in enumerate(items, 1) if isinstance(item, exp.Alias)}
    found = [(node, places.get(_text(node))) for node in group.expressions]
    if any(
        place is None and names & {each.name.lower() for each in node.find_all(exp.Column)} for node, place in found
    ):
        return False
    group.set("expressions", [node if place is None else exp.Literal.number(place) for node, place in found])
    return True


def _text(node: exp.Expr) -> str:
    """Its SQL; of a column without regard to case."""
    return node.sql().lower().replace('"', "") if isinstance(node, exp.Column) else node.sql()
