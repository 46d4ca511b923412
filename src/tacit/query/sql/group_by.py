"""GROUP BY: its expressions by alias, by position, or by ALL."""

from __future__ import annotations

from sqlglot import exp

from tacit.errors import Refused

GROUPINGS = (exp.Cube, exp.Rollup, exp.GroupingSets)
_WITH = ("cube", "rollup", "grouping_sets", "totals")  # the keys of other dialects' parsers


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
