"""A session in DuckDB: statements run one after the other, over all units or shard by shard.

DuckDB reports the share of rows that a statement has read; `share_of_time` converts it to a share of time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.query.engines.duckdb.memory import (
    EVERYBODY,
    MORE,
    MOST,
    Arrays,
    Seen,
    Shard,
    added_sql,
    can_be_cut,
    engine_memory,
    parts_expected,
)
from tacit.query.engines.protocol import rows_where
from tacit.query.sql.rows import UNIT, quoted

if TYPE_CHECKING:
    import pyarrow as pa

_SCAN_TOLD: Final = 0.17
_SCAN_TAKES: Final = 0.6
_END_TOLD: Final = 0.8


def share_of_time(told: float, is_staged: bool) -> float:
    """The share of time for DuckDB's share of rows; 0 where it reports none.

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


_ANSWERS: Final = "__answers"
_Answer = TypeVar("_Answer")


@dataclass
class SessionProgress:
    """The state of a session: statements done, parts of the current one, and whether that reads its totals again."""

    finished: int = 0
    part: Shard = EVERYBODY
    parts: int = 1  # number of shards, since fewer did not fit memory
    is_staged: bool = False


@frozen
class DuckDBSession:
    """One connection of its own, with the data set's tables as views.

    Where memory does not suffice for a statement over all people, it is run again on shards of the people, four times
    as many each time; where that is expected, it begins with shards. The integers are the same.
    """

    connection: duckdb.DuckDBPyConnection
    tables: list[Seen] = field(default_factory=list, compare=False, repr=False)
    course: SessionProgress = field(default_factory=SessionProgress, compare=False, repr=False)
    arrays: Arrays | None = None
    most: dict[str, int] = field(default_factory=dict, compare=False, repr=False)  # rows per person, by SELECT

    def run(self, sql: str) -> pa.Table:
        with self._step(sql):
            self._see(EVERYBODY)
            return self._rows(sql)

    def few(self, sql: str) -> Mapping[str, Sequence[Any]]:
        with self._step(sql):
            self._see(EVERYBODY)
            return self._values(sql)

    def add_up(self, sql: str, where: str | None = None) -> pa.Table:
        with self._step(sql):
            return self._as_memory_permits(sql, lambda parts: self._rows(self._added(sql, parts, where)))

    def add_few_up(self, sql: str, where: str | None = None) -> Mapping[str, Sequence[Any]]:
        with self._step(sql):
            return self._as_memory_permits(sql, lambda parts: self._values(self._added(sql, parts, where)))

    def most_rows(self, sql: str) -> int | None:
        if sql not in self.most:
            counted = f'SELECT COUNT(*) AS n FROM ({sql}) AS "__rows" GROUP BY {UNIT}'
            with _constant_failure():
                self._see(EVERYBODY)
                try:
                    found = self._values(f'SELECT coalesce(MAX(n), 0) AS most FROM ({counted}) AS "__people"')
                except duckdb.OutOfMemoryException:
                    return None
            self.most[sql] = int(found["most"][0])
        return self.most[sql]

    def keep(self, name: str, sql: str) -> None:
        whole = f"{name} of all"
        with self._step(sql):
            self.tables[:] = [table for table in self.tables if table.name != name]  # what is kept now replaces it
            self._as_memory_permits(sql, lambda parts: self._gather(whole, sql, parts))
            kept = Seen(name, f"SELECT * FROM {quoted(whole)}", UNIT)
            self.tables.append(kept)
            self.connection.execute(kept.view(self.course.part))

    def watch(self) -> None:
        """Begin to count rows read, for `progress`."""
        for name, value in (("_print", "false"), ("", "true")):
            self.connection.execute(f"SET enable_progress_bar{name} = {value}")
        self.connection.execute("SET progress_bar_time = 0")

    def progress(self) -> tuple[int, float]:
        """The number of statements done, and the approximate share of time of the current one."""
        try:
            told = self.connection.query_progress() / 100
        except duckdb.Error:  # it ended meanwhile
            told = 0.0
        course = self.course
        share = share_of_time(told, course.is_staged)
        return course.finished, (course.part.place + share) / course.part.of

    def _as_memory_permits(self, sql: str, answer: Callable[[int], _Answer]) -> _Answer:
        """The answer with as few shards as fit memory.

        If more are needed than expected, the session continues with that number.
        """
        parts = max(self.course.parts, self._expected(sql))
        while True:
            try:
                return answer(parts)
            except duckdb.OutOfMemoryException:
                if not (parts < MOST and can_be_cut(self.connection, self.tables)):
                    raise
                self.course.parts = parts = parts * MORE

    def _expected(self, sql: str) -> int:
        """The number of shards to begin a statement with, after configuring the engine for it."""
        self._see(EVERYBODY)
        if self.arrays is None:
            return 1
        self.arrays.fit(self.connection, sql)
        if self.arrays.memory is None or not can_be_cut(self.connection, self.tables):
            return 1
        return parts_expected(self.connection, sql, engine_memory(self.arrays.memory))

    def _added(self, sql: str, parts: int, where: str | None) -> str:
        """The SELECT with the same sums: itself, or one that adds up its results over the shards."""
        if parts == 1:
            self._see(EVERYBODY)
            return rows_where(sql, where)
        columns = self._gather(_ANSWERS, sql, parts)
        return rows_where(added_sql(quoted(_ANSWERS), columns), where)

    def _gather(self, name: str, sql: str, parts: int) -> list[str]:
        """Create a table of the results of a SELECT over each shard; return the names of its columns."""
        table = quoted(name)
        self.connection.execute(f"DROP TABLE IF EXISTS {table}")
        for place in range(parts):
            self._see(Shard(place, parts))
            statement = f"INSERT INTO {table} {sql}" if place else f"CREATE TEMP TABLE {table} AS {sql}"
            self._whatever_the_plan(partial(self.connection.execute, statement))
        return [name for name, *_ in self.connection.execute(f"DESCRIBE {table}").fetchall()]

    def _see(self, part: Shard) -> None:
        """Restrict the tables to the rows of a shard."""
        if part != self.course.part:
            for table in self.tables:
                self.connection.execute(table.view(part))
        self.course.part = part

    def _rows(self, sql: str) -> pa.Table:
        with warnings.catch_warnings():
            # up to this many rows are copied; a relation would be planned twice
            warnings.simplefilter("ignore", UserWarning)
            return self._whatever_the_plan(lambda: self.connection.execute(sql).to_arrow_table())

    def _values(self, sql: str) -> Mapping[str, Sequence[Any]]:
        return self._whatever_the_plan(lambda: self._columns(sql))

    def _columns(self, sql: str) -> Mapping[str, Sequence[Any]]:
        rows = self.connection.execute(sql).fetchall()
        return {column[0]: [row[place] for row in rows] for place, column in enumerate(self.connection.description)}

    def _whatever_the_plan(self, work: Callable[[], _Answer]) -> _Answer:
        """The result of a statement; if it fails, its result without the optimizer.

        The optimizer reads the least and greatest values of columns, which are those of people. Some rewritings based
        on them fail: then one person could decide whether there is an answer. The statement as written depends on no
        statistics. Lack of memory and interrupts are handled elsewhere.
        """
        try:
            return work()
        except (duckdb.OutOfMemoryException, duckdb.InterruptException):
            raise
        except duckdb.Error:
            self.connection.execute("PRAGMA disable_optimizer")
            try:
                return work()
            finally:
                self.connection.execute("PRAGMA enable_optimizer")

    @contextmanager
    def _step(self, sql: str) -> Iterator[None]:
        self.course.is_staged = sql.startswith("WITH")
        with _constant_failure():
            yield
        self.course.finished += 1


@contextmanager
def _constant_failure() -> Iterator[None]:
    """Turn every error of the driver into a constant failure; Ctrl-C, which the driver catches, is raised again."""
    try:
        yield
    except (duckdb.Error, MemoryError):
        raise Failed from None
    except RuntimeError as error:
        raise (KeyboardInterrupt if str(error) == "Query interrupted" else Failed) from None
