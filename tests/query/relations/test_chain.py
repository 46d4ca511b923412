"""Joins within people have few rows of one person, chosen from that person's rows only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.query.fixtures.rendering import Lowered

from tacit.errors import Refused
from tacit.query.sql import bounded_join
from tacit.query.sql.rows import Rows, in_type

_OWN = 7  # rows of the patient with most


@pytest.fixture
def rows() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE visits (visit BIGINT, patient BIGINT, age INTEGER, ward VARCHAR, day DATE)")
        opened.execute("CREATE TABLE calls (patient BIGINT, minutes INTEGER, topic VARCHAR)")
        opened.execute(f"INSERT INTO visits SELECT i, 7, i, 'w', DATE '2024-01-01' FROM range({_OWN}) t(i)")
        opened.execute("INSERT INTO visits SELECT 100 + i, 100 + i, 5, NULL, NULL FROM range(50) t(i)")
        opened.execute("INSERT INTO calls SELECT 7, i, 't' || i FROM range(5) t(i)")
        yield opened


def _rows(query: str, folder: Path) -> Rows:
    return Lowered.of(query, folder, is_pure=False).plan.question.rows


def _self_joined(tables: int) -> str:
    joins = " ".join(f"JOIN visits AS v{i} ON v0.patient = v{i}.patient" for i in range(1, tables))
    return f"SELECT SUM(v0.age) FROM visits AS v0 {joins}"


def _most_made(rows: duckdb.DuckDBPyConnection, sql: str) -> int:
    """The most rows that any part of the statement gives, as it runs."""
    found = rows.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) SELECT COUNT(*) FROM ({sql}) AS r").fetchall()
    return max(map(int, re.findall(r'"(?:intermediate_rows|operator_cardinality)": (\d+)', str(found[0][1]))))


@pytest.mark.parametrize("tables", [3, 5, 11, 16])
def test_no_join_makes_more_than_a_person_may_bring(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, tables: int
) -> None:
    """Seven rows in eleven tables were two billion; other people's rows are one each."""
    made = _most_made(rows, _rows(_self_joined(tables), tmp_path).under('"v0.age"'))
    assert made <= bounded_join.MOST_ROWS * _OWN + 50
    assert made >= min(_OWN**tables, bounded_join.MOST_ROWS)


_CALLS = " ".join(f"JOIN calls c{i} ON c{i}.patient = c0.patient" for i in range(1, 8))
_ONE = "(SELECT patient, MAX(minutes) AS m FROM calls GROUP BY patient) l"
_NONE = "(SELECT a.patient, a.age FROM visits a JOIN visits b ON b.patient = a.patient) s"
_SHAPES = (
    "visits a JOIN visits b ON b.patient = a.patient "
    f"JOIN (SELECT c0.patient, c0.minutes FROM calls c0 {_CALLS}) c0 ON c0.patient = a.patient",
    f"{_ONE} LEFT JOIN {_NONE} ON s.patient = l.patient JOIN calls c0 ON c0.patient = l.patient {_CALLS}",
)


@pytest.mark.parametrize("shape", _SHAPES)
def test_nor_does_a_join_on_the_right_or_of_people_whom_the_first_table_lacks(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, shape: str
) -> None:
    rows.execute(f"INSERT INTO calls SELECT p, i, 'x' FROM range({_OWN}) t(i), (VALUES (7), (3)) u(p)")
    rows.execute("DELETE FROM calls WHERE patient = 7 AND topic <> 'x'")
    rows.execute("DELETE FROM visits WHERE patient = 7 AND visit > 1")
    made = _most_made(rows, _rows(f"SELECT SUM(c0.minutes) FROM {shape}", tmp_path).under('"c0.minutes"'))
    assert made <= 2 * bounded_join.MOST_ROWS * _OWN + 50


