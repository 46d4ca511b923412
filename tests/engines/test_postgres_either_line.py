"""Whole queries on PostgreSQL with one of the two lines against failing rows, with both, and with none."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.poisoned_world import World
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.test_poison import shape_of
from tests.query.expressions.test_second_line import places

from tacit.errors import Failed
from tacit.query.engines.postgres import engine as postgres_engine
from tacit.query.sql.expressions import number_casts as casting_numbers
from tacit.query.sql.expressions import second_line
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.typed import Typed

_PLACES = places("CAST(CASE WHEN ward = 'w3' THEN 9e30 ELSE 1e0 END AS BIGINT)")
_WARD = "CASE WHEN i = 57 THEN 'w3' ELSE 'w' || i % 3 END"
_ROWS = f"SELECT i % 50 AS pid, i % 90 AS age, i::DECIMAL(10, 2) AS cost, {_WARD} AS ward FROM range(200) t(i)"
_HEAD = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { rho = 1000000, delta = 0.5 }
floor = 0
breaker = "off"
[tables.v]
columns.age = { type = "int", min = 0, max = 110 }
columns.cost = { type = "money", min = 0, max = 20000 }
columns.ward = { type = "text" }
"""
Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def _second_lines(monkeypatch: Patch) -> None:
    for place in (second_line, postgres_engine):
        monkeypatch.setattr(place, "IS_ON", True)


def _break_the_first_line(patch: Patch) -> None:
    """A cast to an integer is written as one that fails where it cannot be, in the SQL of every engine."""
    real = casting_numbers._guarded

    def failing(sql: str, bounds: Interval, nullable: bool) -> Typed:
        return real(sql.removeprefix("TRY_"), bounds, nullable)

    patch.setattr(casting_numbers, "_guarded", failing)


def _world(under_test: EngineUnderTest, folder: Path, is_failing: bool) -> World:
    """A clinic in which patient 7 has the one row that fails, or is left out."""
    folder.mkdir(parents=True)
    with duckdb.connect() as rows:
        rows.execute(f"CREATE TABLE v AS {_ROWS}")
        if not is_failing:
            rows.execute("DELETE FROM v WHERE pid = 7")
        source = under_test.load(rows, ["v"], folder)["v"]
    file = folder / "clinic.toml"
    file.write_text(_HEAD.replace("[tables.v]", f"[tables.v]\n{source}"))
    return World.opened(file, under_test.engine())


Worlds = tuple[World, World, World]


@pytest.fixture(scope="module")
def worlds(postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    """The clinic in DuckDB and in PostgreSQL, and its neighbour in PostgreSQL."""
    folder = tmp_path_factory.mktemp("lines")
    return (
        _world(DuckDBUnderTest(), folder / "duckdb", True),
        _world(postgres, folder / "failing", True),
        _world(postgres, folder / "neighbour", False),
    )


@pytest.mark.parametrize("query", _PLACES)
@pytest.mark.parametrize(("is_mended", "is_tried"), [(True, True), (True, False), (False, True)])
def test_either_line_is_enough(worlds: Worlds, query: str, is_mended: bool, is_tried: bool, monkeypatch: Patch) -> None:
    """R26: in every place of a query one row is no failure; DuckDB has the same integers, a neighbour the same shape.

    The noise is frozen, so that equal integers give equal answers.
    """
    monkeypatch.setattr(postgres_engine, "IS_ON", is_tried)
    if not is_mended:
        _break_the_first_line(monkeypatch)
    one, two, neighbour = (world.noisy(query) for world in worlds)
    assert one.to_bytes() == two.to_bytes()
    assert neighbour.keys is not None or shape_of(two) == shape_of(neighbour)


@pytest.mark.parametrize("query", _PLACES)
def test_without_both_lines_one_row_is_a_failure(worlds: Worlds, query: str, monkeypatch: Patch) -> None:
    """The test above is not vacuous: the presence of an answer then reveals the patient."""
    monkeypatch.setattr(postgres_engine, "IS_ON", False)
    _break_the_first_line(monkeypatch)
    _, failing, neighbour = worlds
    assert neighbour.noisy(query).columns
    with pytest.raises(Failed):
        failing.noisy(query)
