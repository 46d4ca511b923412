"""GROUP BY: the expressions it names, be it by alias, by position or by ALL."""

from __future__ import annotations

from sqlglot import exp

from tacit.errors import Refused


def group_keys(select: exp.Select) -> list[exp.Expression]:
    """The group expressions, aliases and positions replaced by what they stand for."""
    group = select.args.get("group")
    if group is None:
        return []
    for name in ("grouping_sets", "cube", "rollup"):
        if group.args.get(name):
            raise Refused(
                f"GROUP BY {name.replace('_', ' ').upper()}",
                "Each of its tables would be a release of its own.",
                "one query for each grouping.",
            )
    items = select.expressions
    if group.args.get("all"):
        return [_body(item) for item in items if not item.find(exp.AggFunc, exp.WithinGroup)]
    return [_resolved(node, items) for node in group.expressions]


def _resolved(node: exp.Expression, items: list[exp.Expression]) -> exp.Expression:
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