def test_without_the_cut_the_rows_would_be_seen(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken twin."""
    monkeypatch.setattr(bounded_join, "MOST_ROWS", 10**9)
    assert _most_made(rows, _rows(_self_joined(6), tmp_path).under('"v0.age"')) >= _OWN**6


def test_one_row_a_person_is_joined_whole(tmp_path: Path) -> None:
    """So is any number of tables with one row a person, or that are public."""
    people = "(SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)"
    joins = f"visits v JOIN {people} p ON p.patient = v.patient JOIN {people} q ON q.patient = v.patient"
    found = _rows(f"SELECT COUNT(*) FROM {joins} WHERE p.n + q.n > 1", tmp_path)
    assert not found.bounds
    assert "row_number" not in found.sql


_MANY = 3_000  # rows of one patient: nine million pairs
_PAIRS = ("", "AND a.age < b.age", "AND a.age + 0 = b.age - 1")


def _with_many(rows: duckdb.DuckDBPyConnection) -> None:
    rows.execute(f"INSERT INTO visits SELECT 1000 + i, 8, 1 + i % 2, 'w', NULL FROM range({_MANY}) t(i)")


@pytest.mark.parametrize("more", _PAIRS)
@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
def test_no_two_tables_make_more_than_a_person_may_bring(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, more: str, kind: str
) -> None:
    _with_many(rows)
    query = f"SELECT SUM(a.age + b.age) FROM visits a {kind} visits b ON a.patient = b.patient {more}"
    made = _most_made(rows, _rows(query, tmp_path).under('"a.age", "b.age"'))
    assert made <= bounded_join.MOST_PARTNERS * _MANY
    assert made <= bounded_join.MOST_PAIRS + 2 * _MANY + 200 or "=" in more


@pytest.mark.parametrize("more", _PAIRS)
def test_without_the_cut_the_pairs_would_be_seen(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken twin."""
    _with_many(rows)
    monkeypatch.setattr(bounded_join, "MOST_PAIRS", 10**12)
    query = f"SELECT SUM(a.age + b.age) FROM visits a JOIN visits b ON a.patient = b.patient {more}"
    assert _most_made(rows, _rows(query, tmp_path).under('"a.age", "b.age"')) > 2**21


def test_rows_that_find_their_own_partner_are_all_kept(rows: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Where a unit is a hospital, its rows multiply to much, but few have the same key."""
    _with_many(rows)
    join = "visits a JOIN visits b ON a.patient = b.patient AND b.visit = a.visit"
    sql = _rows(f"SELECT SUM(a.age + b.age) FROM {join}", tmp_path).under('"a.age", "b.age"')
    assert rows.execute(f"SELECT COUNT(*) FROM ({sql}) AS r").fetchall() == [(_MANY + _OWN + 50,)]


_ONE = "(SELECT patient, MAX(age) AS top FROM visits GROUP BY patient)"
_JOINS = (
    "visits a JOIN calls c ON a.patient = c.patient",
    "visits a LEFT JOIN calls c ON a.patient = c.patient AND a.age < c.minutes",
    "visits a LEFT JOIN calls c ON a.patient = c.patient AND a.age = c.minutes",
    f"{_ONE} o JOIN visits a ON a.patient = o.patient JOIN calls c ON c.patient = a.patient AND c.minutes <= o.top",
    "(SELECT patient, age FROM visits WHERE age <> 3) a LEFT JOIN calls c ON a.patient = c.patient",
)
_FURTHER = (
    "",
    "JOIN visits b ON b.patient = a.patient",
    "LEFT JOIN visits b ON b.patient = a.patient AND b.age >= a.age JOIN calls d ON d.patient = a.patient",
    "JOIN (SELECT x.patient, x.age, y.minutes FROM visits x JOIN calls y ON x.patient = y.patient) b "
    "ON b.patient = a.patient AND b.minutes = c.minutes",
)


def _crowd(rows: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    """More patients, and caps that some of them are beyond."""
    rows.execute("INSERT INTO visits SELECT 500 + i, i % 9, i * 7 % 11, 'w', NULL FROM range(60) t(i)")
    rows.execute("INSERT INTO visits SELECT 900 + i, i, 4, 'w', NULL FROM range(9) t(i)")
    rows.execute("INSERT INTO visits SELECT 950 + i, 1, 4, 'w', NULL FROM range(5) t(i)")
    rows.execute("INSERT INTO calls SELECT least(i % 9, i % 5), i * 5 % 11, 't' FROM range(60) t(i)")
    rows.execute("INSERT INTO calls SELECT 100 + i, i, 't' FROM range(20) t(i)")
    rows.execute("INSERT INTO calls SELECT 1, 4, 't' FROM range(5) t(i)")
    monkeypatch.setattr(bounded_join, "MOST_PAIRS", 36)
    monkeypatch.setattr(bounded_join, "MOST_PARTNERS", 3)
    monkeypatch.setattr(bounded_join, "MOST_ROWS", 20)


@pytest.mark.parametrize(
    ("more", "is_key"), [("", False), (" AND a.age < c.minutes", False), (" AND a.age = c.minutes", True)]
)
def test_pairs_are_those_that_the_rule_says(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str, is_key: bool
) -> None:
    _crowd(rows, monkeypatch)
    sql = _rows(f"SELECT SUM(a.age + c.minutes) FROM visits a JOIN calls c ON a.patient = c.patient{more}", tmp_path)
    names = '"__unit", "a.age", "c.minutes"'
    found = rows.execute(f"SELECT {names} FROM ({sql.under(names)}) AS r ORDER BY ALL").fetchall()
    wanted = []
    for (person,) in rows.execute("SELECT DISTINCT patient FROM visits").fetchall():
        ages, minutes = (
            [
                value
                for (value,) in rows.execute(
                    f"SELECT {column} FROM {table} WHERE patient = {person} ORDER BY 1"
                ).fetchall()
            ]
            for table, column in (("visits", "age"), ("calls", "minutes"))
        )
        if len(ages) * len(minutes) > 36:
            ages, minutes = (_first_three(values, is_key) for values in (ages, minutes))
        pairs = [(person, age, minute) for age in ages for minute in minutes]
        wanted += [(p, a, m) for p, a, m in pairs if not more or (a == m if is_key else a < m)]
    assert found == sorted(wanted)
    assert (
        found
        != rows.execute(
            f"SELECT a.patient, age, minutes FROM visits a JOIN calls c ON a.patient = c.patient{more} ORDER BY ALL"
        ).fetchall()
    )


def _first_three(values: list[int], is_key: bool) -> list[int]:
    return [value for place, value in enumerate(values) if (values[:place].count(value) if is_key else place) < 3]


@pytest.mark.parametrize("further", _FURTHER)
@pytest.mark.parametrize("join", _JOINS)
def test_those_with_few_rows_and_with_many_are_joined_by_one_rule(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, join: str, further: str
) -> None:
    """As it stands gives what it gives where everybody takes the long way; some are cut, and some are not."""
    _crowd(rows, monkeypatch)
    last = "b.age" if further else "c.minutes"
    names = ", ".join(f'"{name}"' for name in ("__unit", "a.age", "c.minutes", last))

    def found(sql: str) -> list[tuple[object, ...]]:
        return rows.execute(f"SELECT {names} FROM ({sql}) AS r ORDER BY ALL").fetchall()

    relation = _rows(f"SELECT SUM(a.age + c.minutes + {last}) FROM {join} {further}", tmp_path)
    (joined,) = relation.bounds[-1:]
    cut = found(relation.under(names))
    assert cut == found(relation.select.reading({joined.node: joined.rule}).under(names))
    whole = found(relation.select.reading({joined.node: joined.whole}).under(names))
    heavy = {row[0] for row in whole} - {person for person in range(200) if _of(person, cut) == _of(person, whole)}
    assert heavy
    assert len(heavy) < len({row[0] for row in whole})


def _of(person: object, found: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [row for row in found if row[0] == person]


@pytest.mark.parametrize("most", [1, 3, 20])
def test_the_rows_of_a_person_depend_on_that_person_alone(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """For any order of rows, any other people, and any columns that a statement reads."""
    monkeypatch.setattr(bounded_join, "MOST_ROWS", most)
    join = "visits a JOIN calls c ON a.patient = c.patient JOIN visits b ON b.patient = a.patient"
    relation = _rows(f"SELECT SUM(a.age + b.age) FROM {join} WHERE c.minutes < 9 AND a.ward = 'w'", tmp_path)
    names = '"a.age", "c.minutes", "b.age"'

    def found(above: str) -> list[tuple[object, ...]]:
        return rows.execute(f"SELECT {above} FROM ({relation.under(above)}) AS r ORDER BY ALL").fetchall()

    whole, one = found(names), found('"a.age"')
    assert len(whole) == min(most, _OWN * 5) * _OWN
    assert sorted(row[0] for row in whole) == [age for (age,) in one]
    for order in ("visit DESC", "hash(visit)"):
        rows.execute(f"CREATE OR REPLACE TABLE visits AS SELECT * FROM visits WHERE patient = 7 ORDER BY {order}")
        assert found(names) == whole


def test_many_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="17 private tables"):
        _rows(_self_joined(17), tmp_path)
    doubled = "WITH a AS (SELECT x.patient FROM visits x JOIN visits y ON x.patient = y.patient"
    doubled += " JOIN visits z ON x.patient = z.patient JOIN visits u ON x.patient = u.patient)"
    people = "SELECT patient, COUNT(*) AS n FROM a GROUP BY patient"
    joins = " ".join(f"JOIN ({people}) p{i} ON p{i}.patient = p0.patient" for i in range(1, 5))
    with pytest.raises(Refused, match="20 private tables"):
        _rows(f"{doubled} SELECT SUM(p0.n) FROM ({people}) p0 {joins}", tmp_path)


def test_a_long_key_matches_nothing(rows: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Two texts that are equal as far as they are read may differ further on."""
    rows.execute("UPDATE visits SET ward = repeat('x', 70000) || visit WHERE visit < 3")
    for kind, wanted in (("JOIN", 16), ("LEFT JOIN", 16 + 3 + 50)):
        join = f"visits v {kind} visits w ON v.patient = w.patient AND v.ward = w.ward"
        above = '"v.age", "w.age"'
        sql = _rows(f"SELECT SUM(v.age + w.age) FROM {join}", tmp_path).under(above)
        assert rows.execute(f"SELECT COUNT(*) FROM ({sql}) AS r").fetchall() == [(wanted,)]
        twin = re.sub(r" AND \(strlen\(.*?\) < 65536\)", "", sql)
        assert rows.execute(f"SELECT COUNT(*) FROM ({twin}) AS r").fetchall() != [(wanted,)]


def test_a_long_name_is_nobody(rows: duckdb.DuckDBPyConnection) -> None:
    """Cut, it would be somebody else."""
    rows.execute("CREATE TABLE people AS SELECT unnest(['a', repeat('x', 65535), repeat('x', 65536), NULL]) AS name")
    found = rows.execute(f"SELECT length({in_type('name', 'VARCHAR', 'VARCHAR')}) FROM people").fetchall()
    assert found == [(1,), (65535,), (None,), (None,)]
