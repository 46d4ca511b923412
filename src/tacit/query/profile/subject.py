"""What a profile says: for each table, how many people have how many rows, how large a total, how many keys."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.query.catalogue import Catalogue
from tacit.query.lowering.finding import BINS, norm_sql
from tacit.query.relations.rows import UNIT, Ownership, Rows
from tacit.query.relations.scan import scan
from tacit.query.steps import in_steps
from tacit.query.typed import Typed
from tacit.schema.kind import Kind

MOST_SUBJECTS = 24
_LARGEST = 2**50


@dataclass(frozen=True)
class Subject:
    """One histogram of a profile: `people` is a SELECT with one row a person, `amount` its column that is counted."""

    table: str
    name: str
    people: str
    amount: str


def subjects_of(catalogue: Catalogue, is_gaussian: bool) -> tuple[Subject, ...]:
    """Everything a profile of this data set counts: each person once in each."""
    found: list[Subject] = []
    for table in catalogue.description.tables.values():
        rows = scan(table, table.name, catalogue)
        if rows.ownership is Ownership.MANY:
            found += _of_totals(table.name, rows)
            found += _of_keys(table.name, rows, is_gaussian)
    return tuple(found[:MOST_SUBJECTS])


def _of_totals(table: str, rows: Rows) -> list[Subject]:
    """Rows, and the total of each number with bounds, from one pass over the people."""
    amounts = {"rows": "COUNT(*)"}
    for (_, name), typed in rows.columns.items():
        if typed.kind.is_number and typed.keys is None and _is_bounded(typed):
            amounts[f"total {name}"] = f"least(abs(coalesce(SUM({in_steps(typed, name).sql}), 0)), {BINS.most})"
    listed = ", ".join(f"{amount} AS a{place}" for place, amount in enumerate(amounts.values()))
    people = f'SELECT {listed} FROM ({rows.sql}) AS "__rows" GROUP BY {UNIT}'
    return [Subject(table, name, people, f"a{place}") for place, name in enumerate(amounts)]


def _of_keys(table: str, rows: Rows, is_gaussian: bool) -> list[Subject]:
    """For each column that rows are grouped by: the norm of a person's rows over its keys, and their number."""
    found = []
    for (_, name), typed in rows.columns.items():
        if typed.kind in (Kind.TEXT, Kind.BOOLEAN) or typed.keys is not None:
            held = f'SELECT {UNIT}, COUNT(*) AS many FROM ({rows.sql}) AS "__rows" GROUP BY {UNIT}, {typed.sql}'
            norm = norm_sql("many", is_gaussian)
            people = f'SELECT {norm} AS norm, COUNT(*) AS held FROM ({held}) AS "__held" GROUP BY {UNIT}'
            found += [Subject(table, f"norm {name}", people, "norm"), Subject(table, f"keys {name}", people, "held")]
    return found


def _is_bounded(typed: Typed) -> bool:
    return typed.low is not None and typed.high is not None and max(-typed.low, typed.high) < _LARGEST
