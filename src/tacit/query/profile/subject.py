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


@dataclass(frozen=True)
class Subject:
    """One histogram of a profile: `sql` gives each person's amount."""

    table: str
    name: str
    sql: str


def subjects_of(catalogue: Catalogue, is_gaussian: bool) -> tuple[Subject, ...]:
    """Everything a profile of this data set counts: each person once in each."""
    found: list[Subject] = []
    for table in catalogue.description.tables.values():
        rows = scan(table, table.name, catalogue)
        if rows.ownership is not Ownership.MANY:
            continue
        found.append(Subject(table.name, "rows", _by_person(rows, "COUNT(*)")))
        for (_, name), typed in rows.columns.items():
            found.extend(_of_column(table.name, name, typed, rows, is_gaussian))
    return tuple(found[:MOST_SUBJECTS])


def _of_column(table: str, name: str, typed: Typed, rows: Rows, is_gaussian: bool) -> list[Subject]:
    if typed.kind.is_number and typed.keys is None:
        if typed.low is None or typed.high is None or (typed.kind is Kind.INTEGER and typed.high >= 2**62):
            return []
        steps = in_steps(typed, name)
        total = f"least(abs(coalesce(SUM({steps.sql}), 0)), {BINS.most})"
        return [Subject(table, f"total {name}", _by_person(rows, total))]
    if typed.kind not in (Kind.TEXT, Kind.BOOLEAN) and typed.keys is None:
        return []
    held = f'SELECT {UNIT}, COUNT(*) AS many FROM ({rows.sql}) AS "__rows" GROUP BY {UNIT}, {typed.sql}'
    norm = norm_sql("many", is_gaussian)
    return [
        Subject(table, f"norm {name}", f'SELECT {norm} AS amount FROM ({held}) AS "__held" GROUP BY {UNIT}'),
        Subject(table, f"keys {name}", f'SELECT COUNT(*) AS amount FROM ({held}) AS "__held" GROUP BY {UNIT}'),
    ]


def _by_person(rows: Rows, amount: str) -> str:
    return f'SELECT {amount} AS amount FROM ({rows.sql}) AS "__rows" GROUP BY {UNIT}'
