"""The SQL of a tally and of ranks on kept totals: the same sums as from the rows.

Each measure's total is computed from the kept totals, with the square of its norm over a person's keys. Most people are
certainly within their limits, and their totals are added up directly; all others go through the block itself. Each kept
row has its person's norms, so that ranks need no second pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import ColumnSum, Measure
from tacit.query.aggregates.rank_grid import cell_sql
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import TallyBlock, group_by
from tacit.query.materialized.form import KEPT, TableForm, norms_name
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.limit import Scaling
from tacit.query.sql.clamp import WORD, cut, sum_of_words, total, word, word_sum
from tacit.query.sql.rows import UNIT, Rows, quoted
from tacit.query.sql.values.storage import double_sql

_SLACK = 2.0**-24  # more than the rounding errors of all sums and products here, over the keys of `MOST_HELD`
MOST_HELD = 2**24


@frozen
class KeptTotals:
    """Each person's kept totals by key: a table, and for each measure SQL over its columns.

    Claim: `totals` are exactly the totals that the tally's own SQL adds up; where a person holds at most MOST_HELD
    keys, the square of a measure's norm over them is at most its `squares`.
    """

    table: str
    key: str | None
    totals: tuple[str, ...]
    squares: tuple[str, ...]

    def sql(self, condition: str = "TRUE") -> str:
        """The people's totals as a tally reads them: columns "__unit", k0, v0 …."""
        keys = [f"{self.key} AS k0"] if self.key else []
        values = [f"{total} AS v{place}" for place, total in enumerate(self.totals)]
        where = "" if condition == "TRUE" else f" WHERE {condition}"
        return f"SELECT {', '.join([UNIT, *keys, *values])} FROM {self.table}{where}"


def kept_totals(
    form: TableForm | None, rows: Rows, keys: Sequence[KeyColumn], measures: Sequence[Measure]
) -> KeptTotals | None:
    """The kept totals of all rows of the table, by at most one kept key; None where they do not suffice."""
    if form is None or len(keys) > 1 or any(key.column not in form.keys for key in keys):
        return None
    of = [measure.of for measure in measures]
    known = [each for each in of if each is not None and (each.column is None or each.column in form.numbers)]
    names = [*(key.column for key in keys), *(each.column for each in known)]
    if len(known) < len(of) or not form.is_all_of(rows, *names):
        return None
    totals = tuple("1" if measure.once else _total(form, each) for measure, each in zip(measures, known, strict=True))
    if not keys:
        squares = tuple(f"CAST({total} AS DOUBLE) * CAST({total} AS DOUBLE)" for total in totals)
        return KeptTotals(f"{KEPT}.{form.people_name}", None, totals, squares)
    name = form.pairs_name(str(keys[0].column))
    squares = tuple(
        "CAST(held AS DOUBLE)" if measure.once else _squares(form, each)
        for measure, each in zip(measures, known, strict=True)
    )
    return KeptTotals(f"{KEPT}.{name}", "key", totals, squares)


def _total(form: TableForm, of: ColumnSum) -> str:
    if of.column is None:
        return quoted("rows")
    if of.centre is None:
        return quoted(_present(form, of.column))
    total = quoted(f"sum {of.column}")
    if of.centre == 0:
        return total
    return f"(CAST({total} AS HUGEINT) - CAST({of.centre} AS HUGEINT) * {quoted(_present(form, of.column))})"


def _squares(form: TableForm, of: ColumnSum) -> str:
    if of.column is None:
        return quoted("squares")
    present = _present(form, of.column)
    counts = quoted("squares" if present == "rows" else f"counts {of.column}")
    if of.centre is None:
        return counts
    squares = quoted(f"squares {of.column}")
    if of.centre == 0:
        return squares
    cross, centre = quoted(f"cross {of.column}"), float(of.centre)
    far = f"{double_sql(centre * centre)} * {counts}"
    slack = f"{double_sql(4 * _SLACK)} * ({squares} + {far})"  # the difference may be far smaller than its terms
    return f"({squares} - {double_sql(2 * centre)} * {cross} + {far} + {slack})"


def _present(form: TableForm, column: str) -> str:
    return f"present {column}" if form.numbers[column].nullable else "rows"


_SURELY = 1 - 2.0**-20


def kept_tally_sql(block: TallyBlock, kept: KeptTotals) -> str:
    """The same columns, and the same sums, as `block.sql()`.

    Claim: people that `_light` accepts would not be scaled, nor cut except to 64 bits, so the plain sums of their
    totals are what the block would add up; all others go through the block itself. Whether a person is light depends on
    their own rows only.
    """
    light = _light(block, kept)
    groups = ["k0"] if kept.key else []
    names = [f"y{place}" for place in range(len(block.measures))]
    sums = [
        f"{_scaled_sum(total, scaling, block, is_joined)} AS {name}"
        for name, total, scaling, is_joined in zip(names, kept.totals, block.scalings, block.joined, strict=True)
    ]
    weights = [f"{word_sum(block.rule.weight('held'))} AS w"] if block.rule else []
    keys = [f"{kept.key} AS k0"] if kept.key else []
    plain = f"SELECT {', '.join([*keys, *sums, *weights])} FROM {kept.table} WHERE {light}" + group_by(groups)
    rest = block.sql(f"({kept.sql(f'NOT ({light})')})")
    columns = [*names, "w"] if block.rule else names
    listed = ", ".join([*groups, *(f"{sum_of_words(name)} AS {name}" for name in columns)])
    both = f'(({plain}) UNION ALL ({rest})) AS "__both"'
    return f"SELECT {listed} FROM {both}" + group_by(groups)


def _scaled_sum(kept: str, scaling: Scaling, block: TallyBlock, is_joined: bool) -> str:
    """The sum of scaled totals; multiplied once, after the sum, where that is the same.

    By the kept norms no light person is beyond the limit; their totals are cut to it nevertheless.
    """
    most = min(floor(block.noise.radius / scaling.scale), WORD) if is_joined else scaling.cap
    value = cut(kept, -most, most)
    return word_sum(value.scaled(1, scaling.over)) if scaling.over > 1 else word(f"{total(value)} * {scaling.times}")


def _light(block: TallyBlock, kept: KeptTotals) -> str:
    """Whether a person is certainly within the limits, as a condition on a kept row.

    A norm in ℓ₁ is at most √held times that in ℓ₂. Where each total is cut at its own cap, norms within the caps are
    enough: each coordinate at its cap fills its share of the radius. Division cuts towards zero, so it does not
    increase the norm.
    """
    spread = "" if block.noise.is_gaussian or not kept.key else " * held"
    each = [*zip(kept.squares, block.scalings, block.joined, strict=True)]
    alone = [(square, scaling) for square, scaling, is_joined in each if not is_joined]
    joined = [(square, scaling) for square, scaling, is_joined in each if is_joined]
    tests = [f"held <= {MOST_HELD}"] if kept.key else []
    tests += [f"{square}{spread} <= {double_sql(float(s.cap) ** 2 * _SURELY)}" for square, s in alone]
    if joined and block.noise.is_gaussian:
        norm = " + ".join(f"{double_sql(float(s.scale) ** 2)} * {square}" for square, s in joined)
        tests.append(f"{norm} <= {double_sql(float(block.joint_limit) * _SURELY)}")
    elif joined:
        norm = " + ".join(f"{double_sql(s.scale)} * sqrt({square}{spread})" for square, s in joined)
        tests.append(f"{norm} <= {double_sql(float(block.joint_limit) * _SURELY)}")
    return " AND ".join(tests) or "TRUE"


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
