"""Every kind of source can be prepared, with the same integers (R20)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.curator.prepared_clinic import BY_REGION, COUNT, PreparedClinic, make_prepared_clinic
from tests.query.prepared.kept_worlds import recorded

from tacit.curator.open_data import Opened, open_data
from tacit.curator.planner import Planner
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.limit import IntervalKind


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreparedClinic:
    return make_prepared_clinic(tmp_path, monkeypatch)


SOURCES: dict[str, Callable[[Path, pa.Table], tuple[str, str]]] = {}


def _source(make: Callable[[Path, pa.Table], tuple[str, str]]) -> Callable[[Path, pa.Table], tuple[str, str]]:
    SOURCES[make.__name__.strip("_")] = make
    return make


@_source
def _csv(folder: Path, rows: pa.Table) -> tuple[str, str]:
    duckdb.from_arrow(rows).write_csv(str(folder / "visits.csv"), header=True)
    return "visits.csv", ""


@_source
def _duckdb(folder: Path, rows: pa.Table) -> tuple[str, str]:
    with duckdb.connect(str(folder / "visits.duckdb")) as connection:
        connection.register("given", rows)
        connection.execute("CREATE TABLE stays AS FROM given")
    return "visits.duckdb", 'table = "stays"'


@_source
def _folder(folder: Path, rows: pa.Table) -> tuple[str, str]:
    (folder / "parts").mkdir()
    for place in range(3):
        pq.write_table(rows.slice(place * 700, 700), folder / "parts" / f"{place}.parquet")
    return "parts", ""


@_source
def _frame(folder: Path, rows: pa.Table) -> tuple[str, str]:
    return "frame", ""


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_every_kind_of_source_can_be_prepared(clinic: PreparedClinic, source: str) -> None:
    """R20: the form gives the integers that the source gives."""
    rows = pq.read_table(clinic.folder / "visits.parquet")
    name, more = SOURCES[source](clinic.folder, rows)
    file = clinic.describe(name, f"{more}\nlimits = {{ rows = 5 }}")
    frames = {"visits": rows} if source == "frame" else None
    with open_data(file, ledger=clinic.ledger, frames=frames) as opened:
        opened.preparation.make(lambda *_: None)
        for sql in (BY_REGION, COUNT, f"{COUNT} WHERE cost > 100", "SELECT MEDIAN(age) AS m FROM visits"):
            cold, warm = answered(opened, sql)
            assert cold == warm


@pytest.mark.parametrize("side", ["", "LEFT "])
def test_public_tables_are_read_beside_the_form(clinic: PreparedClinic, side: str) -> None:
    """A lookup is not kept: it is read where it lies, in the same statement."""
    duckdb.sql("SELECT 'w' || i AS ward, i AS floor FROM range(2) AS r(i)").write_parquet(
        str(clinic.folder / "wards.parquet")
    )
    file = clinic.describe()
    columns = '{ ward = { type = "text" }, floor = { type = "int", min = 0, max = 3 } }'
    file.write_text(f'{file.read_text()}[lookups.wards]\nsource = "wards.parquet"\nkey = "ward"\ncolumns = {columns}\n')
    clinic.prepare()
    joined = f"visits AS v {side}JOIN wards AS w ON v.ward = w.ward"
    with clinic.open() as opened:
        for sql in (
            f"SELECT floor, COUNT(*), AVG(cost) FROM {joined} GROUP BY floor",
            f"SELECT SUM(floor) FROM {joined}",
        ):
            cold, warm = answered(opened, sql)
            assert cold == warm


def answered(opened: Opened, sql: str) -> tuple[object, object]:
    """The answers of the source and of the form."""
    planner, preparation = Planner.of(opened), opened.preparation
    question = planner.question(sql)
    price = planner.price(question, 1, None)
    plan = planner.plan(question, price, IntervalKind.BOUNDED)
    statements = preparation.statements_for(plan)
    assert statements is not STATEMENTS
    found = []
    for each in (STATEMENTS, statements):
        with preparation.session(each, plan) as session:
            found.append(recorded(plan, price, session.connection, each)[1].tables)
    return found[0], found[1]
