"""Columns, by name."""

from __future__ import annotations

from sqlglot import exp

from tacit.query.expressions.rule import Family, Typer
from tacit.query.expressions.shown import refuse
from tacit.query.typed import Typed


def _column(node: exp.Expression, typer: Typer) -> Typed:
    assert isinstance(node, exp.Column)
    if node.db or isinstance(node.this, exp.Star):
        raise refuse(node, "A column is named alone or with its table.", "column or table.column.")
    return typer.scope.column(node.name, node.table or None)


COLUMNS = Family("columns", ("column", "table.column"), {exp.Column: _column})
