"""People added up in arrays: who is numbered densely is found by the number instead of a hash, in half the time.

The engine does not count its arrays as memory. So how wide a range of numbers they may span follows from how many sums
a statement asks of each person, and what they may take is kept from the rest of the engine while it runs: most of its
memory where they are all that needs any, little where tables of hashes stand beside them.
"""

from __future__ import annotations

import os

import duckdb

from tacit.frozen import frozen
from tacit.query.engines.resources import engine_memory, left_for_arrays
from tacit.query.engines.steps import steps_of
from tacit.query.relations.rows import UNIT

_USUAL_BITS = 12  # the engine's own choice
_MOST_BITS = 28
_SUM = 24  # octets of one sum
_ARRAY = "PERFECT_HASH_GROUP_BY"
_HASHES = ("HASH_GROUP_BY", "HASH_JOIN")


@frozen
class Arrays:
    """How an engine with so many threads and so much memory may use them; None is as much as there is."""

    threads: int | None
    memory: int | None

    def fit(self, connection: duckdb.DuckDBPyConnection, sql: str) -> None:
        """Set how wide they may be, and what else the engine may use, for this statement from now on.

        The statement's plan says where it would use them and for how many sums; it reads no rows for that.
        """
        bits, octets = _USUAL_BITS, 0
        if f"GROUP BY {UNIT}" in sql:
            self._set(connection, _MOST_BITS, 0)
            steps = list(steps_of(connection, sql))
            place = sum(1 + _SUM * step.sums for step in steps if step.name == _ARRAY)
            if place:
                is_alone = not any(step.name in _HASHES for step in steps)
                places = left_for_arrays(self.memory, is_alone) // (place * self._workers)
                bits = min(_MOST_BITS, max(_USUAL_BITS, places.bit_length() - 1))
                self._set(connection, bits, 0)
                are_used = any(step.name == _ARRAY for step in steps_of(connection, sql))
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
