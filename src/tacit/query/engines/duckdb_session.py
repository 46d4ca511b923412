"""A session in DuckDB: statements run one after the other, and how far they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import duckdb

from tacit.errors import Failed
from tacit.frozen import frozen

if TYPE_CHECKING:
    import pyarrow as pa

_SCAN_TOLD, _SCAN_TAKES = 0.17, 0.6
_END_TOLD: Final = 0.8


@dataclass
class _Course:
    """Where a session is: how many statements are behind, and whether the one that runs reads its totals again."""

    finished: int = 0
    is_staged: bool = False


@frozen
class DuckDBSession:
    """One connection of its own, with the data set's tables as views."""

    connection: duckdb.DuckDBPyConnection
    _course: _Course = field(default_factory=_Course, compare=False, repr=False)

    def run(self, sql: str) -> pa.Table:
        with self._step(sql), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that few rows are copied; a relation would be planned twice
            return self.connection.execute(sql).to_arrow_table()

    def few(self, sql: str) -> Mapping[str, Sequence[Any]]:
        with self._step(sql):
            rows = self.connection.execute(sql).fetchall()
            return {column[0]: [row[place] for row in rows] for place, column in enumerate(self.connection.description)}

    def keep(self, name: str, sql: str) -> None:
        with self._step(sql):
            self.connection.execute(f'CREATE TEMP TABLE "{name}" AS {sql}')

    def watch(self) -> None:
        """Keep count of what is read from now on, so that `progress` is known."""
        for name, value in (("_print", "false"), ("", "true")):
            self.connection.execute(f"SET enable_progress_bar{name} = {value}")
        self.connection.execute("SET progress_bar_time = 0")

    def progress(self) -> tuple[int, float]:
        """How many statements are behind, and about what part of its time the one that runs has had."""
        try:
            told = self.connection.query_progress() / 100
        except duckdb.Error:  # it ended meanwhile
            told = 0.0
        return self._course.finished, share_of_time(told, self._course.is_staged)

    @contextmanager
    def _step(self, sql: str) -> Iterator[None]:
        self._course.is_staged = sql.startswith("WITH")
        with _constant_failure():
            yield
        self._course.finished += 1


def share_of_time(told: float, is_staged: bool) -> float:
    """What part of the time is over when DuckDB tells a part of the rows; 0 where it tells nothing.

    It counts every reading of rows alike. Where people's totals are added up first, then read again for norms and
    sums, reading the source is about a sixth of all that is read, but more than half of the time.
    """
    if not told > 0:
        return 0.0
    if not is_staged:
        return min(told, 1.0)
    if told <= _SCAN_TOLD:
        return told / _SCAN_TOLD * _SCAN_TAKES
    return min(1.0, _SCAN_TAKES + (told - _SCAN_TOLD) / (_END_TOLD - _SCAN_TOLD) * (1 - _SCAN_TAKES))


@contextmanager
def _constant_failure() -> Iterator[None]:
    """Whatever breaks in the driver says no more than that it broke; Ctrl-C, which the driver takes, is given back."""
    try:
        yield
    except duckdb.Error:
        raise Failed from None
    except RuntimeError as error:
        raise (KeyboardInterrupt if str(error) == "Query interrupted" else Failed) from None
