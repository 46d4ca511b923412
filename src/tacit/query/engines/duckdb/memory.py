"""Memory and threads of DuckDB: how much of the machine it may use, arrays for sums by unit, and shards of the units.

`read_memory` and `read_threads` refuse unusable values. `plan_steps` reads the steps in which DuckDB would run a
statement from EXPLAIN; no row is read for that. Units that are numbered densely are added up in arrays: a unit is found
by its number instead of a hash, in half the time. DuckDB does not count these arrays as memory. So the range of numbers
that they may span depends on the number of sums per unit in a statement, and their memory is reserved while it runs:
most of the engine's memory where only they need it, little where there are hash tables too. Where memory is short, a
statement is answered about one shard of the units after the other.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import duckdb

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.rows import UNIT, quoted

LEAST_MEMORY: Final = 500_000_000
_OWN: Final = 450_000_000  # octets of Python, of libraries, and of the engine's uncounted memory
_FOR_ARRAYS: Final = 2**30
_AMOUNT: Final = re.compile(r"\s*(\d*\.?\d+)\s*([kmgtpe]?)(?:((?<=[kmgtpe])i)?b(it)?)?\s*", re.IGNORECASE)


def read_memory(written: object) -> int | None:
    """An amount such as "2GB" in octets; None where none is set."""
    if written is None:
        return None
    accepted = 'an amount from "500MB" on, such as "2GB" or "1.5GiB".'
    octets = _octets(written)
    if octets is None:
        raise Refused(f"memory = {written!r}", "It is no amount of memory.", accepted)
    if not octets >= LEAST_MEMORY:
        raise Refused(f"memory = {written!r}", "Queries would fail for want of it, after their charge.", accepted)
    return octets


def _octets(written: object) -> int | None:
    """The octets of a number or of a text such as "2GB"; None where it is not an amount."""
    if type(written) is int and written >= 0:
        return written
    amount = _AMOUNT.fullmatch(written) if isinstance(written, str) else None
    if amount is None:
        return None
    number, prefix, is_binary, is_in_bits = amount.groups()
    power = "kmgtpe".index(prefix.lower()) + 1 if prefix else 0
    octets = float(number) * (1024 if is_binary else 1000) ** power / (8 if is_in_bits else 1)
    return int(octets) if isfinite(octets) else None


def engine_memory(octets: int) -> int:
    """The engine's own limit, such that the whole process keeps to the limit given; half of a small one."""
    return octets - min(_OWN, octets // 2)


def read_threads(written: object) -> int | None:
    """A number of threads; None where none is set."""
    if written is None:
        return None
    if isinstance(written, bool) or not isinstance(written, int) or not written >= 1:
        raise Refused(f"threads = {written!r}", "It is no number of threads.", "a whole number from 1 on.")
    return written


def left_for_arrays(octets: int | None, is_alone: bool) -> int:
    """The memory for arrays, which the engine does not count.

    A small part of a limit; where nothing else needs memory, most of it beyond the minimum.
    """
    if octets is None:
        return _FOR_ARRAYS
    beyond = engine_memory(octets) - engine_memory(LEAST_MEMORY)
    return max(octets // 16, min(_FOR_ARRAYS, beyond * 2 // 3) if is_alone else 0)


@frozen
class PlanStep:
    """One step: its operation, and the engine's estimate of its rows."""

    name: str
    rows: int
    sums: int

    @classmethod
    def of(cls, node: dict[str, Any]) -> PlanStep:
        told = node["extra_info"]
        sums = told.get("Aggregates", [])
        return cls(
            node["name"].strip(), int(told.get("Estimated Cardinality", 0)), 1 if isinstance(sums, str) else len(sums)
        )


def plan_steps(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[PlanStep]:
    """Every step of the statement.

    None where the optimizer fails on it, in which case it runs without the optimizer.
    """
    try:
        ((_, plan),) = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
    except duckdb.Error:
        return
    nodes: list[dict[str, Any]] = json.loads(plan)
    while nodes:
        node = nodes.pop()
        nodes += node.get("children", [])
        yield PlanStep.of(node)


_USUAL_BITS = 12  # the engine's own choice
_MOST_BITS = 28
_SUM = 24  # octets of one sum
_ARRAY = "PERFECT_HASH_GROUP_BY"
_HASHES = ("HASH_GROUP_BY", "HASH_JOIN")


@frozen
class Arrays:
    """The arrays of an engine with this many threads and this much memory; None means no limit."""

    threads: int | None
    memory: int | None

    def fit(self, connection: duckdb.DuckDBPyConnection, sql: str) -> None:
        """Set their width, and the engine's remaining memory, for this statement.

        The statement's plan shows where it would use them and for how many sums, without reading rows.
        """
        bits, octets = _USUAL_BITS, 0
        if f"GROUP BY {UNIT}" in sql:
            self._set(connection, _MOST_BITS, 0)
            steps = list(plan_steps(connection, sql))
            place = sum(1 + _SUM * step.sums for step in steps if step.name == _ARRAY)
            if place:
                is_alone = not any(step.name in _HASHES for step in steps)
                places = left_for_arrays(self.memory, is_alone) // (place * self._workers)
                bits = min(_MOST_BITS, max(_USUAL_BITS, places.bit_length() - 1))
                self._set(connection, bits, 0)
                are_used = any(step.name == _ARRAY for step in plan_steps(connection, sql))
                octets = place * self._workers << bits if are_used else 0
        self._set(connection, bits, octets)

    @property
    def _workers(self) -> int:
        """Each thread has arrays of its own."""
        return self.threads or os.cpu_count() or 1

    def _set(self, connection: duckdb.DuckDBPyConnection, bits: int, octets: int) -> None:
        connection.execute(f"SET perfect_ht_threshold = {bits}")
        if self.memory is not None:
            connection.execute(f"SET memory_limit = '{engine_memory(self.memory) - octets}B'")


MORE: Final = 4  # factor of more shards, where the number did not fit memory
MOST: Final = MORE**5
_GROUP: Final = 48  # octets of a person's sums for one key, if these are few


@dataclass(frozen=True)
class Shard:
    """The people whose hash leaves `place` over when it is divided by `of`.

    Claim: every person is in one shard, with all of their rows, in all tables. Proof: the engine groups
    people by that hash itself, so that it is the same wherever people are; and tables whose identifiers have different
    types are not cut at all (`can_be_cut`).
    """

    place: int
    of: int


EVERYBODY: Final = Shard(0, 1)


@dataclass(frozen=True)
class Seen:
    """A table in a session: all its rows, or those of a shard."""

    name: str
    rows: str  # the SELECT of all of them
    # SQL for the owner of a row, as statements compare people; None where other tables determine it
    person: str | None = None

    def view(self, part: Shard) -> str:
        """The statement after which the session sees the rows of a part."""
        rows = self.rows
        if part != EVERYBODY and self.person is not None:
            rows = f'SELECT * FROM ({rows}) AS "__all" WHERE hash({self.person}) % {part.of} = {part.place}'
        return f"CREATE OR REPLACE TEMP VIEW {quoted(self.name)} AS {rows}"


def can_be_cut(connection: duckdb.DuckDBPyConnection, tables: Sequence[Seen]) -> bool:
    """Whether identifiers have one type, with equal hashes of equal values, in all tables that determine owners."""
    types = set()
    for table in tables:
        if table.person is not None:
            described = connection.execute(f'DESCRIBE SELECT {table.person} FROM ({table.rows}) AS "__all"')
            kind = str(described.fetchall()[0][1])
            types.add(kind)
    return len(types) == 1


def parts_expected(connection: duckdb.DuckDBPyConnection, sql: str, memory: int) -> int:
    """The number of shards to begin with: enough for the engine's estimate of all groups to fit memory.

    The engine could also spill to disk, but that takes longer than reading the rows again for each shard, unless they
    are text, which is slowest. The estimate affects only the time.
    """
    steps = list(plan_steps(connection, sql))
    groups = max((step.rows for step in steps if step.name == "HASH_GROUP_BY"), default=0)
    parts = 1
    if not any("CSV" in step.name for step in steps):
        while parts < MOST and groups * _GROUP > memory * parts:
            parts *= MORE
    return parts


def added_sql(answers: str, columns: Sequence[str]) -> str:
    """The SELECT that adds up the results of the shards: y0 … and w are sums over people, all other columns are keys.

    Claim: with at most 2^31 people it gives, bit for bit, the result of one statement over all people. Proof: a person
    adds less than 2^31 units to a sum (the radius of `NoiseShare`), so that no sum, of a part or of all, is beyond the
    ±2^62 at which `word_sum` cuts, and integers add up alike in any order. With more people the sum of a shard may be
    cut before it is added. Even then no person moves a sum further than before: they are in one shard only, and neither
    cut increases a difference.
    """
    from tacit.query.lowering.tally import group_by
    from tacit.query.sql.clamp import sum_of_words  # imported late, because few statements need it

    keys = [quoted(name) for name in columns if not _is_sum(name)]
    sums = [f"{sum_of_words(quoted(name))} AS {quoted(name)}" for name in columns if _is_sum(name)]
    return f"SELECT {', '.join([*keys, *sums])} FROM {answers}{group_by(keys)}"


def _is_sum(name: str) -> bool:
    return name == "w" or (name[0] == "y" and name[1:].isdigit())
