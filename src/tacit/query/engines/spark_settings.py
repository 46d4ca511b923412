"""How Spark is set: what it writes and whom it listens to, and the rules that the dialect is written for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tacit.query.engines.spark_java import java_home

SESSION: Final = {
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
_CONTEXT: Final = {
    "spark.app.name": "tacit",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.log.level": "OFF",  # a stack trace could show a value; executors are told the same
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.io.encryption.enabled": "true",  # of rows that go to disk, here and on workers
}
_HERE: Final = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
SECURED: Final = {"spark.authenticate": "true", "spark.network.crypto.enabled": "true"}
"""Whoever speaks to Spark knows its secret, and nobody else can read along."""

_JAVA: Final = "spark.driver.extraJavaOptions"
_LOCAL_DIRS: Final = ("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS")


def context_settings(master: str, folder: Path, own: Mapping[str, str]) -> dict[str, str]:
    """What a context is made with: rows go to `folder` alone, and no other machine sees one that works on this alone.

    Of such a one Spark draws the secret itself. A cluster's is its steward's to set, in Spark's own files.
    """
    places = {"spark.local.dir": str(folder), "spark.sql.warehouse.dir": str(folder / "warehouse")}
    seen = {**(_HERE if is_here(master) else {}), **(SECURED if master.startswith("local") else {})}
    found = {**_CONTEXT, **seen, **places, **own}
    found[_JAVA] = f"-Djava.io.tmpdir={folder} -XX:-UsePerfData {found.get(_JAVA, '')}".strip()
    return found


def is_here(master: str) -> bool:
    """Whether a master is on this machine, and seen by it alone."""
    return master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:"))


@contextmanager
def java_environment(master: str) -> Iterator[None]:
    """What the Java process that is started finds: JAVA_HOME, and no other folder for its rows."""
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
