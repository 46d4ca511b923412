"""A sealed DuckDB: an empty database in memory that reads no file, no network, no setting, no variable of Python.

It has the tables that it is given, one thread, little memory, no temporary files, and a time limit. It computes what a
statement asks of released groups; no private row is ever in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from threading import Timer
from typing import Any, Final

import duckdb

from tacit.frozen import frozen

MOST_ROWS: Final = 100_000
SECONDS: Final = 5.0
_MEMORY: Final = "512MB"
_CONFIGURATION: Final = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    "temp_directory": "",
    "memory_limit": _MEMORY,
    "threads": "1",
    "lock_configuration": "true",
}


class Stopped(Enum):
    """Why a statement ended without a result."""

    BINDING = "it does not fit the columns of the released groups"
    ROWS = f"it has more than {MOST_ROWS:,} rows"
    LIMITS = f"it needs more than {SECONDS:g} seconds or {_MEMORY} of memory"
    VALUES = "it fails on a value"


class StoppedError(Exception):
    """A statement ended without a result. The engine's words may repeat the statement, and hold no private value."""

    def __init__(self, reason: Stopped, words: str = "") -> None:
        super().__init__(reason.value)
        self.reason, self.words = reason, words


@frozen(eq=False)
class PublicTable:
    """A table for a sealed database: columns with their types in SQL, and their values."""

    columns: Mapping[str, str]
    values: Mapping[str, Sequence[Any]]

    @property
    def empty(self) -> PublicTable:
        return PublicTable(self.columns, {name: [] for name in self.columns})


@frozen(eq=False)
class SealedResult:
    """The columns of a result, with their types in SQL."""

    types: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]]


@contextmanager
def sealed(tables: Mapping[str, PublicTable]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a new sealed database with these tables."""
    import pyarrow as pa

    connection = duckdb.connect(":memory:", config=dict(_CONFIGURATION))
    try:
        for name, table in tables.items():
            arrays = {f"c{place}": _array(pa, table.values[column]) for place, column in enumerate(table.columns)}
            size = len(next(iter(table.values.values()), ()))
            arrays["__row"] = pa.array(range(size), pa.int64())
            connection.register("__given", pa.table(arrays))
            listed = ", ".join(
                f'CAST(c{place} AS {kind}) AS "{column}"' for place, (column, kind) in enumerate(table.columns.items())
            )
            connection.execute(f'CREATE TABLE "{name}" AS SELECT {listed} FROM __given')
            connection.unregister("__given")
        yield connection
    finally:
        connection.close()


def _array(pa: Any, values: Sequence[Any]) -> Any:
    return pa.array(values) if any(value is not None for value in values) else pa.array(values, pa.string())


def run_sealed(connection: duckdb.DuckDBPyConnection, sql: str, seconds: float = SECONDS) -> SealedResult:
    """The result of a SELECT, within the limits of time, memory and rows."""
    timer = Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        found = connection.execute(f"SELECT * FROM ({sql}) LIMIT {MOST_ROWS + 1}")
        types = {str(column[0]): str(column[1]) for column in found.description}
        rows = found.fetchall()
    except (
        duckdb.BinderException,
        duckdb.CatalogException,
        duckdb.ParserException,
        duckdb.NotImplementedException,
    ) as error:
        raise StoppedError(Stopped.BINDING, str(error)) from None
    except duckdb.PermissionException as error:
        raise StoppedError(Stopped.BINDING, str(error)) from None
    except (duckdb.InterruptException, duckdb.OutOfMemoryException, MemoryError):
        raise StoppedError(Stopped.LIMITS) from None
    except (duckdb.Error, RuntimeError) as error:
        raise StoppedError(Stopped.VALUES, str(error)) from None
    finally:
        timer.cancel()
    if len(rows) > MOST_ROWS:
        raise StoppedError(Stopped.ROWS)
    return SealedResult(types, rows)
