"""With almost no noise and generous limits, the private answer equals plain SQL's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import duckdb
import pytest
from tests.engines.engines import EngineUnderTest

from tacit.curator.dataset import Dataset, open_dataset
from tacit.release.release import Release

DESCRIPTION = """\
[dataset]
name = "clinic"
unit = { id = "patient", hides = "one patient" }
budget = { rho = 1e40, delta = 0.9 }
floor = 0
breaker = "off"
[tables.visits]
{visits}
limits = { rows = 60, keys = 40 }
[tables.visits.columns]
visit = { type = "int" }
region = { type = "text", keys = ["north", "south", "west"] }
ward = { type = "text" }
cost = { type = "money", min = 0, max = 1000 }
stay = { type = "float", min = 0, max = 30 }
age = { type = "int", min = 0, max = 110, nullable = false }
smoker = { type = "bool" }
day = { type = "date", min = 2023-01-01, max = 2023-12-31 }
seen = { type = "timestamp", min = 2023-01-01T00:00:00, max = 2023-12-31T23:59:59 }
[tables.drugs]
{drugs}
unit = { column = "visit", table = "visits", key = "visit" }
limits = { rows = 60, keys = 40 }
[tables.drugs.columns]
visit = { type = "int" }
drug = { type = "text", keys = ["a", "b", "c"] }
dose = { type = "int", min = 0, max = 50 }
[tables.patients]
{patients}
limits = { rows = 60, keys = 40 }
[tables.patients.columns]
sex = { type = "text", keys = ["f", "m"] }
[lookups.wards]
{wards}
key = "ward"
columns = { ward = { type = "text" }, floor = { type = "int", min = 0, max = 9 } }
"""
TABLES = {
    "visits": """SELECT i AS visit, (i * 7919) % 400 AS patient, ['north', 'south', 'west'][1 + i % 3] AS region,
        'w' || (i % 7) AS ward, CASE WHEN i % 11 = 0 THEN NULL ELSE round((i * 37 % 90000) / 100.0, 2) END AS cost,
        CASE WHEN i % 13 = 0 THEN NULL ELSE (i % 240) / 8.0 END AS stay, (i * 31) % 100 AS age,
        CASE WHEN i % 5 = 0 THEN NULL ELSE i % 2 = 0 END AS smoker, DATE '2023-01-01' + (i * 17 % 365)::INTEGER AS day,
        TIMESTAMP '2023-01-01' + INTERVAL (i * 7717 % 8000) HOUR AS seen FROM range(6000) AS r(i)""",
    "drugs": """SELECT (i * 3) % 6000 AS visit, ['a', 'b', 'c'][1 + i % 3] AS drug, i % 50 AS dose
        FROM range(3000) AS r(i)""",
    "patients": "SELECT i AS patient, ['f', 'm'][1 + i % 2] AS sex FROM range(400) AS r(i)",
    "wards": "SELECT 'w' || (i % 6) AS ward, (i % 6) % 4 AS floor FROM range(7) AS r(i)",  # one twice, one missing
}
QUERIES = [
    "SELECT COUNT(*), COUNT(cost), COUNT(DISTINCT patient), SUM(cost), AVG(cost) FROM visits",
    "SELECT region, COUNT(*), SUM(age), AVG(stay) FROM visits GROUP BY region",
    "SELECT ward, COUNT(*), AVG(age) FROM visits GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT patient) FROM visits WHERE age >= 65 GROUP BY ward",
    "SELECT VAR_POP(age), STDDEV_POP(age), VAR_SAMP(cost), STDDEV(cost) FROM visits",
    "SELECT region, COUNT(*) FILTER (WHERE smoker), SUM(cost) FILTER (WHERE age < 18) FROM visits GROUP BY region",
    "SELECT date_trunc('month', day) AS month, COUNT(*) FROM visits GROUP BY month",
    "SELECT age // 10 AS decade, COUNT(*) FROM visits GROUP BY decade",
    "SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END AS g, AVG(cost) FROM visits "
    "GROUP BY 1",
    "SELECT smoker, COUNT(*) FROM visits GROUP BY smoker",
    "SELECT year(day), month(day), COUNT(*) FROM visits WHERE month(day) <= 3 GROUP BY ALL",
    "SELECT SUM(cost * age), SUM(stay / 2), AVG(cost / GREATEST(stay, 1)) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE ward LIKE 'w%' AND ward IN ('w1', 'w2') AND cost BETWEEN 10 AND 700",
    "SELECT COUNT(*) FROM visits WHERE NOT smoker OR cost IS NULL",
    "SELECT COUNT(DISTINCT ward), COUNT(DISTINCT age) FROM visits",
    "SELECT region, COUNT(DISTINCT ward) FROM visits GROUP BY region",
    "SELECT AVG(t), COUNT(*) FROM (SELECT patient, SUM(cost) AS t FROM visits GROUP BY patient) AS p",
    "SELECT n, COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) AS p GROUP BY n",
    "SELECT AVG(m) FROM (SELECT patient, MAX(age) AS m FROM visits GROUP BY patient HAVING COUNT(*) > 3) AS p",
    "SELECT region, AVG(t) FROM (SELECT patient, region, SUM(cost) AS t FROM visits GROUP BY patient, region) AS p "
    "GROUP BY region",
    "WITH old AS (SELECT * FROM visits WHERE age > 50) SELECT region, COUNT(*) FROM old GROUP BY region",
    "WITH c AS (SELECT cost * 2 AS twice, region FROM visits) SELECT region, SUM(twice) FROM c WHERE twice > 100 "
    "GROUP BY region",
    "SELECT w.floor, COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY w.floor",
    "SELECT w.floor, COUNT(*) FROM visits v LEFT JOIN wards w ON v.ward = w.ward GROUP BY w.floor",
    "SELECT p.sex, COUNT(*), AVG(v.cost) FROM visits v JOIN patients p ON v.patient = p.patient GROUP BY p.sex",
    "SELECT p.sex, COUNT(*) FROM visits v JOIN patients p USING (patient) GROUP BY p.sex",
    "SELECT drug, COUNT(*), SUM(dose) FROM drugs GROUP BY drug",
    "SELECT d.drug, AVG(v.age), COUNT(*) FROM drugs d JOIN visits v ON d.visit = v.visit GROUP BY d.drug",
    "SELECT region, 100 * SUM(cost) / COUNT(*) AS x FROM visits GROUP BY region HAVING COUNT(*) > 10 "
    "ORDER BY x DESC LIMIT 2",
    "SELECT EXTRACT(hour FROM seen) AS h, COUNT(*) FROM visits WHERE hour(seen) < 4 GROUP BY h",
    "SELECT COUNT(*) FROM visits WHERE seen >= TIMESTAMP '2023-06-01' AND day < DATE '2023-09-01'",
    "SELECT region, COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM drugs d WHERE d.visit = v.visit AND dose > 9) "
    "GROUP BY region",
    "SELECT COUNT(*) FROM visits v WHERE NOT EXISTS "
    "(SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.day > v.day)",
    "SELECT COUNT(*), SUM(age) FROM visits WHERE visit NOT IN (SELECT visit FROM drugs) OR patient IN "
    "(SELECT patient FROM patients WHERE sex = 'f')",
    "SELECT COUNT(*) FROM visits v WHERE ward NOT IN (SELECT ward FROM wards) AND smoker NOT IN (SELECT w.smoker "
    "FROM visits w WHERE w.patient = v.patient AND w.region <> 'north' AND w.region = v.region)",
    "SELECT AVG(most), COUNT(*) FROM (SELECT visit, MAX(dose) AS most FROM drugs GROUP BY visit) AS t WHERE most > 3",
    "SELECT region, COUNT(*), AVG(gap) FROM (SELECT region, day - LAG(day) OVER (PARTITION BY patient ORDER BY day, "
    "visit) AS gap FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day DESC, visit) <= 5) AS t "
    "GROUP BY region",
]
QUANTILES = ["MEDIAN(age)", "QUANTILE_CONT(cost, 0.9)", "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY stay)"]


@pytest.fixture(scope="module")
def rows() -> Iterator[duckdb.DuckDBPyConnection]:
    """The rows, for plain SQL."""
    with duckdb.connect() as connection:
        for name, select in TABLES.items():
            connection.execute(f"CREATE TABLE {name} AS {select}")
        yield connection


@pytest.fixture(scope="module")
def data(
    under_test: EngineUnderTest, rows: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dataset]:
    folder = tmp_path_factory.mktemp("plain")
    text = DESCRIPTION
    for name, lines in under_test.load(rows, list(TABLES), folder).items():
        text = text.replace("{" + name + "}", lines)
    (folder / "clinic.toml").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACIT_WITNESS", str(folder / "elsewhere" / "witness"))
        with open_dataset(folder / "clinic.toml", ledger=folder / "ledger.sqlite") as opened:
            yield opened


def plain(rows: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    """The answer of plain SQL, with each public row once."""
    return rows.execute(re.sub(r"\bwards w\b", "(SELECT DISTINCT * FROM wards) w", sql)).fetchall()


@pytest.mark.parametrize("sql", QUERIES)
def test_the_answer_is_the_plain_one(data: Dataset, rows: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Public groups that are empty are near zero; plain SQL does not list them. Means of nothing may be anything."""
    release = data.query(sql, epsilon=10**10, delta="0.01")
    names = [column.name for column in release.rendered.columns]
    answers = list(zip(*(release.table.column(name).to_pylist() for name in names), strict=True))
    expected = {_keys(row, release): row for row in plain(rows, sql)}
    shown = {_keys(row, release): row for row in answers}
    assert set(expected) <= set(shown), set(expected) - set(shown)
    for key, row in shown.items():
        if key in expected:
            assert all(map(_is_close, row, expected[key])), (key, row, expected[key])
        else:
            assert all(value is None or abs(float(str(value))) < 5 for value in _numbers(row, release))


@pytest.mark.parametrize("call", QUANTILES)
def test_a_quantile_is_near_the_plain_one(data: Dataset, rows: duckdb.DuckDBPyConnection, call: str) -> None:
    """Within the width of a cell of its grid, or the next value: half an age, a few hundredths of the others."""
    release = data.query(f"SELECT {call} AS q FROM visits", epsilon=10**10, delta="0.01")
    (truth,) = plain(rows, f"SELECT {call} FROM visits")[0]
    assert abs(release.table.column("q")[0].as_py() - float(str(truth))) <= 0.5


def _keys(row: tuple[object, ...], release: Release) -> tuple[str, ...]:
    columns = release.rendered.columns
    return tuple(str(value)[:10] for value, column in zip(row, columns, strict=True) if column.is_key)


def _numbers(row: tuple[object, ...], release: Release) -> list[object]:
    columns = release.rendered.columns
    return [v for v, column in zip(row, columns, strict=True) if not (column.is_key or "avg" in column.name)]


def _is_close(found: object, truth: object) -> bool:
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return math.isclose(found, float(str(truth)), rel_tol=2e-3, abs_tol=0.02)
    return str(found)[:10] == str(truth)[:10]
