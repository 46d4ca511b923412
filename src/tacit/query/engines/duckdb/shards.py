"""Shards of the units: where memory is short, a statement is answered about one shard after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from tacit.query.engines.duckdb.memory import plan_steps
from tacit.query.sql.rows import quoted

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
