"""Sub-queries of EXISTS and IN, groups by what a person owns, and windows, over each person's own rows.

R20, R22: on the data of one person they are what plain SQL says, and among other people they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from tests.query.fixtures.rendering import PHYSICAL, Lowered

from tacit.errors import Refused
from tacit.query.sql import bounded_join, from_clause, semi_joins, windows
from tacit.query.sql.matches import among, existing
from tacit.query.sql.rows import Rows, Select, SelectItem

_OWN = "w.patient = v.patient"
CONDITIONS = [
    "EXISTS (SELECT 1 FROM drugs d WHERE d.visit = v.visit AND d.dose > 1)",
    "NOT EXISTS (SELECT * FROM drugs d WHERE v.visit = d.visit LIMIT 1)",
    "v.patient IN (SELECT patient FROM calls WHERE minutes > 3)",
    "v.patient NOT IN (SELECT c.patient FROM calls c WHERE minutes > 5)",
    f"v.age IN (SELECT w.age FROM visits w WHERE {_OWN} AND w.urgent)",
    f"v.age NOT IN (SELECT w.age FROM visits w WHERE {_OWN} AND w.urgent)",
    f"v.age NOT IN (SELECT w.days FROM visits w WHERE {_OWN} AND w.ward = v.ward)",
    f"NOT (v.age IN (SELECT w.days FROM visits w WHERE {_OWN} AND w.ward = v.ward) OR v.urgent)",
    f"(v.age IN (SELECT w.age FROM visits w WHERE {_OWN} AND w.urgent)) IS NULL",
    f"v.weight IN (SELECT w.days FROM visits w WHERE {_OWN})",
    f"v.days NOT IN (SELECT w.weight FROM visits w WHERE {_OWN})",
    f"EXISTS (SELECT 1 FROM visits w WHERE {_OWN} AND w.day > v.day AND w.day <= v.day + INTERVAL 3 DAY)",
    f"NOT EXISTS (SELECT 1 FROM visits w WHERE {_OWN} AND w.ward <> v.ward)",
    f"NOT EXISTS (SELECT 1 FROM visits w WHERE {_OWN} AND w.weight < v.weight AND w.ward = v.ward)",
    f"EXISTS (SELECT 1 FROM visits w WHERE {_OWN} AND (w.age > v.age OR v.age IS NULL) AND w.ward = v.ward)",
    f"ward IN (SELECT ward FROM visits w WHERE {_OWN} AND w.day < v.day)",
    "v.visit IN (SELECT visit FROM visits WHERE urgent)",
    "v.visit NOT IN (SELECT visit FROM visits WHERE age > 2)",
    "v.ward IN (SELECT ward FROM wards WHERE floor > 2)",
    "v.ward NOT IN (SELECT ward FROM wards WHERE floor > 2)",
    "v.ward NOT IN (SELECT ward FROM wards)",
    "NOT EXISTS (SELECT 1 FROM wards x WHERE x.ward = v.ward) OR v.urgent",
    "v.age IN (SELECT floor FROM wards)",
    "EXISTS (SELECT 1 FROM wards WHERE floor > 8)",
    f"v.ward || 'x' IN (SELECT LOWER(w.ward) || 'x' FROM visits w WHERE {_OWN} AND w.urgent)",
    "CASE WHEN EXISTS (SELECT 1 FROM calls w WHERE w.patient = v.patient AND w.minutes = v.age) THEN v.urgent "
    "ELSE v.age > 3 END",
    "v.visit IN (SELECT visit FROM drugs GROUP BY visit HAVING COUNT(*) > 1)",
    "v.visit NOT IN (SELECT DISTINCT visit FROM drugs WHERE drug = 'a')",
    "v.patient IN (SELECT patient FROM calls GROUP BY patient HAVING MAX(minutes) > 3)",
    "EXISTS (SELECT 1 FROM drugs d JOIN visits w ON w.visit = d.visit WHERE w.visit = v.visit AND w.age > 2)",
    f"EXISTS (SELECT 1 FROM visits w WHERE {_OWN} AND EXISTS (SELECT 1 FROM drugs d WHERE d.visit = w.visit))",
    f"EXISTS (SELECT 1 FROM visits w WHERE {_OWN} AND w.ward IN (SELECT ward FROM wards) AND w.age = v.days)",
    "v.visit IN (SELECT w.visit FROM visits w JOIN wards k ON k.ward = w.ward AND k.floor > 2)",
    "v.visit IN (SELECT d.visit FROM drugs d, drugs e JOIN visits w ON w.visit = e.visit AND w.age > 2 "
    "WHERE e.visit = d.visit AND d.dose > 1)",
    f"EXISTS (WITH k AS (SELECT * FROM visits WHERE urgent) SELECT 1 FROM k w WHERE {_OWN} AND w.age = v.age)",
]
ORIGINS = [
    "(SELECT visit, COUNT(*) AS n FROM drugs GROUP BY visit) t WHERE n > 1",
    "(SELECT w.visit AS k, MAX(dose) AS n FROM visits w JOIN drugs d ON d.visit = w.visit GROUP BY k) t WHERE n > 2",
    "visits w LEFT JOIN (SELECT visit, SUM(dose) AS n FROM drugs GROUP BY visit) t ON t.visit = w.visit WHERE n > 4",
    "(SELECT DISTINCT visit, drug FROM drugs) t",
    "visits v SEMI JOIN drugs d ON d.visit = v.visit AND d.dose > 1",
    "visits v ANTI JOIN calls c ON v.patient = c.patient AND c.minutes > v.age WHERE urgent",
    "visits v SEMI JOIN drugs d ON d.visit = v.visit WHERE EXISTS (SELECT 1 FROM calls c WHERE c.patient = v.patient "
    "AND c.minutes > 4)",
    "visits v SEMI JOIN calls c ON c.patient = v.patient ANTI JOIN drugs d ON d.visit = v.visit AND d.dose > 1",
    "visits v SEMI JOIN (SELECT w.visit FROM visits w SEMI JOIN drugs d ON d.visit = w.visit WHERE w.age > 1 AND "
    "w.patient NOT IN (SELECT patient FROM calls WHERE minutes > 4)) t ON t.visit = v.visit",
    "(SELECT LAG(age) OVER (PARTITION BY patient ORDER BY visit ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED "
    "FOLLOWING) AS k FROM visits) t WHERE k > 2",
    "(SELECT DISTINCT patient, ward FROM visits) t WHERE ward IS NOT NULL",
    "(SELECT ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day DESC, visit) AS k, age FROM visits) t "
    "WHERE k <= 3 AND age > 2",
    "(SELECT age FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient, ward ORDER BY visit) = 2) t "
    "WHERE age > 2",
    "(SELECT *, day - LAG(day) OVER (PARTITION BY patient ORDER BY day, visit) AS gap FROM visits) t WHERE gap > 1",
    "(SELECT LEAD(ward, 2) OVER (PARTITION BY patient ORDER BY age NULLS FIRST, visit) AS k FROM visits WHERE age < 5) "
    "t WHERE k = 'a'",
    "(SELECT RANK() OVER (PARTITION BY patient ORDER BY ward DESC NULLS FIRST) AS r, DENSE_RANK() OVER "
    "(PARTITION BY patient ORDER BY weight) AS d FROM visits) t WHERE r > 2 AND d < 4",
    "(SELECT FIRST_VALUE(ward) OVER (PARTITION BY patient ORDER BY day, visit) AS f, ward FROM visits) t "
    "WHERE f = ward",
    "(SELECT COUNT(*) OVER (PARTITION BY patient, ward) AS n, MAX(age) OVER (PARTITION BY patient ORDER BY day) AS m, "
    "age FROM visits) t WHERE n > 2 AND m = age",
    "(SELECT COUNT(age) OVER (PARTITION BY patient ORDER BY visit ROWS UNBOUNDED PRECEDING) AS n FROM visits) t "
    "WHERE n > 2",
    "(SELECT visit, ROW_NUMBER() OVER (PARTITION BY visit ORDER BY dose, drug) AS k FROM drugs QUALIFY k = 2) t",
]
QUERIES = [f"SELECT COUNT(*) FROM visits v WHERE {condition}" for condition in CONDITIONS]
QUERIES += [f"SELECT COUNT(*) FROM {origin}" for origin in ORIGINS]


def _some(random: Random, *values: object) -> str:
    return str(random.choice(values))


def _row(random: Random, table: str, person: int, number: int, visits: list[int]) -> Mapping[str, str]:
    small = [*range(6), "NULL"]
    values = {
        "visit": str(number) if table == "visits" else _some(random, *visits),
        "patient": str(person),
        "age": _some(random, *small),
        "days": _some(random, *small),
        "minutes": _some(random, *small, 7),
        "weight": _some(random, *small, "0.0", "2.5"),
        "cost": "1",
        "region": "'north'",
        "ward": _some(random, "'a'", "'b'", "'c'", "NULL"),
        "day": _some(random, *(f"DATE '2024-01-0{day}'" for day in range(1, 8)), "NULL"),
        "urgent": _some(random, "TRUE", "FALSE", "NULL"),
        "drug": _some(random, "'a'", "'b'"),
        "dose": _some(random, 0, 1, 2, 3, "NULL"),
        "topic": "'bill'",
        "icd": "'a'",
        "seen": "NULL",
    }
    return {column: values[column] for column in PHYSICAL[table]}


def people(random: Random, persons: int, most: int = 7) -> dict[str, list[Mapping[str, str]]]:
    """Rows of several people, who share the keys of their visits."""
    found: dict[str, list[Mapping[str, str]]] = {"visits": [], "drugs": [], "calls": []}
    for person in range(persons):
        visits = random.sample(range(most + 2), random.randint(1, most))
        found["visits"] += [_row(random, "visits", person, number, visits) for number in visits]
        found["calls"] += [_row(random, "calls", person, 0, visits) for _ in range(random.randint(0, 3))]
        if persons == 1 or person == 0:
            found["drugs"] += [_row(random, "drugs", person, 0, visits) for _ in range(random.randint(0, 9))]
    return found


def opened(tables: Mapping[str, list[Mapping[str, str]]], person: int | None = None) -> duckdb.DuckDBPyConnection:
    """The tables with all people, or with the visits and calls of one."""
    connection = duckdb.connect()
    for name, columns in PHYSICAL.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(f'{column} {kind}' for column, kind in columns.items())})")
    connection.execute("INSERT INTO wards VALUES ('a', 1), ('b', 4), ('b', 4), ('d', 5)")
    for name, rows in tables.items():
        kept = [row for row in rows if person is None or row.get("patient", str(person)) == str(person)]
        if kept:
            values = ", ".join(f"({', '.join(row.values())})" for row in kept)
            connection.execute(f"INSERT INTO {name} VALUES {values}")
    return connection


def _sql(query: str, folder: Path) -> str:
    return Lowered.of(query, folder, is_pure=False).plan.question.rows.sql


@pytest.fixture(scope="module")
def alone() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """Data sets of one person each."""
    made = [opened(people(Random(seed), 1)) for seed in range(8)]
    yield made
    for each in made:
        each.close()


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[list[duckdb.DuckDBPyConnection]]]:
    """Data sets of three people, each with those of one of them."""
    tables = [people(Random(seed), 3) for seed in range(3)]
    made = [[opened(each), *(opened(each, person) for person in range(3))] for each in tables]
    yield made
    for connection in (each for some in made for each in some):
        connection.close()


@pytest.mark.parametrize("query", QUERIES)
def test_one_person_has_what_plain_sql_says(query: str, alone: list[duckdb.DuckDBPyConnection], tmp_path: Path) -> None:
    """Three-valued logic, NULL keys and equal rows included."""
    sql = f"SELECT COUNT(*) FROM ({_sql(query, tmp_path)}) AS r"
    found = [(rows.execute(sql).fetchall(), rows.execute(query).fetchall()) for rows in alone]
    assert [ours for ours, _ in found] == [plain for _, plain in found]
    assert len({str(plain) for _, plain in found}) > 1 or "floor > 8" in query


def _is_changed(query: str, worlds: list[list[duckdb.DuckDBPyConnection]], folder: Path) -> bool:
    """Whether one person has other rows among others than alone, in some data set."""
    by_person = f'SELECT "__unit", COUNT(*) FROM ({_sql(query, folder)}) AS r GROUP BY ALL'
    for everybody, *each in worlds:
        found = dict(everybody.execute(by_person).fetchall())
        for person, rows in enumerate(each):
            if dict(rows.execute(by_person).fetchall()) != {who: n for who, n in found.items() if who == person}:
                return True
    return False


@pytest.mark.parametrize("query", QUERIES)
def test_nobody_decides_what_another_has(
    query: str, worlds: list[list[duckdb.DuckDBPyConnection]], tmp_path: Path
) -> None:
    """Removing a person changes nothing for others, who have visits with the same keys."""
    assert not _is_changed(query, worlds, tmp_path)


Broken = Callable[[pytest.MonkeyPatch], None]


def of_anybody(patch: pytest.MonkeyPatch) -> None:
    """Rows match those of anybody: the lowered SQL does not require the same person."""

    def loose(real: Callable[..., Rows]) -> Callable[..., Rows]:
        return lambda rows, others, *more: real(rows, replace(others, tables=frozenset()), *more)

    patch.setattr(semi_joins, "existing", loose(existing))
    patch.setattr(semi_joins, "among", loose(among))


def windows_of_all(patch: pytest.MonkeyPatch) -> None:
    """Windows are not partitioned by the person."""
    patch.setattr(windows, "UNIT", "1")


def groups_of_all(patch: pytest.MonkeyPatch) -> None:
    """Groups are by the key alone, and belong to the first of its people."""
    real = from_clause.per_person

    def mixed(*args: Any) -> Rows:
        rows = real(*args)
        grouped, text = rows.select.origin
        assert isinstance(grouped, Select)
        inner, groups = grouped.origin
        assert isinstance(groups, str)
        first = SelectItem('MIN("__unit") AS "__unit"')
        by_key = groups.replace('GROUP BY "__unit", ', "GROUP BY ")
        groups_of_key = replace(grouped, columns=(first, *grouped.columns[1:]), origin=(inner, by_key))
        return replace(rows, select=replace(rows.select, origin=(groups_of_key, text)))

    patch.setattr(from_clause, "per_person", mixed)


@pytest.mark.parametrize(
    ("broken", "query"),
    [
        *((of_anybody, query) for query in QUERIES if "SELECT visit FROM visits WHERE" in query),
        (of_anybody, QUERIES[3]),
        (of_anybody, QUERIES[6]),
        *((windows_of_all, query) for query in QUERIES if "ROW_NUMBER() OVER (PARTITION BY patient" in query),
        *((windows_of_all, query) for query in QUERIES if "day - LAG(day)" in query),
        (groups_of_all, QUERIES[len(CONDITIONS)]),
    ],
)
def test_a_twin_without_the_person_is_seen(
    broken: Broken,
    query: str,
    worlds: list[list[duckdb.DuckDBPyConnection]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken(monkeypatch)
    assert _is_changed(query, worlds, tmp_path)


_REFUSED = [
    ("ward IN (SELECT ward FROM visits WHERE patient = 7)", "says who a person is"),
    ("ward NOT IN (SELECT ward FROM visits WHERE patient = 7)", "says who a person is"),
    ("NOT EXISTS (SELECT 1 FROM visits w WHERE w.ward = v.ward AND w.patient = 7)", "says who a person is"),
    ("EXISTS (SELECT 1 FROM visits w WHERE w.patient = 7 AND w.patient = v.patient)", "says who a person is"),
    ("7 IN (SELECT patient FROM visits)", "other people's rows"),
    ("ward IN (SELECT ward FROM visits WHERE cost > 100)", "other people's rows"),
    ("ward NOT IN (SELECT ward FROM visits WHERE cost > 100)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits w WHERE w.ward = v.ward AND w.age = 3)", "other people's rows"),
    ("NOT EXISTS (SELECT 1 FROM visits w WHERE w.cost > v.cost)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits WHERE age = 3)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient OR w.age = 3)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits w WHERE NOT w.patient = v.patient)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits w WHERE w.visit = v.age)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits w WHERE w.visit + 0 = v.visit)", "other people's rows"),
    ("EXISTS (SELECT 1 FROM visits w WHERE w.patient <> v.patient AND w.visit = v.visit)", "says who a person is"),
    ("EXISTS (SELECT COUNT(*) FROM visits w WHERE w.patient = v.patient)", "plain rows"),
    ("ward IN (SELECT ward FROM wards WHERE ward IN (SELECT ward FROM visits))", "other people's rows"),
    (
        "ward IN (SELECT x.ward FROM wards x WHERE EXISTS (SELECT 1 FROM visits w WHERE w.ward = x.ward))",
        "other people",
    ),
    ("ward IN (SELECT x.ward FROM wards x JOIN visits w ON w.ward = x.ward)", "person"),
    ("age < (SELECT AVG(age) FROM visits)", "other rows"),
    ("age < (SELECT AVG(w.age) FROM visits w WHERE w.ward = v.ward)", "other rows"),
    ("age = ANY (SELECT age FROM visits)", "other rows"),
    ("ward IN (SELECT ward FROM visits LIMIT 3)", "LIMIT"),
    ("ward IN (SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) = 1)", "mix people"),
    ("EXISTS (SELECT 1 FROM wards x WHERE x.floor < v.age)", "by equality"),
]


@pytest.mark.parametrize(("condition", "why"), _REFUSED)
def test_what_others_have_is_refused(condition: str, why: str, tmp_path: Path) -> None:
    """Attacks: whether somebody else has a row, and averages of everybody's rows without noise (Q17)."""
    with pytest.raises(Refused) as caught:
        _sql(f"SELECT COUNT(*) FROM visits v WHERE {condition}", tmp_path)
    assert why in caught.value.why or why in caught.value.asked
    assert "__" not in str(caught.value)


