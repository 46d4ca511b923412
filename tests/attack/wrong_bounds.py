"""A planner with random bounds, NULLs and keys, while the SQL returns the raw columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest
from sqlglot import exp
from tests.laws.databases import Worlds

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.query.aggregates import aggregate_calls as reading
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans import question
from tacit.query.sql import from_clause, per_person, scan
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Column, Description, EachRow, OwnColumn, Source, Table, Unit
from tacit.schema.kind import Kind

LIES = [(0, 0), (0, 1), (-2, 3), (10**6, 10**6 + 2), (-5, 10**6), (-(2**40), 7)]
_WORD, _WIDE = 2**63 - 1, 2**127 - 1
_VALUES = {
    "x": ["0", "1", "5", "-3", "NULL", f"{_WORD}", f"{-_WORD - 1}", f"{2**62}", "1000001"],
    "h": ["3", "NULL", f"{_WIDE}", f"{-_WIDE}", f"{10**38 - 1}", f"{1 - 10**38}", f"{2**100}", f"{-(2**64)}", "0"],
    "f": ["0.5", "'nan'", "'inf'", "'-inf'", "NULL", "1e308", "-1e308", "5e-324", "1e19", "2.5", "-0.0"],
    "d": ["NULL", "'infinity'", "'-infinity'", "'2020-01-31'", "'0001-01-01'", "'9999-12-31'", "'2024-02-29'"],
    "area": ["'a'", "'b'", "'c'", "NULL"],
    "ward": ["'w1'", "'w2'", "'w3'", "NULL"],
}
TYPES = {"x": "BIGINT", "h": "HUGEINT", "f": "DOUBLE", "d": "DATE", "area": "VARCHAR", "ward": "VARCHAR"}
_KINDS = {"x": Kind.INTEGER, "h": Kind.INTEGER, "f": Kind.FLOAT, "d": Kind.DATE, "area": Kind.TEXT, "ward": Kind.TEXT}
_PEOPLE = 5


def drawn_rows(random: Random, types: dict[str, str] | None = None) -> list[str]:
    """The rows of a few people, in SQL: most values are far outside the believed bounds."""
    kinds = types or TYPES
    return [_row(random, pid, kinds) for pid in range(_PEOPLE) for _ in range(random.choice([1, 2, 6]))]


def _row(random: Random, pid: int, types: dict[str, str]) -> str:
    values = [f"TRY_CAST({random.choice(_VALUES[name])} AS {kind})" for name, kind in types.items()]
    return f"({pid}, {', '.join(values)})"


@contextmanager
def wild_worlds(random: Random, session: DuckDBSession, by_row: bool = False) -> Iterator[Worlds]:
    """Wild rows, without each person in turn, and with one person's rows drawn anew; gone when done."""
    rows = drawn_rows(random)
    others = [[row for row in rows if not row.startswith(f"({pid},")] for pid in range(_PEOPLE)]
    changed = [*others[0], *(row for row in drawn_rows(random) if row.startswith("(0,"))]
    if by_row:
        others = [rows[:place] + rows[place + 1 :] for place in range(_PEOPLE)]
        changed = [*rows[1:], _row(random, 9, TYPES)]
    made = [rows, *others, changed]
    try:
        for place, listed in enumerate(made):
            create_rows(session, f"wild{place}", listed)
        names = [f"wild{place}" for place in range(len(made))]
        described = description(random, by_row)
        catalogue = Catalogue(described, {"t": {"pid": "BIGINT", **TYPES}})
        yield Worlds(session, described, catalogue, names[0], tuple(names[1:-1]), (names[-1],))
    finally:
        session.connection.execute("USE memory.main")
        for place in range(len(made)):
            session.connection.execute(f"DROP SCHEMA IF EXISTS wild{place} CASCADE")


def create_rows(session: DuckDBSession, schema: str, rows: list[str]) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    session.connection.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.t (pid BIGINT, {columns})")
    session.connection.execute(f"INSERT INTO {schema}.t VALUES {', '.join(rows)}")


def description(random: Random, by_row: bool) -> Description:
    """The steward's file; every bound in it is wrong too, but not used here."""
    budget = Pure(4) if random.random() < 0.3 else budget_from(4, Fraction(1, 10**5))
    columns = {
        name: Column(name, kind, *((Fraction(0), Fraction(1)) if kind.is_number else ()))
        for name, kind in _KINDS.items()
    }
    columns["area"] = Column("area", Kind.TEXT, keys=("a", "b"))
    table = Table("t", Source("parquet", Path("t.parquet")), columns, EachRow() if by_row else OwnColumn("pid"))
    unit = Unit(random.choice(list(Relation)), "one person", None if by_row else "pid")
    return Description("wild", Path("wild.toml"), unit, budget, budget, {"t": table})


def lie(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Make every derived fact random: of each column, and of each expression."""

    def lied(typed: Typed, text: str) -> Typed:
        if not typed.kind.is_number:
            return replace(typed, nullable=False)
        low, high = map(Fraction, LIES[crc32(f"{seed} {text}".encode()) % len(LIES)])
        return replace(typed, low=low, high=high, nullable=False, keys=None)

    def wrong_column(column: Column, reference: str, physical: str | None = None) -> Typed:
        days = (Fraction(0), Fraction(1)) if column.kind.is_time else (None, None)
        return lied(Typed(column.kind, reference, *days, keys=column.keys), column.name)

    def wrong_expression(node: exp.Expression, scope: Any) -> Typed:
        return lied(type_expression(node, scope), node.sql())

    monkeypatch.setattr(scan, "read_column", wrong_column)
    for module in (reading, question, per_person, from_clause):
        monkeypatch.setattr(module, "type_expression", wrong_expression)
