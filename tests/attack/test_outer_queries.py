"""Outer queries that reach for files, settings, other tables or much work: each is refused before the charge.

The list of nodes refuses them; and the sealed database, without that list, has nothing to give.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import duckdb
import pytest
from tests.attack.small_clinic import open_clinic

from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.engines.duckdb.sealed import MOST_ROWS, PublicTable, Stopped, StoppedError, run_sealed, sealed

GROUPS = "WITH d AS (SELECT age, COUNT(*) AS n FROM v GROUP BY age) "

HOSTILE = """
SELECT * FROM 'v.parquet'
SELECT n FROM d, 'v.parquet'
SELECT n FROM d JOIN 'v.parquet' f ON true
SELECT n FROM d, read_csv('/etc/passwd')
SELECT n FROM d, read_parquet('v.parquet') p
SELECT n FROM d, read_text('/etc/passwd')
SELECT n FROM d, read_blob('/etc/passwd')
SELECT n FROM d, read_json('https://example.org/x.json')
SELECT n FROM d, glob('*')
SELECT n FROM d, parquet_scan('v.parquet')
SELECT n FROM d, parquet_metadata('v.parquet')
SELECT n FROM d, sqlite_scan('ledger.sqlite', 'entries')
SELECT n FROM d, postgres_scan('host=db', 'public', 'v')
SELECT n FROM d, v
SELECT n FROM d JOIN v ON true
SELECT n, (SELECT MAX(cost) FROM v WHERE pid = 7) FROM d
SELECT n, (SELECT cost FROM v LIMIT 1) FROM d
SELECT n FROM d WHERE EXISTS (SELECT 1 FROM v WHERE pid = 7)
SELECT n FROM d WHERE age IN (SELECT age FROM v WHERE pid = 7)
SELECT n FROM d WHERE age = ANY (SELECT age FROM v)
SELECT n FROM d UNION ALL SELECT cost FROM v
SELECT n FROM d UNION ALL SELECT 1 FROM 'v.parquet'
SELECT n FROM d, main.v
SELECT n FROM d, information_schema.tables
SELECT n FROM d, duckdb_settings()
SELECT n FROM d, duckdb_secrets()
SELECT n FROM d, duckdb_logs()
SELECT n FROM d, pragma_version()
SELECT n FROM d, sqlite_master
SELECT n FROM d, pg_catalog.pg_class
SELECT n, getenv('HOME') FROM d
SELECT n, current_setting('memory_limit') FROM d
SELECT n, getvariable('x') FROM d
SELECT n, version() FROM d
SELECT n, random() FROM d
SELECT n, now() FROM d
SELECT n, CURRENT_DATE FROM d
SELECT n, uuid() FROM d
SELECT n, current_user FROM d
SELECT n, nextval('s') FROM d
SELECT n, txid_current() FROM d
SELECT n, query('SELECT 1') FROM d
SELECT * FROM d, query_table('v')
SELECT n, COLUMNS('.*') FROM d
SELECT * EXCLUDE (n) FROM d
SELECT n FROM d, range(10000000000)
SELECT n FROM d, generate_series(1, 10000000000)
SELECT n, unnest(range(1000000000)) FROM d
SELECT n, repeat('x', 1000000000) FROM d
SELECT n, lpad('x', 1000000000, 'y') FROM d
SELECT n, list_transform([1], x -> x) FROM d
SELECT n FROM d, LATERAL (SELECT * FROM v)
SELECT n FROM d, (VALUES (1)) t(x)
SELECT n FROM d TABLESAMPLE 10%
SELECT n FROM d USING SAMPLE 1
SELECT d.n FROM d POSITIONAL JOIN d e
SELECT d.n FROM d ASOF JOIN d e ON d.age >= e.age
SELECT n FROM d, __released
SELECT a0 FROM __released
SELECT n FROM __core_0, d
SELECT d FROM d
SELECT {'a': n} FROM d
SELECT [n] FROM d
SELECT n::JSON FROM d
SELECT n::BLOB FROM d
SELECT regexp_matches(age::TEXT, '(a+)+$') FROM d
SELECT age::TEXT LIKE '%1%1%1%1%1%1%1%1%2' FROM d
SELECT age::TEXT LIKE age::TEXT FROM d
SELECT j LIKE '%1' FROM (SELECT age::TEXT || age::TEXT AS j FROM d)
SELECT hash(n) FROM d
SELECT write_log('x') FROM d
SELECT error('x') FROM d
SELECT n, (SELECT n FROM d) FROM d
SELECT cost FROM d
SELECT n FROM d ORDER BY random()
SELECT n FROM d LIMIT (SELECT MAX(cost) FROM v)
SELECT n FROM d WHERE n > (SELECT COUNT(*) FROM 'v.parquet')
SELECT COUNT(*) FROM d a, d b, d c, d e, d f, d g, d h, d i, d j
SELECT n, secret FROM d, secret
SELECT n FROM d; COPY d TO 'stolen.csv'
SELECT n FROM d; ATTACH 'stolen.db'
SELECT n FROM d; INSTALL httpfs
SELECT n FROM d; SET memory_limit = '1TB'
SELECT n AS "\x03x" FROM d
SELECT {doubled} FROM d
SELECT x, n FROM d, (WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t) r
""".strip().splitlines()


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    """The small clinic."""
    with open_clinic(tmp_path_factory.mktemp("clinic")) as dataset:
        yield dataset


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_outer_query_is_refused_before_the_charge(clinic: Dataset, hostile: str) -> None:
    secret = duckdb.sql("SELECT 7 AS secret")
    assert secret is not None  # a variable that a replacement scan would find
    with pytest.raises(Refused):
        clinic.query(GROUPS + hostile.replace("{doubled}", "||".join(["age::TEXT"] * 20)), epsilon=1)
    assert clinic.budget().entries == ()


def test_the_same_groups_are_answered_where_nothing_is_hostile(clinic: Dataset) -> None:
    """Broken twin: without this the refusals above could be of the groups themselves."""
    assert "Expected error" in str(clinic.explain(GROUPS + "SELECT SUM(n) FROM d", epsilon=1))


BARE = """
SELECT * FROM '{place}'
SELECT * FROM read_csv('{place}')
SELECT * FROM read_text('{place}')
SELECT * FROM glob('*')
SELECT * FROM secret
SELECT getenv('HOME')
COPY (SELECT 1) TO '{place}.out'
ATTACH '{place}.db'
SET threads = 4
SET enable_external_access = true
SET python_enable_replacements = true
RESET memory_limit
INSTALL httpfs
LOAD httpfs
""".strip().splitlines()


@pytest.mark.parametrize("statement", BARE)
def test_the_sealed_database_has_nothing_to_give(tmp_path: Path, statement: str) -> None:
    """The second line of defence, without the list of nodes and without the SELECT around a statement."""
    place = tmp_path / "visits.csv"
    place.write_text("a\n1\n")
    secret = duckdb.sql("SELECT 7 AS secret")
    assert secret is not None
    with sealed({"d": PublicTable({"n": "BIGINT"}, {"n": [1, 2]})}) as connection, pytest.raises(duckdb.Error):
        connection.execute(statement.format(place=place)).fetchall()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["visits.csv"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT SUM(a.range * b.range) FROM range(10000000) a, range(10000000) b", Stopped.LIMITS),
        ("WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT MAX(x) FROM t", Stopped.LIMITS),
        ("SELECT COUNT(DISTINCT range::VARCHAR || 'xxxxxxxxxxxxxxxxxxxxxxx') FROM range(100000000)", Stopped.LIMITS),
        (f"SELECT range FROM range({MOST_ROWS + 1})", Stopped.ROWS),
        ("SELECT 9223372036854775807 + range FROM range(2)", Stopped.VALUES),
    ],
)
def test_a_sealed_statement_ends_within_its_limits(statement: str, reason: Stopped) -> None:
    begun = monotonic()
    with sealed({}) as connection, pytest.raises(StoppedError) as stopped:
        run_sealed(connection, statement, seconds=0.3 if reason is Stopped.LIMITS else 20)
    assert stopped.value.reason is reason
    assert monotonic() - begun < 20
