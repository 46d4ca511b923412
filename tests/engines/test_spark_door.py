"""A data set that Spark reads, through the door: charged, run on the cluster, stored, shown; and failures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer

import duckdb
import pytest
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tests.engines.spark_server import SparkUnderTest

from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Failed, Refused
from tacit.query.engines.spark.context import new_session, rows_of
from tacit.query.engines.spark.engine import SparkEngine

_TOML = """\
[dataset]
name = "shop"
unit = { id = "person", hides = "one" }
budget = { rho = 1e30, delta = 0.9 }
floor = 0
breaker = "off"
spark = "SPARK"
[tables.sales]
source = "sales"
limits = { rows = 100, keys = 10 }
[tables.sales.columns]
amount = { type = "money", min = 0, max = 500 }
kind = { type = "text", keys = ["a", "b", "c"] }
"""
_SQL = "SELECT kind, COUNT(*) AS n, SUM(amount) AS s FROM sales GROUP BY kind"


def _shop(folder: Path, address: str) -> Path:
    """A folder of Parquet files, and its description."""
    (folder / "sales").mkdir(parents=True)
    rows = "i % 400 AS person, (i % 600)::DECIMAL(9,2) AS amount, ['a', 'b', 'd'][1 + i % 3] AS kind, i AS canary"
    for part in range(3):
        select = f"SELECT {rows} FROM range({part * 3000}, {part * 3000 + 3000}) r(i)"
        duckdb.execute(f"COPY ({select}) TO '{folder}/sales/part{part}.parquet' (FORMAT parquet)")
    file = folder / "shop.toml"
    file.write_text(_TOML.replace("SPARK", address))
    return file


def _truth(folder: Path) -> dict[str, tuple[float, float]]:
    sql = f"SELECT kind, COUNT(*), SUM(LEAST(amount, 500)) FROM '{folder}/sales/*.parquet' GROUP BY kind"
    return {kind: (float(n), float(s)) for kind, n, s in duckdb.execute(sql).fetchall()}


def _is_right(data: Dataset, folder: Path, sql: str = _SQL) -> bool:
    """Within 20 of the truth: the noise is half a unit wide, so that a false alarm is beyond 40 deviations."""
    table = data.query(sql, epsilon=10**10, delta="0.01").table
    truth = _truth(folder)
    return all(
        abs(row[name] - truth.get(row["kind"], (0, 0))[place]) < 20
        for row in table.to_pylist()
        if row["kind"] is not None
        for place, name in enumerate(("n", "s"))
    )


@pytest.fixture(scope="module")
def shop(spark: SparkUnderTest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Dataset]]:
    folder = tmp_path_factory.mktemp("spark-shop")
    file = _shop(folder, spark.cluster.address)
    with open_dataset(file, ledger=folder / "ledger.sqlite", engine=spark.engine()) as data:
        yield folder, data


def test_an_answer_of_the_cluster_is_the_plain_one(shop: tuple[Path, Dataset]) -> None:
    """A second question of the same is free, and the price is known without the cluster."""
    folder, data = shop
    assert _is_right(data, folder)
    again = data.query(
        "SELECT kind, SUM(amount) AS s, COUNT(*) AS n FROM sales GROUP BY kind ORDER BY 1", epsilon=10**10, delta="0.01"
    )
    assert len(data.budget().entries) == 1
    assert again.table.num_rows == 4


def test_the_file_names_the_cluster_and_the_engine_follows(shop: tuple[Path, Dataset]) -> None:
    """`spark` in [dataset] is enough; the account is that of the same files read by DuckDB."""
    folder, data = shop
    with open_dataset(folder / "shop.toml", ledger=folder / "ledger.sqlite") as opened:
        assert isinstance(opened._opened.engine, SparkEngine)
        assert opened._opened.account_name == data._opened.account_name
    plain = folder / "plain.toml"
    plain.write_text("\n".join(line for line in _TOML.splitlines() if not line.startswith("spark")))
    with open_dataset(plain, ledger=folder / "ledger.sqlite") as opened:
        assert opened._opened.account_name == data._opened.account_name


def test_what_spark_cannot_say_is_refused_before_the_charge(shop: tuple[Path, Dataset]) -> None:
    """R26, R34: nothing is spent on a query that could not be run."""
    _, data = shop
    before = len(data.budget().entries)
    with pytest.raises(Refused, match="Spark"):
        data.query("SELECT COUNT(*) FROM sales WHERE CAST(kind AS DATE) > DATE '2024-01-01'", epsilon=1)
    assert len(data.budget().entries) == before


def test_a_table_of_the_catalogue(shop: tuple[Path, Dataset], spark: SparkUnderTest, tmp_path: Path) -> None:
    """A catalogue's table is read by its name; its version follows its files; a view is refused."""
    folder, _ = shop
    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    session.sql("CREATE DATABASE IF NOT EXISTS market")
    session.sql(f"CREATE TABLE IF NOT EXISTS market.sales USING parquet LOCATION 'file://{folder}/sales'")
    session.sql("CREATE OR REPLACE VIEW market.seen AS SELECT 1 AS person")
    source = 'source = "spark"\ntable = "market.sales"'
    file = tmp_path / "market.toml"
    text = _TOML.replace("SPARK", spark.cluster.address).replace('source = "sales"', source)
    file.write_text(text)
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite", engine=spark.engine()) as data:
        assert _is_right(data, folder)
        version = data._opened.data_version()
        assert version == data._opened.data_version()
    file.write_text(text.replace("market.sales", "market.seen"))
    with (
        open_dataset(file, ledger=tmp_path / "ledger.sqlite", engine=spark.engine()) as data,
        pytest.raises(Refused, match="It is a view"),
    ):
        data.explain("SELECT COUNT(*) FROM sales", epsilon=1)


