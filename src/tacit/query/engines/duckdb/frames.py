"""Data frames as tables: anything with an Arrow interface, without a copy where its types are already plain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from functools import cached_property
from typing import Any

import pyarrow as pa

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.duckdb.plain_arrow import as_plain, digest, is_plain
from tacit.schema.names import clashes

_ACCEPTED = "a pandas or Polars DataFrame, a Polars LazyFrame, or an Arrow table or reader."


@frozen(eq=False)
class Frame:
    """A table's rows in memory, in types that an engine can read for all values."""

    table: pa.Table = field(repr=False)

    @cached_property
    def version(self) -> str:
        """A digest of the rows, which must be kept secret."""
        with _saying_nothing("a data frame", "It cannot be read as Arrow data."):
            return digest(self.table)


def read_frames(given: Mapping[str, object]) -> dict[str, Frame]:
    """Each frame by the name of its table. Refusals contain no value and no row number."""
    return {name: read_frame(name, frame) for name, frame in given.items()}


def read_frame(name: str, given: object) -> Frame:
    """A data frame as a table of Arrow's, checked: invalid offsets, and octets that are not text, are refused.

    Neither pandas nor Polars is loaded for it.
    """
    asked = f'frames["{name}"]'
    with _saying_nothing(asked, "It cannot be read as Arrow data."):
        table = _arrow(asked, given)
    twice = [first for first, _ in clashes(table.column_names)] + _repeated(table.column_names)
    if twice:
        why = f"To SQL, several of its columns are called {twice[0]}."
        raise Refused(asked, why, "names that differ by more than case.")
    unknown = [field.name for field in table.schema if not is_plain(field.type)]
    if unknown:
        raise Refused(
            asked,
            f"No engine reads the types of: {', '.join(unknown)}.",
            "the frame without these columns, or with them as text, numbers, dates or moments.",
        )
    with _saying_nothing(asked, "Its memory does not hold what its types say."):
        table.validate(full=True)
        return Frame(as_plain(table))


def _arrow(asked: str, given: Any) -> pa.Table:
    if isinstance(given, pa.Table):
        return given
    if _is_of(given, "pandas") and hasattr(given, "columns"):
        return _from_pandas(asked, given)
    if _is_of(given, "polars") and not hasattr(given, "__arrow_c_stream__") and hasattr(given, "collect"):
        given = given.collect()
    if isinstance(given, pa.RecordBatchReader):
        return given.read_all()
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        return pa.table(given)
    raise Refused(asked, f"It is of the type {type(given).__name__}, and no data frame.", _ACCEPTED)


def _from_pandas(asked: str, given: Any) -> pa.Table:
    """Columns without the index; a column with values of several types is refused by its name."""
    try:
        return pa.Table.from_pandas(given, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        mixed = [str(name) for place, name in enumerate(given.columns) if not _converts(given.iloc[:, [place]])]
    why = f"Values of several types stand in: {', '.join(mixed)}." if mixed else "It cannot be read as Arrow data."
    raise Refused(asked, why, "columns of one type each, such as df.astype({'column': 'string'}).")


def _converts(column: Any) -> bool:
    try:
        pa.Table.from_pandas(column, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _is_of(given: object, library: str) -> bool:
    return type(given).__module__.partition(".")[0] == library


def _repeated(names: list[str]) -> list[str]:
    return [name for place, name in enumerate(names) if name in names[:place]]


@contextmanager
def _saying_nothing(asked: str, why: str) -> Iterator[None]:
    """Suppress a library's message about data it cannot read, because it may contain a value."""
    try:
        yield
    except (Refused, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # of any library; a panic of Polars is not an Exception
        raise Refused(asked, why, _ACCEPTED) from None
