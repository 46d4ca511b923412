"""The SQL of ranks on kept rows, each of which carries its person's norm."""

from __future__ import annotations

from dataclasses import replace

from tacit.query.aggregates.even_grid import cell_sql
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import word_sum
from tacit.query.prepared.form import KEPT, TableForm, norms_name

_FEW_VALUES = 2**20


def kept_ranks_sql(block: RanksBlock, form: TableForm | None) -> str | None:
    """The same columns, and the same sums, as `block.sql()`: all rows of a table, one group, a column with bounds.

    The cell of an even grid takes many comparisons. Where values are few, rows are added up by value first.
    """
    ranks, name = block.ranks, block.ranks.column
    if form is None or name is None or block.keys or not block.noise.is_gaussian:
        return None
    squares = norms_name(ranks)
    grid = form.norms.get(squares)
    if grid is None or replace(grid, sql=ranks.sql) != ranks or not form.is_all_of(block.rows, name):
        return None
    steps = form.numbers[name]
    weight = f"CASE WHEN {squares} > {block.largest_square} THEN {block.weight_sql(squares)} ELSE {block.unit} END"
    known = f" WHERE {steps.sql} IS NOT NULL" if steps.nullable else ""
    rows, is_by_value = f"{KEPT}.{form.rows_name}{known}", ranks.edges and ranks.high - ranks.low < _FEW_VALUES
    summed = f"SUM({weight}) AS weight FROM {rows} GROUP BY 1" if is_by_value else f"{weight} AS weight FROM {rows}"
    valued = f'(SELECT {steps.sql} AS value, {summed}) AS "__valued"'
    return f"SELECT {cell_sql(ranks, 'value')} AS cell, {word_sum('weight')} AS y0 FROM {valued} GROUP BY 1"