@pytest.mark.parametrize(
    "origin",
    [
        "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) t",
        "(SELECT visit + 0 AS k, COUNT(*) AS n FROM drugs GROUP BY visit + 0) t",
        "(SELECT DISTINCT ward FROM visits) t",
        "(SELECT ROW_NUMBER() OVER (ORDER BY day) AS k FROM visits) t",
        "(SELECT ROW_NUMBER() OVER (PARTITION BY ward ORDER BY day) AS k FROM visits) t",
        "(SELECT LAG(age) OVER (PARTITION BY ward ORDER BY day) AS k FROM visits) t",
        "(SELECT MAX(age) OVER () AS k FROM visits) t",
        "(SELECT age FROM visits QUALIFY RANK() OVER (PARTITION BY ward ORDER BY day) = 1) t",
        "(SELECT MAX(age) OVER (PARTITION BY patient ORDER BY day ROWS 1 PRECEDING) AS k FROM visits) t",
        "(SELECT LAG(age, 1, 0) OVER (PARTITION BY patient ORDER BY day) AS k FROM visits) t",
        "(SELECT LAG(age IGNORE NULLS) OVER (PARTITION BY patient ORDER BY day) AS k FROM visits) t",
        "(SELECT NTILE(2) OVER (PARTITION BY patient ORDER BY day) AS k FROM visits) t",
        "(SELECT ROW_NUMBER() OVER (PARTITION BY patient) AS k FROM visits) t",
    ],
)
def test_groups_and_windows_of_others_are_refused(origin: str, tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        _sql(f"SELECT COUNT(*) FROM {origin}", tmp_path)
    assert "__" not in str(caught.value)


def test_a_person_with_many_rows_is_cut_where_rows_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only by inequalities do rows meet in pairs; a person beyond the bound brings the first of both."""
    query = "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND {})"
    monkeypatch.setattr(bounded_join, "MOST_PAIRS", 100)
    monkeypatch.setattr(bounded_join, "MOST_PARTNERS", 10)
    with opened({}) as rows:
        rows.execute("INSERT INTO visits (visit, patient, age, cost) SELECT i, 1, i, 1 FROM range(100) t(i)")
        rows.execute("INSERT INTO visits (visit, patient, age, cost) SELECT i, 2, i, 1 FROM range(10) t(i)")
        for test, many in (("w.age > v.age", {1: 9, 2: 9}), ("w.age = v.age", {1: 100, 2: 10})):
            sql = _sql(query.format(test), tmp_path)
            found = rows.execute(f'SELECT "__unit", COUNT(*) FROM ({sql}) AS r GROUP BY ALL').fetchall()
            assert dict(found) == many
