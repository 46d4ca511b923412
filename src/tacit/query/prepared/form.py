"""What is kept of a table: its rows by person, each person's totals, and their totals by each key column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from tacit.frozen import frozen
from tacit.query.aggregates.even_grid import Edges, fits
from tacit.query.aggregates.parts import Ranks
from tacit.query.aggregates.rank_grid import ranks_of
from tacit.query.catalogue import Catalogue
from tacit.query.relations.rows import UNIT, Ownership, Rows, quoted
from tacit.query.relations.scan import read_rows, scan
from tacit.query.relations.select import Column, Select
from tacit.query.steps import Steps, in_steps
from tacit.query.typed import Typed
from tacit.schema.kind import Kind

KEPT = '"__kept"'
"""The database that holds the kept tables."""

_FORMAT = 2
_LARGEST = 2**50  # values beyond are not added up beforehand


@frozen
class TableForm:
    """The kept tables of one described table. Data-free: it follows from the description, the header and a release.

    `edges` are those of even grids, as a profile released them: people's norms are kept for these grids as well.
    Claim: every kept row depends on the rows of one person alone, so that one person more adds rows and changes none.
    """

    table: str
    reading: Select  # the table's rows, whatever a query calls the table
    columns: Mapping[str, Typed]  # as the kept rows have them
    edges: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # by the name of the number

    @cached_property
    def numbers(self) -> Mapping[str, Steps]:
        """The columns that are added up: numbers with bounds."""
        return {name: in_steps(typed, name) for name, typed in self.columns.items() if _is_summed(typed)}

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that people's totals are kept by: texts, truth values, and whatever has public keys."""
        return tuple(
            name
            for name, typed in self.columns.items()
            if typed.kind in (Kind.TEXT, Kind.BOOLEAN) or typed.keys is not None
        )

    @cached_property
    def norms(self) -> Mapping[str, Ranks]:
        """The grids on which people's norms are kept, by the name of the column in which each row has its person's."""
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
        """The same rows as `reading`, from those that are kept."""
        columns = [Column(quoted(name), quoted(name)) for name in self.columns]
        return Select((Column(UNIT), *columns), (f"{KEPT}.{self.rows_name}",))


def forms_of(catalogue: Catalogue) -> dict[str, TableForm]:
    """The form of each table of which one person may have many rows; the others gain nothing by it."""
    tables = catalogue.description.tables.values()
    scanned = [(table, scan(table, table.name, catalogue)) for table in tables]
    return {
        table.name: TableForm(table.name, read_rows(table, catalogue), _kept_columns(rows))
        for table, rows in scanned
        if rows.ownership is Ownership.MANY
    }


def with_edges(forms: Mapping[str, TableForm], edges: Edges) -> dict[str, TableForm]:
    """The same forms, with norms on the even grids that fit them."""
    return {table: replace(form, edges=_fitting(form, edges)) for table, form in forms.items()}


def _fitting(form: TableForm, edges: Edges) -> dict[str, tuple[int, ...]]:
    known = {name: edges.get((form.table, name), ()) for name in form.numbers}
    return {name: cut for name, cut in known.items() if fits(cut, form.numbers[name].low, form.numbers[name].high)}


def norms_name(grid: Ranks) -> str:
    """What the column of people's norms on a grid is called, beside the table's own: no other grid's is called so."""
    told = hashlib.sha256(json.dumps(grid.edges).encode()).hexdigest()[:16] if grid.edges else ""
    return quoted(f"__ranks {told} {grid.column}")


def form_digest(forms: Mapping[str, TableForm]) -> str:
    """What changes when other rows or totals would be kept."""
    told = [
        [form.table, form.reading.sql, form.keys, [repr((name, steps)) for name, steps in form.numbers.items()]]
        for form in forms.values()
    ]
    return hashlib.sha256(json.dumps([_FORMAT, told]).encode()).hexdigest()


def edges_digest(forms: Mapping[str, TableForm]) -> str:
    """What changes when norms on other even grids would be kept."""
    told = [[form.table, sorted(form.edges.items())] for form in forms.values()]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _kept_columns(rows: Rows) -> dict[str, Typed]:
    return {name: replace(typed, sql=quoted(name)) for (_, name), typed in rows.columns.items()}


def _is_summed(typed: Typed) -> bool:
    if not typed.kind.is_number or typed.low is None or typed.high is None:
        return False
    return bool(max(-typed.low, typed.high) * 10**typed.scale < _LARGEST)
