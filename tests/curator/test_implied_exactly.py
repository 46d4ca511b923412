"""What releases imply is decided in doubles, cell by cell: it is what SQL says of the rows, or it is not free."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from tests.curator.test_tables import numbers

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused

_BIG = 2**53
TEXT = f"""\
[dataset]
name = "rows"
unit = {{ row = true, hides = "one row" }}
budget = {{ epsilon = 4000, delta = 1e-6 }}

[tables.p]
source = "p.parquet"

[tables.p.columns]
n = {{ type = "int", min = -7, max = 8 }}
big = {{ type = "int", keys = [{_BIG}, {_BIG + 1}, {_BIG + 2}, 5] }}
day = {{ type = "date", min = 2024-02-26, max = 2024-03-03 }}
t = {{ type = "text", keys = ["Anna", "an\\na%", "_x", "Ünder", "é.*", "zx", ""] }}
"""
ROWS = f"""\
SELECT CASE WHEN i % 17 < 16 THEN i % 17 - 7 END AS n, [5, {_BIG}, {_BIG + 1}, {_BIG + 2}, NULL][1 + i % 5] AS big,
    DATE '2024-02-26' + (i * 5 % 7)::INTEGER AS day,
    ['Anna', 'an' || chr(10) || 'a%', '_x', 'Ünder', 'é.*', 'zx', '', NULL, 'other'][1 + i % 9] AS t
FROM range(4000) AS r(i)
"""
TABLES = (
    "SELECT n, big, COUNT(*) AS c FROM p GROUP BY CUBE(n, big); SELECT day, n, COUNT(*) AS c FROM p GROUP BY day, n; "
    "SELECT t, COUNT(*) AS c FROM p GROUP BY t"
)
ALIKE = (
    *(f"big = {_BIG + 1}", f"big IN ({_BIG}, 5)", f"big > {_BIG}", f"NOT big <= {_BIG + 1}", "big < 6", "n = -1.5"),
    *("day = TIMESTAMP '2024-03-01 12:00:00'", "day < TIMESTAMP '2024-02-29 12:00:00'", "day <= '2024-03-01'"),
    *("n / 3 > 0.5", "ROUND(n / 2) = 2", "ROUND(n, -1) = 10", "n * n - 1 > 2", "CAST(n / 2 AS BIGINT) = 2"),
    *("CAST(n AS TINYINT) = 3", "GREATEST(n, 0.5) > 0.5", "COALESCE(n, 0.3) = 0.3", "FLOOR(n / 3) = -2"),
    *("t LIKE 'A%'", "t NOT LIKE '%a%'", "t LIKE '_x'", "t LIKE '%.%'", "t LIKE 'an_a%'", "t LIKE ''", "t LIKE '_n%r'"),
    *("starts_with(t, 'Ün')", "ends_with(t, '.*') OR t IS NULL", "NOT t LIKE '%x' AND t LIKE '%_%'", "t LIKE 'other'"),
)
DIFFERENT = (
    *("n * 0.1 = 0.3", "CAST(n * 0.5 AS BIGINT) = 3", "CAST(-0.5 AS BIGINT) = n", f"big + n = {_BIG + 1}"),
    *("CAST(big AS INTEGER) = big", "n < 99999999999.999999999", "EXP(n) < 20", "CAST(n * 100 AS TINYINT) = 100"),
    *("CAST(n + 7 AS DECIMAL(1, 0)) = 9", "ROUND(n / 3, 1) = 0.3", "CASE WHEN n * 0.1 = 0.3 THEN TRUE END"),
    *("t ILIKE 'a%'", "t LIKE '!_x' ESCAPE '!'", "upper(t) = 'ANNA'"),
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    place = tmp_path_factory.mktemp("rows")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACIT_HOME", str(place / "home"))
        patch.setenv("TACIT_WITNESS", str(place / "elsewhere" / "witness"))
        duckdb.sql(ROWS).write_parquet(str(place / "p.parquet"))
        (place / "p.toml").write_text(TEXT, encoding="utf-8")
        with tacit.open(place / "p.toml") as dataset:
            dataset.tables(TABLES, epsilon=1000)
            yield dataset


@pytest.mark.parametrize("condition", ALIKE)
def test_what_is_free_is_what_sql_says(rows: Dataset, condition: str) -> None:
    read = f"SELECT * REPLACE (NULLIF(t, 'other') AS t) FROM ({ROWS})"  # a value outside the declared keys is NULL
    ((counted,),) = duckdb.sql(f"SELECT COUNT(*) FROM ({read}) WHERE {condition}").fetchall()
    assert numbers(rows.query(f"SELECT COUNT(*) AS n FROM p WHERE {condition}")).value[0] == pytest.approx(
        counted, abs=5
    )


def test_a_text_beside_a_date_is_read_as_below_the_noise(rows: Dataset) -> None:
    """A moment is no day; DuckDB would cut it to one."""
    found = numbers(rows.query("SELECT COUNT(*) AS n FROM p WHERE day = '2024-03-01 12:00:00'")).value[0]
    assert found == pytest.approx(0, abs=5)


@pytest.mark.parametrize("condition", DIFFERENT)
def test_what_doubles_may_decide_otherwise_is_not_free(rows: Dataset, condition: str) -> None:
    spent = str(rows.budget())
    for sql in (
        f"SELECT COUNT(*) AS n FROM p WHERE {condition}",
        f"SELECT {condition} AS k, COUNT(*) FROM p GROUP BY k",
    ):
        with pytest.raises(Refused):
            rows.query(sql)
    with pytest.raises(Refused):
        rows.workload(f"SELECT COUNT(*) FROM p; SELECT COUNT(*) FROM p WHERE {condition}", epsilon=1)
    assert str(rows.budget()) == spent