def test_a_file_that_changed_its_types_is_refused_before_the_charge(
    shop: tuple[Path, Dataset], spark: SparkUnderTest, tmp_path: Path
) -> None:
    """R27, R51: the session is opened before; a canary in the file is not in what is said."""
    file = _shop(tmp_path / "changed", spark.cluster.address)
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite", engine=spark.engine()) as data:
        data.explain("SELECT COUNT(*) FROM sales", epsilon=1)
        place = file.parent / "sales" / "part0.parquet"
        duckdb.execute(f"COPY (SELECT 'canary-4711' AS person, 'x' AS amount, 'a' AS kind) TO '{place}'")
        with pytest.raises(Refused, match="cannot be opened") as refusal:
            data.query(_SQL, epsilon=1)
        assert "4711" not in str(refusal.value)
        assert refusal.value.__cause__ is None
        assert data.budget().entries == ()


def test_a_key_press_ends_the_query_and_leaves_the_charge(spark: SparkUnderTest, tmp_path: Path) -> None:
    """R33, R49: Ctrl-C is Ctrl-C, the cluster's jobs end, and that it was pressed is the answer of the charge."""
    file = _shop(tmp_path / "pressed", spark.cluster.address)
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite", engine=spark.engine()) as data:
        data.explain("SELECT COUNT(*) FROM sales", epsilon=1)
        timer = Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with suppress(KeyboardInterrupt):
            data.query(_SQL, epsilon=10**10, delta="0.01")
        timer.cancel()
        spent = data.budget().entries
        assert all(entry.stored or entry.failed for entry in spent)
        if any(entry.failed for entry in spent):
            with pytest.raises(Failed):
                data.query(_SQL, epsilon=10**10, delta="0.01")
            assert data.budget().entries == spent
            data.query(_SQL, epsilon=10**10, delta="0.01", fresh=True)
        assert _is_right(data, file.parent)


def _kill_when_busy(spark: SparkUnderTest, killed: list[int]) -> None:
    """Kill −9 on a worker, as soon as a stage of a query is running."""
    context = SparkContext._active_spark_context
    assert context is not None
    end = time.monotonic() + 120
    while time.monotonic() < end and not context.statusTracker().getActiveStageIds():
        time.sleep(0.01)
    worker = spark.cluster.workers[0]
    worker.kill()
    worker.wait()
    killed.append(worker.pid)


def test_a_worker_that_dies_changes_no_answer(spark: SparkUnderTest, tmp_path: Path) -> None:
    """R33, R34: kill −9 in mid-query. The answer is right or the constant failure; the charge stays; no redraw."""
    file, killed = _shop(tmp_path / "killed", spark.cluster.address), list[int]()
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite", engine=spark.engine()) as data:
        data.explain("SELECT COUNT(*) FROM sales", epsilon=1)
        with spark.engine().session(data._opened.description) as session:
            session.run("SELECT COUNT(*) AS n FROM sales")  # the cluster is warm
        killer = Thread(target=_kill_when_busy, args=(spark, killed))
        killer.start()
        with suppress(Failed):
            assert _is_right(data, file.parent)
        killer.join()
        (spent,) = data.budget().entries
        assert spent.stored or spent.failed
        assert len(killed) == 1
        spark.cluster.hire(1, "1g")
        spark.cluster.meet()
        if spent.failed:
            data.query(_SQL, epsilon=10**10, delta="0.01", fresh=True)
        assert _is_right(data, file.parent)
        first, second = (data.query(_SQL, epsilon=10**10, delta="0.01").to_json() for _ in range(2))
        assert first == second
        assert len(data.budget().entries) == 1 + spent.failed


@pytest.mark.long
def test_the_command_that_starts_a_cluster_and_a_query_on_it(tmp_path: Path) -> None:
    """R27, R31: by the commands; Spark itself prints nothing on the terminal."""
    call = [sys.executable, "-m", "examples.spark_cluster", "--workers", "1", "--memory", "1g"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as cluster:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().split('"')[1]
        name, _, conf = cluster.stdout.readline().strip().partition("=")
        assert name == "SPARK_CONF_DIR"
        _shop(tmp_path / "tried", address)
        query = [sys.executable, "-m", "tacit", "query", "shop.toml", _SQL, "--epsilon", "20"]
        home = {"TACIT_HOME": str(tmp_path / "home"), "TACIT_WITNESS": str(tmp_path / "witness"), name: conf}
        found = subprocess.run(
            query, cwd=tmp_path / "tried", capture_output=True, text=True, env={**os.environ, **home}, timeout=600
        )
        cluster.send_signal(signal.SIGINT)
        assert cluster.wait(timeout=60) == 0
    assert found.returncode == 0, found.stderr
    assert "kind" in found.stdout
    assert "spark" not in found.stderr.lower()
    assert "WARN" not in found.stdout + found.stderr


def test_no_error_of_the_cluster_is_logged(spark: SparkUnderTest, capfd: pytest.CaptureFixture[str]) -> None:
    """R27: pyspark would print the message of an error that a row caused, with what it says of the row."""
    session = new_session(spark.cluster.address, {})
    session.conf.set("spark.sql.ansi.enabled", "true")  # so that a cast fails, and tells which text it was
    with pytest.raises(PySparkException, match="canary 7"):
        rows_of(session, "SELECT CAST(concat('canary ', id) AS INT) FROM range(7, 8)").toArrow()
    assert "canary" not in "".join(capfd.readouterr())
