"""A release is the same on DuckDB and on PostgreSQL: integers, limits, intervals and labels, from the same bits.

The rows hold NULLs, values of both signs and beyond their bounds, floats that are no numbers, people with very many
rows, and rows of nobody.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.recorded.recording import seeded

import tacit

_FILE = """
[dataset]
name = "shop"
unit = {{ id = "pid", hides = "one customer" }}
budget = {{ epsilon = 100000, delta = 1e-3 }}
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.sales]
{sales}
at_most = {{ rows = 1500, totals = {{ cost = 900000 }} }}
columns.cost = {{ type = "int", min = 0, max = 3000 }}
columns.change = {{ type = "decimal", scale = 2, min = -500, max = 500, nullable = true }}
columns.weight = {{ type = "float", min = -1, max = 300 }}
columns.stars = {{ type = "int", min = 0, max = 5, nullable = true }}
columns.shop = {{ type = "text", keys = ["a", "b", "c", "none"] }}
columns.item = {{ type = "text" }}
columns.day = {{ type = "date" }}
columns.paid = {{ type = "bool" }}
[tables.calls]
{calls}
at_most = {{ rows = 4 }}
columns.minutes = {{ type = "int", min = 0, max = 60 }}
columns.topic = {{ type = "text", keys = ["bill", "other"] }}
"""
_ROWS = {
    "sales": (
        "SELECT CASE WHEN i % 97 = 0 THEN NULL ELSE p END AS pid, (i * 7919 + p * 31) % 3300 - 100 AS cost, "
        "CAST((i * 37 + p * 11) % 120000 / 100.0 - 600 AS DECIMAL(9, 2)) AS change, "
        "CASE WHEN i % 50 = 7 THEN 'nan' WHEN i % 51 = 7 THEN '-inf'::DOUBLE ELSE (i * 0.7919 + p) % 333 - 3 END "
        "AS weight, CASE WHEN i % 7 = 0 THEN NULL ELSE (i + p) % 8 - 1 END AS stars, "
        "['a', 'b', 'c', 'B', ''][1 + (i * i + p) % 5] AS shop, "
        "CASE WHEN i % 9 = 0 THEN NULL ELSE 'i' || (i % 13) END AS item, "
        "DATE '2023-01-01' + CAST((i * 17 + p) % 800 AS INTEGER) AS day, "
        "CASE WHEN i % 5 = 0 THEN NULL ELSE i % 2 = 0 END AS paid "
        "FROM (SELECT p, unnest(range(2 + 1200 // (1 + p % 1500))) AS i FROM range(3000) t(p))"
    ),
    "calls": (
        "SELECT p AS pid, (p * 29 + i) % 80 - 10 AS minutes, ['bill', 'other', 'x'][1 + (p + i) % 3] AS topic "
        "FROM (SELECT p, unnest(range(p % 5)) AS i FROM range(2500, 4000) t(p))"
    ),
}
_TOTALS = "(SELECT pid, SUM(cost) AS t, COUNT(*) AS many, MAX(stars) AS best FROM sales GROUP BY pid) AS q"
ASKED = (
    "SELECT COUNT(*), SUM(cost) FROM sales",
    "SELECT COUNT(DISTINCT pid), AVG(cost) FROM sales",
    "SELECT SUM(change), AVG(change), COUNT(change) FROM sales",
    "SELECT VAR_SAMP(change), STDDEV_POP(weight) FROM sales",
    "SELECT MEDIAN(cost), QUANTILE_CONT(weight, 0.9) FROM sales",
    "SELECT MEDIAN(change), MIN(stars), MAX(cost) FROM sales WHERE stars > 1",
    "SELECT COUNT(DISTINCT item), COUNT(DISTINCT stars) FROM sales",
    "SELECT shop, COUNT(*), SUM(cost) FROM sales GROUP BY shop",
    "SELECT shop, AVG(change), COUNT(stars) FROM sales GROUP BY shop",
    "SELECT shop, COUNT(DISTINCT pid), SUM(change) FROM sales WHERE paid GROUP BY shop",
    "SELECT shop, MEDIAN(cost) FROM sales GROUP BY shop",
    "SELECT shop, COUNT(DISTINCT item) FROM sales GROUP BY shop",
    "SELECT item, COUNT(*), SUM(weight) FROM sales GROUP BY item",
    "SELECT item, COUNT(DISTINCT pid) AS people, AVG(cost) FROM sales GROUP BY item ORDER BY people DESC LIMIT 5",
    "SELECT paid, STDDEV(cost), SUM(stars) FROM sales GROUP BY paid",
    "SELECT year(day) AS y, COUNT(*), SUM(change) FROM sales WHERE day >= DATE '2023-06-01' GROUP BY y",
    "SELECT COUNT(*) FILTER (WHERE paid), AVG(weight) FILTER (WHERE stars >= 3) FROM sales",
    "SELECT SUM(CASE WHEN paid THEN cost ELSE -cost END), SUM(abs(change)) FROM sales WHERE item IN ('i1', 'i2', 'i7')",
    "SELECT SUM(cost) / COUNT(*) AS each, SUM(cost) - 2 * SUM(stars) AS rest FROM sales WHERE NOT paid",
    "SELECT shop, SUM(cost) AS s FROM sales GROUP BY shop HAVING COUNT(*) > 1000 ORDER BY s",
    "SELECT COUNT(*), SUM(minutes) FROM sales AS s JOIN calls AS c ON s.pid = c.pid",
    "SELECT topic, COUNT(*), SUM(cost) FROM sales AS s JOIN calls AS c ON s.pid = c.pid GROUP BY topic",
    "SELECT COUNT(*), AVG(minutes) FROM sales AS s LEFT JOIN calls AS c ON s.pid = c.pid WHERE s.paid",
    "SELECT topic, COUNT(DISTINCT pid), AVG(minutes) FROM calls GROUP BY topic",
    "SELECT SUM(s.change * c.minutes) FROM sales AS s JOIN calls AS c ON s.pid = c.pid AND s.stars = c.minutes % 5",
    f"SELECT COUNT(*), AVG(t) FROM {_TOTALS}",
    f"SELECT MEDIAN(LEAST(many, 500)), COUNT(t) FROM {_TOTALS}",
    "SELECT CORR(cost, stars), REGR_SLOPE(change, stars), COVAR_POP(weight, cost) FROM sales",
    "SELECT shop, MEDIAN(day), COUNT(DISTINCT (item, paid)) FROM sales GROUP BY shop",
    f"SELECT best, COUNT(*), AVG(many) FROM {_TOTALS} GROUP BY best",
    "SELECT shop, AVG(t), COUNT(*) FROM (SELECT pid, shop, SUM(cost) AS t FROM sales GROUP BY pid, shop) AS q "
    "GROUP BY shop",
    "SELECT COUNT(*), SUM(cost) FROM sales WHERE cost > 100000",
)
KINDS = ("usual", "guaranteed", "bounded")
Pair = tuple[tacit.Dataset, tacit.Dataset]


def opened(under_test: EngineUnderTest, rows: duckdb.DuckDBPyConnection, folder: Path) -> tacit.Dataset:
    """The shop on an engine."""
    folder.mkdir()
    (folder / "shop.toml").write_text(_FILE.format(**under_test.load(rows, list(_ROWS), folder)), encoding="utf-8")
    return tacit.open(folder / "shop.toml", analyst="somebody", engine=under_test.engine())


@pytest.fixture(scope="module")
def pair(postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("shops")
    with duckdb.connect() as rows, ExitStack() as stack:
        for name, select in _ROWS.items():
            rows.execute(f"CREATE TABLE {name} AS {select}")
        tests: tuple[EngineUnderTest, ...] = DuckDBUnderTest(), postgres
        one, other = (stack.enter_context(opened(each, rows, folder / each.name)) for each in tests)
        yield one, other


def released(dataset: tacit.Dataset, sql: str, kind: str) -> dict[str, Any] | str:
    """What leaves of a release from fixed bits; the refusal, where it is refused."""
    try:
        answer = seeded(f"{sql} {kind}", lambda: dataset.query(sql, epsilon=2, interval=kind, fresh=True))
    except tacit.Refused as refusal:
        return str(refusal)
    assert answer.certificate is not None
    stated = json.loads(answer.certificate.to_json())["statement"]
    kept = {each: stated[each] for each in ("plan", "mechanisms", "claims", "stored")}
    shown = [line for line in answer.text(120).splitlines() if "budget" not in line]
    return kept | {"answer": shown, "rows": repr(answer.to_arrow().to_pylist())}


def _same(pair: Pair, sql: str, kind: str) -> None:
    one, other = (released(each, sql, kind) for each in pair)
    assert one == other
    assert isinstance(one, dict) or (kind, "Nothing declares" in one) == ("guaranteed", True)


_SHORT = (1, 4, 9, 13, 22, 27)  # means, quantiles, groups, private keys, a join, sub-queries


@pytest.mark.parametrize(
    "place", [each if each in _SHORT else pytest.param(each, marks=pytest.mark.long) for each in range(len(ASKED))]
)
def test_a_usual_release_is_the_same(pair: Pair, place: int) -> None:
    """Limits are found, and what they cut off: both follow from the same integers."""
    _same(pair, ASKED[place], "usual")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["guaranteed", "bounded"])
@pytest.mark.parametrize("place", range(len(ASKED)))
def test_a_release_of_another_kind_is_the_same(pair: Pair, place: int, kind: str) -> None:
    """The same of limits that are at_most, and of those that are found for the noise alone."""
    _same(pair, ASKED[place], kind)
