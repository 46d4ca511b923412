"""The integers that noise is added to are the same on every engine: whole plans, on the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.shared_worlds import SharedWorld, shared_world
from tests.laws.databases import engine_session, worlds
from tests.laws.queries import random_query
from tests.query.fixtures.rendering import FOLDER, Lowered

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.engines.protocol import Engine, Headers
from tacit.schema.description import Description

Opened = tuple[Engine, Description, Headers]
_FIXTURES = sorted(path.stem for path in FOLDER.glob("*.sql"))


@pytest.fixture(scope="module")
def clinics(postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Opened, Opened]:
    folder = tmp_path_factory.mktemp("clinics")
    with duckdb.connect() as rows:
        create_clinic(rows)
        one = opened_clinic(DuckDBUnderTest(), rows, folder / "duckdb")
        return one, opened_clinic(postgres, rows, folder / "postgresql")


def _as_set(table: pa.Table) -> list[str]:
    """Rows in an order of their own; integers of any width alike."""
    columns = [column.to_pylist() for column in table.columns]
    rows = zip(*([int(v) if isinstance(v, Decimal) else v for v in column] for column in columns), strict=True)
    return sorted(map(repr, rows))


def _integers(opened: Opened, lowered: Lowered) -> list[list[str]]:
    engine, description, headers = opened
    found = []
    with engine.session(description, headers) as session:
        for name, _, sql in lowered.statements():
            if name.startswith("kept as "):
                session.keep(name.removeprefix("kept as "), sql)
            else:
                found.append(_as_set(session.run(sql)))
    return found


@pytest.mark.parametrize("name", _FIXTURES)
def test_the_fixtures_have_the_same_integers(clinics: tuple[Opened, Opened], tmp_path: Path, name: str) -> None:
    """R04, R20: every statement of every fixture gives the same rows, to the last digit."""
    query = (FOLDER / f"{name}.sql").read_text(encoding="utf-8").split(";")[0]
    lowered = Lowered.of(query, tmp_path, is_pure=name.startswith("pure"))
    one, other = (_integers(opened, lowered) for opened in clinics)
    assert one == other
    assert any(one)


@pytest.fixture(scope="module")
def laws() -> Iterator[DuckDBSession]:
    with engine_session() as session:
        yield session


def _compared(seed: int, laws: DuckDBSession, postgres: PostgresUnderTest, folder: Path, queries: int) -> int:
    """How many statements had the same integers in a random data set and in a neighbour of it."""
    random, count = Random(seed), 0
    with worlds(random, laws) as world, shared_world(world, postgres, folder) as shared:
        for place in range(queries):
            _, sql = random_query(random, world.has_people, not isinstance(world.description.budget, Pure))
            count += _same(shared, sql, Random(seed * 1000 + place))
    return count


def _same(shared: SharedWorld, sql: str, random: Random) -> int:
    count = 0
    try:
        for statement in shared.statements(sql, random):
            for one, other in shared.answers(statement):
                assert _as_set(one) == _as_set(other), statement
                count += 1
    except Refused:
        return count
    return count


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_plans_have_the_same_integers(
    seed: int, laws: DuckDBSession, postgres: PostgresUnderTest, tmp_path: Path
) -> None:
    """R16–R23, R26: data sets in which nothing holds that was declared, and neighbours of them.

    With `tests/laws` on DuckDB this is the bound on every engine: equal integers move equally far.
    """
    assert _compared(seed, laws, postgres, tmp_path, 6) >= 4


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 60))
def test_many_random_plans_have_the_same_integers(
    seed: int, laws: DuckDBSession, postgres: PostgresUnderTest, tmp_path: Path
) -> None:
    """The same, for minutes."""
    _compared(seed, laws, postgres, tmp_path, 12)
