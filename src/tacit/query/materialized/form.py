"""The kept tables of a described table, and the SQL that creates them.

The kept tables are the rows in the order of people, each person's totals, and the totals by each key column with norms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Ranks
from tacit.query.aggregates.rank_grid import Edges, fits, ranks_of
from tacit.query.lowering.ranks import squares_sql
from tacit.query.sql.clamp import product_sum, total
from tacit.query.sql.fixed_point import Steps, in_steps
from tacit.query.sql.rows import ALL, UNIT, Ownership, Rows, Select, SelectItem, quoted
from tacit.query.sql.scan import read_rows, scan
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.kind import Kind

KEPT = '"__kept"'
"""The database that holds the kept tables."""

_FORMAT = 2
_LARGEST = 2**50  # numbers with larger values have no stored totals


@frozen
class TableForm:
    """The kept tables of one described table. It has no data: it depends on the description, the header and a release.

    `edges` are those of even grids, as a profile released them: people's norms are kept for these grids as well.
    Claim: every kept row depends on the rows of one person alone, so that one person more adds rows and changes none.
    """

    table: str
    reading: Select  # the table's rows, under any alias of a query
    columns: Mapping[str, Typed]  # as in the kept rows
    edges: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # keyed by the name of the number

    @cached_property
    def numbers(self) -> Mapping[str, Steps]:
        """The columns with stored totals: numbers with bounds."""
        return {name: in_steps(typed, name) for name, typed in self.columns.items() if _is_summed(typed)}

    @property
    def keys(self) -> tuple[str, ...]:
        """The key columns of stored totals: texts, truth values, and columns with public keys."""
        return tuple(
            name
            for name, typed in self.columns.items()
            if typed.kind in (Kind.TEXT, Kind.BOOLEAN) or typed.keys is not None
        )

    @cached_property
    def norms(self) -> Mapping[str, Ranks]:
        """The grids of stored norms, by the name of the column with each person's norm."""
        grids = [ranks_of(steps.sql, steps, name) for name, steps in self.numbers.items()]
        even = [replace(grid, edges=self.edges[str(grid.column)]) for grid in grids if grid.column in self.edges]
        return {norms_name(grid): grid for grid in (*grids, *even)}

    def is_all_of(self, rows: Rows, *names: str | None) -> bool:
        """Whether these are all rows of the table, and the names in the query can mean no column but the table's own.

        A public table that was joined to the rows may have a column of the same name.
        """
        called = [name for _, name in rows.columns]
        return rows.bare == self.table and all(called.count(name) == 1 for name in names if name is not None)

    @property
    def rows_name(self) -> str:
        return quoted(f"rows {self.table}")

    @property
    def people_name(self) -> str:
        return quoted(f"people {self.table}")

    def pairs_name(self, key: str) -> str:
        return quoted(f"pairs {self.keys.index(key)} {self.table}")

    @property
    def kept_rows(self) -> Select:
        """The same rows as `reading`, from the kept rows."""
        columns = [SelectItem(quoted(name), quoted(name)) for name in self.columns]
        return Select((SelectItem(UNIT), *columns), (f"{KEPT}.{self.rows_name}",))


def forms_of(catalogue: Catalogue) -> dict[str, TableForm]:
    """The form of each table of which one person may have many rows; others have no use for one."""
    tables = catalogue.description.tables.values()
    scanned = [(table, scan(table, table.name, catalogue)) for table in tables]
    return {
        table.name: TableForm(table.name, read_rows(table, catalogue), _kept_columns(rows))
        for table, rows in scanned
        if rows.ownership is Ownership.MANY
    }


def with_edges(forms: Mapping[str, TableForm], edges: Edges) -> dict[str, TableForm]:
    """The forms with norms on the even grids that fit them."""
    return {table: replace(form, edges=_fitting(form, edges)) for table, form in forms.items()}


def _fitting(form: TableForm, edges: Edges) -> dict[str, tuple[int, ...]]:
    known = {name: edges.get((form.table, name), ()) for name in form.numbers}
    return {name: cut for name, cut in known.items() if fits(cut, form.numbers[name].low, form.numbers[name].high)}


def norms_name(grid: Ranks) -> str:
    """The name of the column with people's norms on a grid, unique to the grid."""
    told = hashlib.sha256(json.dumps(grid.edges).encode()).hexdigest()[:16] if grid.edges else ""
    return quoted(f"__ranks {told} {grid.column}")


def form_digest(forms: Mapping[str, TableForm]) -> str:
    """A digest of the rows and totals that are kept."""
    told = [
        [form.table, form.reading.sql, form.keys, [repr((name, steps)) for name, steps in form.numbers.items()]]
        for form in forms.values()
    ]
    return hashlib.sha256(json.dumps([_FORMAT, told]).encode()).hexdigest()


