"""The SQL that makes a prepared form: rows in the order of people, then totals, then totals by key with their norms."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.frozen import frozen
from tacit.query.aggregates.parts import Ranks
from tacit.query.lowering.clamp import product_sum, total
from tacit.query.lowering.rank_norms import squares_sql
from tacit.query.prepared.form import KEPT, TableForm
from tacit.query.relations.rows import UNIT, Ownership, Rows, quoted
from tacit.query.relations.select import ALL, Select

_READ = '"__rows"'
_WORD = 2**62
_SMALL = 2**26  # values below fit 64 bits when a person's are added up, for nobody has 2^36 rows


@frozen
class Step:
    """A table that is made: its name, its SQL, and what that is in words. A draft is dropped in the end."""

    words: str
    name: str
    sql: str
    is_draft: bool = False


def steps_of(form: TableForm) -> Iterator[Step]:
    """All steps, in order; the first reads the rows as the description says."""
    read = quoted(f"__read {form.table}")
    yield Step(f"{form.table}: reading", read, form.reading.sql, is_draft=True)
    norms = [_rank_norms(form, read, grid, place) for place, grid in enumerate(form.norms.values())]
    yield from norms
    everybody = quoted(f"__norms {form.table}")
    yield Step(f"{form.table}: norms by person", everybody, _norms_sql(form, read, norms), is_draft=True)
    yield Step(f"{form.table}: rows by person", _kept(form.rows_name), _rows_sql(form, read, everybody))
    totals = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in _totals(form).items())
    rows = _kept(form.rows_name)
    people = f"SELECT {UNIT}, {totals} FROM {rows} GROUP BY {UNIT} ORDER BY {quoted('rows')}"
    yield Step(f"{form.table}: totals by person", _kept(form.people_name), people)
    for place, key in enumerate(form.keys):
        draft = quoted(f"__draft {place} {form.table}")
        by_key = f"SELECT {UNIT}, {quoted(key)} AS key, {totals} FROM {rows} GROUP BY {UNIT}, {quoted(key)}"
        yield Step(f"{form.table}: totals by person and {key}", draft, by_key, is_draft=True)
        yield Step(f"{form.table}: norms over {key}", _kept(form.pairs_name(key)), _normed(form, draft))


def _kept(name: str) -> str:
    return f"{KEPT}.{name}"


def _rank_norms(form: TableForm, read: str, grid: Ranks, place: int) -> Step:
    """The square of each person's norm over the tree of ranks of a number."""
    rows = Rows(Select((ALL,), (read,)), {}, frozenset(), Ownership.MANY, frozenset())
    words = f"{form.table}: ranks of {grid.column}{' on its even grid' if grid.edges else ''}"
    return Step(words, quoted(f"__ranks {place} {form.table}"), squares_sql(rows, (), grid), is_draft=True)


def _norms_sql(form: TableForm, read: str, norms: list[Step]) -> str:
    """Everybody, with all their norms: rows are many, so they are joined once, and to words."""
    listed, joins = [UNIT], ""
    for place, (name, step) in enumerate(zip(form.norms, norms, strict=True)):
        listed.append(f"CAST(least(coalesce(n{place}.squares, 0), {_WORD}) AS BIGINT) AS {name}")
        joins += f" LEFT JOIN {step.name} AS n{place} USING ({UNIT})"
    return f'SELECT {", ".join(listed)} FROM (SELECT DISTINCT {UNIT} FROM {read}) AS "__everybody"{joins}'


def _rows_sql(form: TableForm, read: str, everybody: str) -> str:
    listed = ", ".join([UNIT, *(f"{_READ}.{quoted(name)}" for name in form.columns), *form.norms])
    return f"SELECT {listed} FROM {read} AS {_READ} JOIN {everybody} USING ({UNIT}) ORDER BY {UNIT}"


def _totals(form: TableForm) -> dict[str, str]:
    """What is added up over a person's rows: their number, and of each number how often it is there and its sum."""
    found = {"rows": "COUNT(*)"}
    for name, steps in form.numbers.items():
        if steps.nullable:
            found[f"present {name}"] = f"COUNT({steps.sql})"
        word = "BIGINT" if max(-steps.low, steps.high) < _SMALL else "HUGEINT"
        found[f"sum {name}"] = f"CAST(coalesce({total(steps.cut())}, 0) AS {word})"
    return found


def _normed(form: TableForm, draft: str) -> str:
    """A person's totals by key, each row with how many keys the person holds and the norms over all of them."""
    norms = {"held": "COUNT(*)", "squares": _product("rows", "rows")}
    for name, steps in form.numbers.items():
        present = f"present {name}" if steps.nullable else "rows"
        norms[f"squares {name}"] = _product(f"sum {name}", f"sum {name}")
        norms[f"cross {name}"] = _product(f"sum {name}", present)
        if steps.nullable:
            norms[f"counts {name}"] = _product(present, present)
    listed = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in norms.items())
    people = f"SELECT {UNIT}, {listed} FROM {draft} GROUP BY {UNIT}"
    order = f"ORDER BY squares, {UNIT}"
    return f'SELECT * FROM {draft} JOIN ({people}) AS "__norms" USING ({UNIT}) {order}'


def _product(first: str, second: str) -> str:
    """A sum of products over a person's keys, in double precision: what it loses is far below the slack of totals."""
    return product_sum(quoted(first), quoted(second))
