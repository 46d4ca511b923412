"""The connection to a Spark cluster: one Java process beside this one, silent, and found again where it is there."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from subprocess import DEVNULL

from tacit.errors import Refused
from tacit.query.engines.spark_java import java_home

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that a newer pandas is installed, which nothing here uses
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import DataFrame, SparkSession

_CONTEXT = {
    "spark.app.name": "tacit",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.log.level": "OFF",  # a stack trace could show a value; executors are told the same
    "spark.executor.syncLogLevel.enabled": "true",
}
_SESSION = {
    "spark.sql.ansi.enabled": "false",  # no expression fails; lowered SQL proves that nothing wraps
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # ${…} in a text is text
    "spark.sql.caseSensitive": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.parser.manageParserCaches": "true",  # else what the parser learns of long texts fills the memory
    "spark.sql.parser.parserDfaCacheFlushThreshold": "20000",  # states, about 100 MB
}


def new_session(master: str, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own on the cluster, with the rules that the dialect is written for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # the same, said late
        session = SparkSession(_context(master, settings)).newSession()
        for name, value in _SESSION.items():
            session.conf.set(name, value)
    return session


def rows_of(session: SparkSession, sql: str) -> DataFrame:
    """The rows of one SELECT. `session.sql` would parse it twice, the first time slowly, to look for parameters."""
    java, jvm = session._jsparkSession, session.sparkContext._jvm
    assert jvm is not None
    session._get_j_spark_session_class(jvm).setActiveSession(java)  # whose settings the parser goes by
    plan = java.sessionState().sqlParser().parsePlan(sql)
    return DataFrame(jvm.org.apache.spark.sql.classic.Dataset.ofRows(java, plan), session)


def _context(master: str, settings: Mapping[str, str]) -> SparkContext:
    """The process's one context: the one that is there, whoever made it, or a new one on this master."""
    known = SparkContext._active_spark_context
    if known is not None and _is_alive(known):
        return known
    if known is not None:
        known.stop()
    with _java():
        conf = SparkConf(loadDefaults=False).setMaster(master)
        conf.setAll([*_CONTEXT.items(), *settings.items()])
        if SparkContext._gateway is None:
            SparkContext._gateway = launch_gateway(conf, {"stdout": DEVNULL, "stderr": DEVNULL})
            SparkContext._jvm = SparkContext._gateway.jvm
        try:
            return SparkContext(conf=conf)
        except PySparkException:
            raise _unreachable(master) from None


def _is_alive(context: SparkContext) -> bool:
    return context._jsc is not None and not context._jsc.sc().isStopped()


def _unreachable(master: str) -> Refused:
    return Refused(
        f"the Spark cluster {master}",
        "It cannot be reached.",
        'a master that runs, such as spark = "spark://host:7077", or "local[4]" for this machine alone.',
    )


@contextmanager
def _java() -> Iterator[None]:
    """JAVA_HOME for the process that is started."""
    home, had = java_home(), "JAVA_HOME" in os.environ
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    try:
        yield
    finally:
        if not had:
            os.environ.pop("JAVA_HOME", None)
