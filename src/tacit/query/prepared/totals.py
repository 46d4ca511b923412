"""A tally's totals in terms of what is kept: each measure's total, and the square of its norm over a person's keys."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.frozen import frozen
from tacit.query.aggregates.parts import ColumnSum, Measure
from tacit.query.expressions.storage import double_sql
from tacit.query.plans.key_column import KeyColumn
from tacit.query.prepared.form import KEPT, TableForm
from tacit.query.relations.rows import UNIT, Rows, quoted

_SLACK = 2.0**-24  # more than all sums and products here can lose in double precision, over the keys of `MOST_HELD`
MOST_HELD = 2**24


@frozen
class KeptTotals:
    """Each person's totals by key, as they are kept: a table, and for each measure SQL over its columns.

    Claim: `totals` are the very totals that the tally's own SQL adds up; where a person holds at most MOST_HELD keys,
    the square of a measure's norm over them is at most its `squares`.
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
    """Where totals of all rows of the table, by at most one kept key, can be read off; None where they cannot."""
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
