"""The connection to a Spark cluster: one Java process beside this one, silent, and found again where it is there."""

from __future__ import annotations

import atexit
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from shutil import rmtree
from subprocess import DEVNULL
from typing import Final

from py4j.protocol import Py4JError

from tacit.errors import Refused
from tacit.query.engines.spark_settings import SESSION, context_settings, java_environment
from tacit.query.engines.spill import spill_folder

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that a newer pandas is installed, which nothing here uses
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.logger import PySparkLogger
    from pyspark.sql import DataFrame, SparkSession

GONE: Final = (PySparkException, Py4JError, OSError, EOFError)
"""What says that something broke on the cluster, or on the way to it."""
_TELLING: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Where pyspark writes every error as it is caught, with its message: that could hold a value."""


def new_session(master: str, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own on the cluster, with the rules that the dialect is written for."""
    for name in _TELLING:
        PySparkLogger.getLogger(name).disabled = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # the same, said late
        session = SparkSession(_context(master, settings)).newSession()
        for name, value in SESSION.items():
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
    if known is not None and _answers(lambda: not known._jsc.sc().isStopped()):
        return known
    _let_go(known)
    conf = SparkConf(loadDefaults=False).setMaster(master)
    conf.setAll(list(context_settings(master, _folder(), settings).items()))
    with java_environment(master):
        try:
            if SparkContext._gateway is None:
                SparkContext._gateway = launch_gateway(conf, {"stdout": DEVNULL, "stderr": DEVNULL, "umask": 0o077})
                SparkContext._jvm = SparkContext._gateway.jvm
            return SparkContext(conf=conf)
        except GONE:
            raise _unreachable(master) from None


def _let_go(context: SparkContext | None) -> None:
    """End what is left of a context that no longer answers, and of its Java process if that does not either."""
    if context is not None:
        with warnings.catch_warnings(), suppress(*GONE):
            warnings.simplefilter("ignore", RuntimeWarning)  # that it ended before
            context.stop()
    SparkContext._active_spark_context = None
    gateway = SparkContext._gateway
    if gateway is not None and not _answers(lambda: gateway.jvm.java.lang.System.nanoTime() != 0):
        with suppress(*GONE):
            gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None
        for left in _folder().iterdir():
            rmtree(left, ignore_errors=True)


def _answers(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except (*GONE, AttributeError):  # of a context that was stopped nothing is left to ask
        return False


@cache
def _folder() -> Path:
    """Where this process's Spark writes what does not fit memory: nobody else may enter it, and it goes at the end."""
    made = Path(spill_folder(_context))
    atexit.register(lambda: _let_go(SparkContext._active_spark_context))  # before the folder goes
    return made


def _unreachable(master: str) -> Refused:
    return Refused(
        f"the Spark cluster {master}",
        "It cannot be reached.",
        'a master that runs, such as spark = "spark://host:7077", or "local[4]" for this machine alone.',
    )
