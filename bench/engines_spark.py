"""Whole questions over a million rows on a Spark cluster: Tacit against the aggregate by hand, and against Tumult.

The cluster is a master and two workers of one core each. By hand: add up each person (and group), cut, add up people;
where there are groups, a person is cut by the norm over all of them, as Tacit cuts, since cutting each total alone
would let a person count in every group (its time is shown too). Tacit's time is that of the whole answer:
planning, the charge and its fsync, a session of its own, and the noise. Tumult needs an older Spark, so it has a
cluster of its own version, of the same shape, at another time of the same run; it answers each workload once cold and
once warm, and the better time counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from examples.spark_cluster import running
from pyspark import SparkContext
from pyspark.sql import SparkSession

from bench.claims import Claim, report
from bench.events import MEDIUM, QUESTIONS, events
from bench.events_description import PEERS_LIMIT, describe
from tacit.curator.dataset import Dataset, open_dataset
from tacit.query.engines.spark.context import new_session
from tacit.query.engines.spark.engine import SparkEngine

ROUNDS = int(os.environ.get("TACIT_BENCH_ROUNDS", "7"))
HERE = Path(__file__).parent
TUMULT = HERE.parent / ".venv-peers-query" / "tumult"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.executor.memory": "1500m",
    "spark.sql.shuffle.partitions": "4",
}
_AMOUNT = "least(greatest(amount, 0), 500)"
_CUT = f"sum(least(n, {PEERS_LIMIT})) AS n, sum(least(s, {PEERS_LIMIT * 500})) AS s"
_SQUARES = f"sum(n * n / {PEERS_LIMIT**2}.0D + s * s / {(PEERS_LIMIT * 500) ** 2}.0D)"


def totals(*keys: str) -> str:
    """Each person's rows and amount in each group."""
    listed = ", ".join(("user_id", *keys))
    return f"SELECT {listed}, count(*) AS n, sum({_AMOUNT}) AS s FROM events GROUP BY {listed}"


def bounded(key: str, more: str) -> str:
    """Totals by group, each person shrunk by the norm over all of their groups."""
    norms = (
        f"SELECT user_id, least(1.0D, 1 / sqrt({_SQUARES})) AS factor, count(*) AS held FROM people GROUP BY user_id"
    )
    return (
        f"WITH people AS ({totals(key)}), norms AS ({norms}) SELECT {key}, sum(n * factor) AS n, sum(s * factor) AS s"
        f"{more} FROM people JOIN norms USING (user_id) GROUP BY {key}"
    )


SIMPLE = {
    "W1": f"SELECT {_CUT} FROM ({totals()})",
    "W2": f"SELECT region, {_CUT} FROM ({totals('region')}) GROUP BY region",
    "W3": f"SELECT category, {_CUT}, count(*) AS w FROM ({totals('category')}) GROUP BY category",
}
BY_HAND = {
    "W1": SIMPLE["W1"],
    "W2": bounded("region", ""),
    "W3": bounded("category", ", sum(1 / sqrt(held)) AS w"),
}


def asking(dataset: Dataset, sql: str) -> Callable[[], object]:
    return lambda: dataset.query(sql, epsilon=1, interval="bounded", fresh=True)


def by_hand(session: SparkSession, sql: str) -> Callable[[], object]:
    def run() -> object:
        session.read.parquet(f"file://{events(MEDIUM).resolve()}").createOrReplaceTempView("events")
        return session.sql(sql).toArrow()

    return run


def in_turn(runs: list[Callable[[], object]], rounds: int) -> list[float]:
    """Median seconds of each, taking turns, after three rounds in which Java warms up."""
    taken: list[list[float]] = [[] for _ in runs]
    for place in range(rounds + 3):
        for run, own in zip(runs, taken, strict=True):
            start = perf_counter()
            run()
            if place >= 3:
                own.append(perf_counter() - start)
    return [median(own) for own in taken]


def ours(place: Path) -> dict[str, list[float]]:
    """Seconds of Tacit, of the same aggregate by hand, and of the one that cuts each group alone, on one cluster."""
    os.environ |= {"TACIT_HOME": str(place), "TACIT_WITNESS": str(place / "witness")}
    with running(workers=2, cores=1, memory="2g") as cluster:
        engine = SparkEngine(cluster.address, SETTINGS)
        file = describe(events(MEDIUM), place, PEERS_LIMIT)
        session = new_session(cluster.address, SETTINGS)
        found = {}
        with open_dataset(file, ledger=place / "ledger.sqlite", engine=engine) as dataset:
            for name in BY_HAND:
                hands = [by_hand(session, sql[name]) for sql in (BY_HAND, SIMPLE)]
                found[name] = in_turn([asking(dataset, QUESTIONS[name]), *hands], ROUNDS)
        context = SparkContext._active_spark_context
        if context is not None:
            context.stop()
        return found


def tumult() -> dict[str, float]:
    """Seconds of Tumult on a cluster of its own Spark; empty if it is not installed."""
    python = TUMULT / "bin" / "python"
    if not python.exists():
        sys.exit("Tumult is not installed: run `make bench-peers` first.")
    (home,) = TUMULT.glob("lib/python*/site-packages/pyspark")
    with running(workers=2, cores=1, memory="2g", home=home) as cluster:
        call = [str(python), str(HERE / "peers" / "tumult_query.py"), cluster.address, str(events(MEDIUM).resolve())]
        done = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "PYSPARK_PYTHON": str(python)})
    if done.returncode != 0:
        sys.exit(f"Tumult failed:\n{done.stderr[-3000:]}")
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        found, peer = ours(Path(place)), tumult()
    claims = []
    for name, (own, hand, simple) in found.items():
        detail = f"{own:.2f} s against {hand:.2f} s; cutting each group alone {simple:.2f} s"
        claims.append(Claim(f"Tacit / by hand on Spark, {name}", own / hand, 1.3, True, detail))
    for name, (own, *_) in found.items():
        detail = f"{peer[name]:.1f} s against {own:.2f} s"
        claims.append(Claim(f"Tumult / Tacit on Spark, {name}", peer[name] / own, 10, False, detail))
    report("Spark", claims)


if __name__ == "__main__":
    main()