def edges_digest(forms: Mapping[str, TableForm]) -> str:
    """A digest of the even grids whose norms are kept."""
    told = [[form.table, sorted(form.edges.items())] for form in forms.values()]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _kept_columns(rows: Rows) -> dict[str, Typed]:
    return {name: replace(typed, sql=quoted(name)) for (_, name), typed in rows.columns.items()}


def _is_summed(typed: Typed) -> bool:
    if not typed.kind.is_number or typed.low is None or typed.high is None:
        return False
    return bool(max(-typed.low, typed.high) * 10**typed.scale < _LARGEST)


_READ = '"__rows"'
_WORD = 2**62
_SMALL = 2**26  # sums of smaller values of one person fit 64 bits, since no person has 2^36 rows


@frozen
class CreationStep:
    """A table to create: its name, its SQL, and its description. A draft is dropped at the end."""

    words: str
    name: str
    sql: str
    is_draft: bool = False


def creation_steps(form: TableForm) -> Iterator[CreationStep]:
    """All steps, in order; the first reads the rows as described."""
    read = quoted(f"__read {form.table}")
    yield CreationStep(f"{form.table}: reading", read, form.reading.sql, is_draft=True)
    norms = [_rank_norms(form, read, grid, place) for place, grid in enumerate(form.norms.values())]
    yield from norms
    everybody = quoted(f"__norms {form.table}")
    yield CreationStep(f"{form.table}: norms by person", everybody, _norms_sql(form, read, norms), is_draft=True)
    yield CreationStep(f"{form.table}: rows by person", _kept(form.rows_name), _rows_sql(form, read, everybody))
    totals = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in _totals(form).items())
    rows = _kept(form.rows_name)
    people = f"SELECT {UNIT}, {totals} FROM {rows} GROUP BY {UNIT} ORDER BY {quoted('rows')}"
    yield CreationStep(f"{form.table}: totals by person", _kept(form.people_name), people)
    for place, key in enumerate(form.keys):
        draft = quoted(f"__draft {place} {form.table}")
        by_key = f"SELECT {UNIT}, {quoted(key)} AS key, {totals} FROM {rows} GROUP BY {UNIT}, {quoted(key)}"
        yield CreationStep(f"{form.table}: totals by person and {key}", draft, by_key, is_draft=True)
        yield CreationStep(f"{form.table}: norms over {key}", _kept(form.pairs_name(key)), _normed(form, draft))


def _kept(name: str) -> str:
    return f"{KEPT}.{name}"


def _rank_norms(form: TableForm, read: str, grid: Ranks, place: int) -> CreationStep:
    """The square of each person's norm over the tree of ranks of a number."""
    rows = Rows(Select((ALL,), (read,)), {}, frozenset(), Ownership.MANY, frozenset())
    words = f"{form.table}: ranks of {grid.column}{' on its even grid' if grid.edges else ''}"
    return CreationStep(words, quoted(f"__ranks {place} {form.table}"), squares_sql(rows, (), grid), is_draft=True)


def _norms_sql(form: TableForm, read: str, norms: list[CreationStep]) -> str:
    """Every person with all norms, joined into one table, because joining the many rows repeatedly is slow."""
    listed, joins = [UNIT], ""
    for place, (name, step) in enumerate(zip(form.norms, norms, strict=True)):
        listed.append(f"CAST(least(coalesce(n{place}.squares, 0), {_WORD}) AS BIGINT) AS {name}")
        joins += f" LEFT JOIN {step.name} AS n{place} USING ({UNIT})"
    return f'SELECT {", ".join(listed)} FROM (SELECT DISTINCT {UNIT} FROM {read}) AS "__everybody"{joins}'


def _rows_sql(form: TableForm, read: str, everybody: str) -> str:
    listed = ", ".join([UNIT, *(f"{_READ}.{quoted(name)}" for name in form.columns), *form.norms])
    return f"SELECT {listed} FROM {read} AS {_READ} JOIN {everybody} USING ({UNIT}) ORDER BY {UNIT}"


def _totals(form: TableForm) -> dict[str, str]:
    """The totals over a person's rows: their number, and for each number its count and its sum."""
    found = {"rows": "COUNT(*)"}
    for name, steps in form.numbers.items():
        if steps.nullable:
            found[f"present {name}"] = f"COUNT({steps.sql})"
        word = "BIGINT" if max(-steps.low, steps.high) < _SMALL else "HUGEINT"
        found[f"sum {name}"] = f"CAST(coalesce({total(steps.cut())}, 0) AS {word})"
    return found


def _normed(form: TableForm, draft: str) -> str:
    """A person's totals by key, each row with the number of the person's keys and the norms over all of them."""
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
    """A sum of products over a person's keys, in double precision; its error is far below the slack of totals."""
    return product_sum(quoted(first), quoted(second))
