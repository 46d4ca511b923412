"""Tumult Analytics on a Spark cluster: the unit is a person, five rows per person count. Seconds of W1 to W3, warm."""

import json
import sys
from time import perf_counter

from pyspark.sql import SparkSession
from tmlt.analytics import AddRowsWithID, ApproxDPBudget, KeySet, MaxRowsPerID, QueryBuilder, Session

_OPENED = (
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED "
    "-Dio.netty.tryReflectionSetAccessible=true"
)


def spark_session(address):
    builder = SparkSession.builder.master(address).config("spark.driver.host", "127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.executor.memory": "1500m",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.extraJavaOptions": _OPENED,
        "spark.executor.extraJavaOptions": _OPENED,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def opened(rows):
    return Session.from_dataframe(ApproxDPBudget(1, 1e-6), "e", rows, protected_change=AddRowsWithID("user_id"))


def query():
    return QueryBuilder("e").enforce(MaxRowsPerID(5))


def w1(rows):
    session = opened(rows)
    session.evaluate(query().count(), ApproxDPBudget(0.5, 0)).collect()
    session.evaluate(query().sum("amount", 0, 500), ApproxDPBudget(0.5, 0)).collect()


def w2(rows):
    session, regions = opened(rows), KeySet.from_dict({"region": [f"R{place:02d}" for place in range(50)]})
    session.evaluate(query().groupby(regions).count(), ApproxDPBudget(0.5, 0)).collect()
    session.evaluate(query().groupby(regions).sum("amount", 0, 500), ApproxDPBudget(0.5, 0)).collect()


def w3(rows):
    session, third = opened(rows), ApproxDPBudget(1 / 3, 0)
    keys = session.evaluate(query().get_groups(["category"]), ApproxDPBudget(1 / 3, 1e-6))
    keys = KeySet.from_dataframe(keys)
    session.evaluate(query().groupby(keys).count(), third).collect()
    session.evaluate(query().groupby(keys).sum("amount", 0, 500), third).collect()


def main():
    address, path = sys.argv[1:3]
    spark = spark_session(address)
    rows = spark.read.parquet(f"file://{path}").select("user_id", "region", "category", "amount")
    found = {}
    for name, workload in (("W1", w1), ("W2", w2), ("W3", w3)):
        taken = []
        for _ in range(2):
            start = perf_counter()
            workload(rows)
            taken.append(perf_counter() - start)
        found[name] = min(taken)
    print(json.dumps(found))


main()
