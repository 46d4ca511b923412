"""Random data sets of `tests/laws`, and the clinic of the fixtures, asked about all people at once or in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pyarrow as pa
from tests.laws.databases import Worlds
from tests.laws.movement import planned, probes, profile_probes
from tests.laws.queries import random_query
from tests.query.running.all_stages import run

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.noise.bits import Seeded
from tacit.query.engines.duckdb.memory import EVERYBODY, Seen, can_be_cut
from tacit.query.engines.duckdb.session import DuckDBSession, SessionProgress
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.sql.rows import in_type, quoted, unit_type
from tacit.schema.description import OwnColumn, Table


def as_set(table: pa.Table) -> list[str]:
    """Names, types and rows, in an order of their own."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return [str(table.schema), *sorted(map(repr, rows))]


@contextmanager
def asked_in_parts(world: Worlds, parts: int) -> Iterator[DuckDBSession]:
    """A session over the base of the worlds that begins with so many parts of the people."""
    described = {**world.description.tables, **world.description.lookups}
    tables, common = [], unit_type(world.catalogue)
    for name, table in described.items():
        owner, person = table.owner if isinstance(table, Table) else None, None
        if isinstance(owner, OwnColumn):
            person = in_type(quoted(owner.column), world.catalogue.physical_type(name, owner.column), common)
        tables.append(Seen(name, f"SELECT * FROM {world.base}.{quoted(name)}", person))
    connection = world.session.connection.cursor()
    try:
        for seen in tables:
            connection.execute(seen.view(EVERYBODY))
        yield DuckDBSession(connection, tables, SessionProgress(parts=parts))
    finally:
        connection.close()


def released(plan: Plan, price: Price, world: Worlds, parts: int) -> bytes:
    """The noisy integers of a whole run, under frozen entropy."""
    with asked_in_parts(world, parts) as session:
        return run(plan, price, session, Seeded(1)).to_bytes()


def is_cut(world: Worlds) -> bool:
    """Whether the people of the worlds can be told apart by one hash."""
    with asked_in_parts(world, 1) as session:
        return can_be_cut(session.connection, session.tables)


def differences(world: Worlds, seed: int, queries: int, parts: int) -> Iterator[str | None]:
    """For every run of a random plan, and for every statement of sums: None, or what is not the same in parts."""
    random = Random(seed)
    for place in range(queries):
        _, sql = random_query(random, world.has_people, not isinstance(world.description.budget, Pure))
        try:
            plan, full, price = planned(sql, world.catalogue, Random(seed * 1000 + place))
            one, several = (released(plan, price, world, many) for many in (1, parts))
            yield None if one == several else f"the release of {sql}"
            for probe in probes(plan, full, price):
                if all(reading.name != "distinct" for reading in probe.read([])):
                    yield _difference(world, probe.sql, parts)
        except Refused:
            continue


def profile_differences(world: Worlds, seed: int, parts: int) -> Iterator[str | None]:
    """The same, for the statements of a profile."""
    for probe in profile_probes(world.catalogue, Random(seed)):
        yield _difference(world, probe.sql, parts)


def _difference(world: Worlds, sql: str, parts: int) -> str | None:
    found = []
    for many in (1, parts):
        with asked_in_parts(world, many) as session:
            found.append(as_set(session.add_up(sql)))
    return None if found[0] == found[1] else sql
