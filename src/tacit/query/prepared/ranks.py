"""The SQL of ranks on kept rows, each of which carries its person's norm."""

from __future__ import annotations

from dataclasses import replace

from tacit.query.aggregates.even_grid import cell_sql
from tacit.query.lowering.clamp import sum_of_words, word_sum
from tacit.query.lowering.ranks import RanksBlock
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
    weight = block.weight(squares)
    rows = f"{KEPT}.{form.rows_name} WHERE {steps.sql} IS NOT NULL"
    valued = f'(SELECT {ranks.value(steps.sql)} AS value, {weight} AS weight FROM {rows}) AS "__valued"'
    weights = word_sum(weight.named("weight"))
    if ranks.edges and ranks.high - ranks.low < _FEW_VALUES:
        valued = f'(SELECT value, {weights} AS weight FROM {valued} GROUP BY value) AS "__added"'
        weights = sum_of_words("weight")
    return f"SELECT {cell_sql(ranks, 'value')} AS cell, {weights} AS y0 FROM {valued} GROUP BY 1"
