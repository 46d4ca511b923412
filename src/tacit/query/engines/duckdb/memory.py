"""Memory and threads of DuckDB: how much of the machine it may use, and arrays for sums by unit.

`read_memory` and `read_threads` refuse unusable values. `plan_steps` reads the steps in which DuckDB would run a
statement from EXPLAIN; no row is read for that. Units that are numbered densely are added up in arrays: a unit is found
by its number instead of a hash, in half the time. DuckDB does not count these arrays as memory. So the range of numbers
that they may span depends on the number of sums per unit in a statement, and their memory is reserved while it runs:
most of the engine's memory where only they need it, little where there are hash tables too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

import duckdb

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.rows import UNIT

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
