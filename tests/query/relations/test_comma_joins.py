"""Joins in any order and form: the rows are those of plain SQL, and what has no order is refused."""

from __future__ import annotations

from collections import Counter
from random import Random

import duckdb
import pytest
from tests.query.relations.comma_joins import CATALOGUE, clinic, random_from

from tacit.errors import Refused
from tacit.query.plans.question import parsed_selects, read_question
from tacit.query.sql import join_order
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.from_clause import read_rows


def _ours(sql: str, rows: duckdb.DuckDBPyConnection) -> Counter[tuple[object, ...]]:
    select = parsed_selects(sql)[0]
    read = read_rows(select, CATALOGUE)
    values = ", ".join(type_expression(item.unalias(), read).sql for item in select.expressions)
    return Counter(rows.execute(f'SELECT {values} FROM ({read.sql}) AS "__rows"').fetchall())


def _differs(seed: int) -> tuple[str, bool, int]:
    """A random query, whether its rows differ from plain SQL's, and how many there are."""
    random = Random(seed)
    with clinic(random) as rows:
        columns, origin = random_from(random)
        chosen = random.sample(columns, min(3, len(columns)))
        sql = f"SELECT {', '.join(chosen)} FROM {origin}"
        if random.random() < 0.3:
            named = ", ".join(f"{column} AS c{place}" for place, column in enumerate(chosen))
            sql = (
                f"SELECT {', '.join(f'c{place}' for place in range(len(chosen)))} FROM (SELECT {named} FROM {origin}) s"
            )
        wanted = Counter(rows.execute(sql).fetchall())
        return sql, _ours(sql, rows) != wanted, wanted.total()


@pytest.mark.parametrize("block", range(3))
def test_rows_are_those_of_plain_sql(block: int) -> None:
    found = [_differs(seed) for seed in range(block * 12, block * 12 + 12)]
    assert [sql for sql, differs, _ in found if differs] == []
    assert sum(many > 0 for *_, many in found) >= 6


@pytest.mark.long
def test_rows_of_many_queries_are_those_of_plain_sql() -> None:
    assert [sql for sql, differs, _ in map(_differs, range(1_000, 1_600)) if differs] == []


def test_a_condition_that_is_lost_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken twin: of several equalities to a public table the others are forgotten."""
    monkeypatch.setattr(join_order, "_all", lambda parts: parts[0].copy())
    assert any(differs for _, differs, _ in map(_differs, range(12)))


_REFUSED = (
    ("FROM visits v, items i", "i in FROM", "every row would meet every other", "WHERE"),
    ("FROM visits v, people p", "p in FROM", "every row would meet every other", "WHERE p.who = v.pid."),
    ("FROM visits v, wards w", "w in FROM", "joined by its key", "WHERE w.ward = a column"),
    ("FROM visits v, wards w WHERE v.ward = w.area", "w in FROM", "joined by its key", "WHERE w.ward = a column"),
    ("FROM wards w, areas a WHERE w.area = a.area", "a query of wards alone", "It is public", "the table itself"),
    ("FROM wards w LEFT JOIN visits v ON v.ward = w.ward", "w on the left", "Every public row", "private table first"),
    (
        "FROM visits v LEFT JOIN wards w ON v.ward = w.ward JOIN items i ON i.label = w.area, people p",
        "JOIN … ON i.label = w.area",
        "may leave empty",
        "the LEFT JOIN after",
    ),
    ("FROM visits v NATURAL JOIN wards w", "NATURAL", "cannot be bounded", "JOIN … ON"),
    ("FROM visits v, visits v WHERE v.pid = v.pid", "v in FROM", "every row would meet", "WHERE"),
    ("FROM visits v WHERE p.cost = 1", "the column p.cost", "FROM has no table p", "columns of v"),
)


@pytest.mark.parametrize(("origin", "asked", "why", "accepted"), _REFUSED)
def test_what_has_no_order_is_refused(origin: str, asked: str, why: str, accepted: str) -> None:
    with pytest.raises(Refused) as refused:
        read_question(f"SELECT COUNT(*) {origin}", CATALOGUE)
    said = refused.value
    assert (asked in said.asked, why in said.why, accepted in said.accepted) == (True, True, True), said


_ALIKE = (
    (
        "visits v, wards w WHERE v.ward = w.ward AND v.cost > 1",
        "visits v JOIN wards w ON v.ward = w.ward WHERE v.cost > 1",
    ),
    ("wards w, visits v WHERE v.ward = w.ward", "visits v JOIN wards w ON v.ward = w.ward"),
    ("wards w JOIN visits v ON v.ward = w.ward", "visits v JOIN wards w ON v.ward = w.ward"),
    (
        "visits v JOIN wards w ON v.ward = w.ward AND w.floor = 2",
        "visits v JOIN wards w ON v.ward = w.ward WHERE w.floor = 2",
    ),
    ("visits v CROSS JOIN items i WHERE v.visit = i.visit", "visits v JOIN items i ON v.visit = i.visit"),
    (
        "areas a, wards w, visits v WHERE a.area = w.area AND w.ward = v.ward",
        "visits v JOIN wards w ON w.ward = v.ward JOIN areas a ON a.area = w.area",
    ),
    (
        "items i, wards w, visits v WHERE (v.visit = i.visit AND w.floor = 1 AND w.ward = v.ward) "
        "OR (w.ward = v.ward AND w.floor = 2 AND v.visit = i.visit)",
        "items i JOIN visits v ON v.visit = i.visit JOIN wards w ON w.ward = v.ward WHERE w.floor = 1 OR w.floor = 2",
    ),
    ("main.visits v, public.wards w WHERE v.ward = w.ward", "visits v JOIN wards w ON v.ward = w.ward"),
)


@pytest.mark.parametrize(("written", "joined"), _ALIKE)
def test_it_is_the_question_with_joins(written: str, joined: str) -> None:
    one, other = (read_question(f"SELECT COUNT(*) FROM {origin}", CATALOGUE) for origin in (written, joined))
    assert one.rows.sql == other.rows.sql
