"""What a profile says: for each table, how many people have how many rows, how large a total, how many keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tacit.frozen import frozen
from tacit.query.aggregates.even_grid import Edges
from tacit.query.aggregates.rank_grid import ranks_of
from tacit.query.catalogue import Catalogue
from tacit.query.lowering.clamp import count_named, total
from tacit.query.lowering.finding import BINS, norm_sql, root_sql
from tacit.query.lowering.rank_norms import squares_sql
from tacit.query.prepared.statements import STATEMENTS, Statements
from tacit.query.relations.rows import UNIT, Ownership, Rows
from tacit.query.relations.scan import scan
from tacit.query.steps import Steps, in_steps
from tacit.query.typed import Typed
from tacit.schema.kind import Kind

MOST_SUBJECTS = 24
_LARGEST = 2**50
_PRIME, _MULTIPLIER = 65521, 40503  # a hash of 16 bits
_ROOM = 2**46  # for what is marked with it


@frozen
class Subject:
    """One histogram of a profile: `people` is a SELECT with one row a person, `amount` its column that is counted."""

    table: str
    name: str
    people: str
    amount: str


Centres = Mapping[tuple[str, str], int]
"""Where the values of a table's column seem to lie, in its steps."""


def value_subjects(catalogue: Catalogue, is_gaussian: bool, statements: Statements = STATEMENTS) -> tuple[Subject, ...]:
    """How far above its lower bound each number is, on each person's average; and one of the values, by a hash."""
    found: list[Subject] = []
    for table, rows in _tables(catalogue, statements):
        numbers = numbers_of(rows)
        amounts = {f"value {name}": _mean_above(steps) for name, steps in numbers.items()}
        if is_gaussian:
            amounts |= {f"sample {name}": _sample_above(steps) for name, steps in numbers.items()}
        found += _from_people(table, rows, amounts) if amounts else []
    return tuple(found[:MOST_SUBJECTS])


def subjects_of(
    catalogue: Catalogue, is_gaussian: bool, centres: Centres, edges: Edges, statements: Statements = STATEMENTS
) -> tuple[Subject, ...]:
    """Everything else that a profile counts: each person once in each."""
    found: list[Subject] = []
    for table, rows in _tables(catalogue, statements):
        amounts = {"rows": "COUNT(*)"}
        for name, steps in numbers_of(rows).items():
            amounts[f"total {name}"] = _sum_away(steps, 0)
            if (table, name) in centres:
                amounts[f"away {name}"] = _sum_away(steps, centres[table, name])
        found += _from_people(table, rows, amounts)
        found += _of_keys(table, rows, is_gaussian)
        found += _of_ranks(table, rows, edges)
    return tuple(found[:MOST_SUBJECTS])


def numbers_of(rows: Rows) -> dict[str, Steps]:
    """The columns that sums and means are asked of: numbers with bounds."""
    return {
        name: in_steps(typed, name)
        for (_, name), typed in rows.columns.items()
        if typed.kind.is_number and typed.keys is None and _is_bounded(typed)
    }


def _tables(catalogue: Catalogue, statements: Statements) -> list[tuple[str, Rows]]:
    tables = catalogue.description.tables.values()
    scanned = [(table.name, scan(table, table.name, catalogue)) for table in tables]
    return [(name, statements.on_kept(rows)) for name, rows in scanned if rows.ownership is Ownership.MANY]


def _sum_away(steps: Steps, centre: int) -> str:
    return f"least(abs({total(steps.cut(centre).minus(centre))}), {BINS.most})"


def _mean_above(steps: Steps) -> str:
    above = f"{total(steps.cut(steps.low).minus(steps.low))} // greatest(COUNT({steps.sql}), 1)"
    return f"least({above}, {BINS.most})"


def _sample_above(steps: Steps) -> str:
    """One more than how far the value with the least hash is above its lower bound, 0 without values: whole numbers."""
    above = f"({steps.cut(steps.low).minus(steps.low)})"
    mixed = f"{above} % {_PRIME} * {_MULTIPLIER} % {_PRIME}"
    marked = f"{mixed} * {_ROOM} + least({above} + 1, {BINS.most})"
    return f"coalesce(MIN(CASE WHEN {steps.sql} IS NOT NULL THEN {marked} END) % {_ROOM}, 0)"


def _from_people(table: str, rows: Rows, amounts: Mapping[str, str]) -> list[Subject]:
    """Several amounts from one pass over the people."""
    listed = ", ".join(f"{amount} AS a{place}" for place, amount in enumerate(amounts.values()))
    people = f'SELECT {listed} FROM ({rows.under(listed)}) AS "__rows" GROUP BY {UNIT}'
    return [Subject(table, name, people, f"a{place}") for place, name in enumerate(amounts)]


def _of_keys(table: str, rows: Rows, is_gaussian: bool) -> list[Subject]:
    """For each column that rows are grouped by: the norm of a person's rows over its keys, and their number."""
    found = []
    for (_, name), typed in rows.columns.items():
        if typed.kind in (Kind.TEXT, Kind.BOOLEAN) or typed.keys is not None:
            read = f'({rows.under(typed.sql)}) AS "__rows"'
            held = f"SELECT {UNIT}, COUNT(*) AS many FROM {read} GROUP BY {UNIT}, {typed.sql}"
            norm = norm_sql(count_named("many"), is_gaussian)
            people = f'SELECT {norm} AS norm, COUNT(*) AS held FROM ({held}) AS "__held" GROUP BY {UNIT}'
            found += [Subject(table, f"norm {name}", people, "norm"), Subject(table, f"keys {name}", people, "held")]
    return found


def _of_ranks(table: str, rows: Rows, edges: Edges) -> list[Subject]:
    """For each number with an even grid, the norm of a person's rows over the tree that quantiles are read from."""
    found = []
    for name, steps in numbers_of(rows).items():
        if cut := edges.get((table, name)):
            squares = squares_sql(rows, (), replace(ranks_of(steps.sql, steps, name), edges=cut))
            people = f'SELECT {root_sql("squares")} AS norm FROM ({squares}) AS "__norms"'
            found.append(Subject(table, f"ranks {name}", people, "norm"))
    return found


def _is_bounded(typed: Typed) -> bool:
    return typed.low is not None and typed.high is not None and max(-typed.low, typed.high) * 10**typed.scale < _LARGEST
