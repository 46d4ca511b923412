"""Groups and columns of sub-queries that belong to one person each: by the identifier, or by a key that a person owns.

A key that rows of another table point to (a visit, an order) is declared to be one person's. Nothing rests on that: in
lowered SQL every group is by the person first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.rows import Ownership, Rows


def grouped_by_person(body: exp.Select) -> exp.Select:
    """A sub-query's SELECT DISTINCT as GROUP BY all of its columns."""
    distinct = body.args.get("distinct")
    if distinct is None:
        return body
    has_totals = any(item.is_star or item.find(exp.AggFunc, exp.Window) for item in body.expressions)
    if distinct.args.get("on") or body.args.get("group") or body.args.get("qualify") or has_totals:
        accepted = "SELECT DISTINCT of columns, the identifier among them; or GROUP BY."
        raise Refused("this SELECT DISTINCT in a sub-query", "It would merge people's rows.", accepted)
    grouped = body.copy()
    grouped.set("distinct", None)
    grouped.set("group", exp.Group(all=True))
    return grouped


def refuse_mixed_groups(keys: Sequence[exp.Expression], rows: Rows) -> None:
    """Refuse groups of several people's rows."""
    if rows.ownership is not Ownership.EACH and any(names_person(key, rows) or is_owned(key, rows) for key in keys):
        return
    accepted = "GROUP BY the identifier column (and more, if needed)."
    if rows.identifiers and rows.ownership is not Ownership.EACH:
        person = min(name for _, name in rows.identifiers)
        said = ", ".join([person, *(key.sql("duckdb") for key in keys)])
        links = sorted({name for _, name in rows.links})
        keyed = f"; or by {' or '.join(links)}, which belongs to one person" if links else ""
        accepted = f"GROUP BY {said}, for rows of each person{keyed}."
    raise Refused(
        "a sub-query grouped by something else than the person",
        "Its rows would mix people, and could not be bounded by person afterwards.",
        accepted,
    )


def names_person(node: exp.Expression, rows: Rows) -> bool:
    """Whether it is the identifier."""
    return isinstance(node, exp.Column) and rows.is_identifier(node.name, node.table or None)


def is_owned(node: exp.Expression, rows: Rows) -> bool:
    """Whether it is a key that is declared to be one person's."""
    return isinstance(node, exp.Column) and bool(rows.link(node.name, node.table or None))


def handed_on(rows: Rows, body: exp.Select, inner: Rows, alias: str) -> Rows:
    """The rows of a sub-query, with the keys that it selects unchanged still known as such."""
    links: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
    for item in body.expressions:
        if isinstance(item, exp.Star):
            links |= {(alias.lower(), name): keys for (_, name), keys in inner.links.items()}
        elif is_owned(item.unalias(), inner):
            column = item.unalias()
            links[(alias.lower(), item.alias_or_name.lower())] = inner.link(column.name, column.table or None)
    return replace(rows, links={key: found for key, found in links.items() if key in rows.columns})
