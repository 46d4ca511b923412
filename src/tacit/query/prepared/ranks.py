"""The SQL of ranks on kept rows, each of which carries its person's norm."""

from __future__ import annotations

from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import word_sum
from tacit.query.prepared.form import KEPT, TableForm


def kept_ranks_sql(block: RanksBlock, form: TableForm | None) -> str | None:
    """The same columns, and the same sums, as `block.sql()`: all rows of a table, one group, a column with bounds."""
    name = block.ranks.column
    if form is None or name is None or block.keys or block.ranks.edges or not block.noise.is_gaussian:
        return None
    if name not in form.numbers or not form.is_all_of(block.rows, name):
        return None
    steps, ranks, squares = form.numbers[name], block.ranks, form.squares_name(name)
    cell = f"({steps.sql} - ({ranks.low})) // {ranks.width}"
    weight = block.weight_sql(squares)
    summed = word_sum(f"CASE WHEN {squares} > {block.largest_square} THEN {weight} ELSE {block.unit} END")
    known = f" WHERE {steps.sql} IS NOT NULL" if steps.nullable else ""
    return f"SELECT {cell} AS cell, {summed} AS y0 FROM {KEPT}.{form.rows_name}{known} GROUP BY 1"
