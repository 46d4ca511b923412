"""Random nested joins: what is added up for a person is the same alone and among others, cut or whole.

R20, R22: the bounds are set so low that some people are beyond them and some are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pytest
from tests.engines.clinic_rows import create_clinic
from tests.query.fixtures.rendering import Lowered

from tacit.errors import Refused
from tacit.query.execution.run import joined_whole
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.plan import Plan
from tacit.query.sql import bounded_join

_NUMBERS = {"visits": ["age", "days"], "calls": ["minutes"]}
_ROWS = {"visits": (1, 3, 0, 20), "calls": (0, 2, 12, 15)}
"""How many rows each of four people has in each table."""


class Joins:
    """Writes FROM clauses: tables, sub-queries and totals of each person, joined from either side."""

    def __init__(self, seed: int) -> None:
        self.random, self.names = Random(seed), 0

    def clause(self, depth: int) -> tuple[str, str, list[str]]:
        """The text, the first alias, and the numbers that may be named."""
        text, first, columns = self._relation(depth)
        named = [f"{first}.{column}" for column in columns]
        for _ in range(self.random.choice((0, 1, 1, 2))):
            other, alias, columns = self._relation(depth - 1)
            new = [f"{alias}.{column}" for column in columns]
            on = f"{alias}.patient = {first}.patient"
            if self.random.random() < 0.4:
                on += f" AND {self.random.choice(named)} {self.random.choice('=<')} {self.random.choice(new)}"
            text += f" {self.random.choice(('JOIN', 'LEFT JOIN'))} {other} ON {on}"
            named += new
        return text, first, named

    def _relation(self, depth: int) -> tuple[str, str, list[str]]:
        self.names += 1
        alias, chance = f"t{self.names}", self.random.random()
        if depth <= 0 or chance < 0.35:
            table = self.random.choice([*_NUMBERS])
            return f"{table} {alias}", alias, _NUMBERS[table]
        text, first, columns = self.clause(depth - 1)
        one, two = (self.random.choice(columns) for _ in range(2))
        if chance < 0.5:
            listed, group, names = f"MAX({one}) AS m", f" GROUP BY {first}.patient", ["m"]
        elif chance < 0.62:
            listed, group, names = f"{two} AS y, COUNT({one}) AS m", f" GROUP BY {first}.patient, {two}", ["m", "y"]
        else:
            listed, group, names = f"{one} AS p, {two} AS q", "", ["p", "q"]
        return f"(SELECT {first}.patient, {listed} FROM {text}{group}) {alias}", alias, names


def _clinic(person: int | None, people: tuple[int, ...]) -> duckdb.DuckDBPyConnection:
    """Four people, or one of them alone."""
    opened = duckdb.connect()
    create_clinic(opened)
    for table, many in _ROWS.items():
        kept = [
            f"(patient = {who} AND place <= {rows})"
            for who, rows in zip(people, many, strict=True)
            if person in (None, who)
        ]
        numbered = f"SELECT *, row_number() OVER (PARTITION BY patient ORDER BY rowid) AS place FROM {table}"
        opened.execute(
            f"CREATE TEMP TABLE kept AS SELECT * EXCLUDE (place) FROM ({numbered}) WHERE {' OR '.join(kept)}"
        )
        opened.execute(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept; DROP TABLE kept")
    return opened


def _people() -> tuple[int, ...]:
    with duckdb.connect() as opened:
        create_clinic(opened)
        union = "SELECT patient FROM visits UNION ALL SELECT patient FROM calls"
        known = (
            f"SELECT patient FROM ({union}) WHERE patient IS NOT NULL GROUP BY patient ORDER BY COUNT(*) DESC, patient"
        )
        return tuple(int(row[0]) for row in opened.execute(known).fetchmany(4))


@dataclass(frozen=True)
class _Looking:
    """A session that counts rows, so that joins which need no cut are sent without one."""

    rows: duckdb.DuckDBPyConnection

    def run(self, sql: str) -> pa.Table:
        return self.rows.execute(sql).to_arrow_table()

    def keep(self, name: str, sql: str) -> None:
        raise AssertionError("nothing is kept")

    def most_rows(self, sql: str) -> int | None:
        counted = f'SELECT COUNT(*) AS n FROM ({sql}) AS "__rows" GROUP BY "__unit"'
        return int(self.rows.execute(f"SELECT coalesce(MAX(n), 0) FROM ({counted})").fetchall()[0][0])


def _totals(rows: duckdb.DuckDBPyConnection, plan: Plan, is_cut: bool) -> dict[object, tuple[object, ...]]:
    """Each person's totals by the statement that cuts, or by the one that is sent where nothing need be cut."""
    statements = STATEMENTS if is_cut else joined_whole(plan.question.rows, _Looking(rows), STATEMENTS)
    return {who: tuple(totals) for who, *totals in rows.execute(statements.people(plan)).fetchall()}


def _different(seed: int, count: int, folder: Path) -> list[str]:
    """Queries in which another person decides one person's rows."""
    joins, people, found, tried = Joins(seed), _people(), [], 0
    everybody = _clinic(None, people)
    alone = {person: _clinic(person, people) for person in people}
    while tried < count:
        text, _, columns = joins.clause(3)
        sql = f"SELECT SUM({joins.random.choice(columns)}) FROM {text}"
        try:
            plan = Lowered.of(sql, folder, is_pure=False).plan
        except Refused:
            continue
        if not plan.question.rows.bounds:
            continue
        tried += 1
        among = [_totals(everybody, plan, is_cut) for is_cut in (False, True)]
        for who, rows in alone.items():
            own = _totals(rows, plan, False).get(who)
            if any(others.get(who) != own for others in among):
                found.append(sql)
    return found


@pytest.fixture(autouse=True)
def _low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("MOST_PAIRS", 40), ("MOST_ROWS", 20), ("MOST_PARTNERS", 5)):
        monkeypatch.setattr(bounded_join, name, most)


def test_nobody_decides_what_another_brings(tmp_path: Path) -> None:
    """Some joins."""
    assert _different(1, 25, tmp_path) == []


@pytest.mark.long
def test_nobody_decides_what_another_brings_in_many_joins(tmp_path: Path) -> None:
    """More of them."""
    assert _different(2, 150, tmp_path) == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(DISTINCT c.patient) FROM {joined}",
        "SELECT COUNT(*) FROM {joined} WHERE EXISTS (SELECT 1 FROM visits w WHERE w.patient = c.patient)",
        "SELECT COUNT(*) FROM {joined} LEFT JOIN visits w ON w.patient = c.patient AND w.age = 1",
        "SELECT COUNT(*) FROM (SELECT c.patient, COUNT(*) AS n FROM {joined} GROUP BY c.patient) AS s",
    ],
)
def test_the_person_of_rows_without_a_partner_is_not_read(query: str, tmp_path: Path) -> None:
    """It is NULL there, so that taking it for the person would count, match or group rows that plain SQL does not."""
    joined = "visits v LEFT JOIN calls c ON c.patient = v.patient AND c.minutes > v.age"
    with pytest.raises(Refused):
        Lowered.of(query.format(joined=joined), tmp_path, is_pure=False)
