"""The integers are the same, whether people are added up all at once or in parts; broken twins are caught."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest
from tests.laws.databases import engine_session, worlds
from tests.query.engines.parted_worlds import as_set, differences, is_cut, profile_differences
from tests.query.fixtures.rendering import FOLDER, Lowered

from tacit.query.engines.duckdb import memory as parts
from tacit.query.engines.duckdb import session as duckdb_session
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.memory import EVERYBODY, Seen, Shard
from tacit.query.engines.duckdb.session import DuckDBSession
from tacit.query.engines.protocol import Headers
from tacit.schema.description import Description

Opened = tuple[DuckDBEngine, Description, Headers]
_FIXTURES = sorted(path.stem for path in FOLDER.glob("*.sql"))
_SEEDS = 24
_CUT = 5  # a seed whose people can be cut into parts


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    with duckdb.connect() as rows:
        create_clinic(rows)
        engine, description, headers = opened_clinic(DuckDBUnderTest(), rows, tmp_path_factory.mktemp("parts") / "own")
    assert isinstance(engine, DuckDBEngine)
    return engine, description, headers


def _integers(clinic: Opened, lowered: Lowered, many: int) -> list[list[str]]:
    engine, description, headers = clinic
    found = []
    with engine.session(description, headers) as session:
        session.course.parts = many
        for name, _, sql in lowered.statements():
            if name.startswith("kept as "):
                session.keep(name.removeprefix("kept as "), sql)
            else:
                found.append(as_set(session.run(sql) if name == "distinct" else session.add_up(sql)))
    return found


@pytest.mark.parametrize("name", _FIXTURES)
def test_the_fixtures_have_the_same_integers_in_parts(clinic: Opened, tmp_path: Path, name: str) -> None:
    """R04, R20: joins along keys and between private tables, sub-queries, limits to be found, private keys."""
    query = (FOLDER / f"{name}.sql").read_text(encoding="utf-8").split(";")[0]
    lowered = Lowered.of(query, tmp_path, is_pure=name.startswith("pure"))
    one = _integers(clinic, lowered, 1)
    assert any(len(table) > 1 for table in one)
    assert _integers(clinic, lowered, 3) == one


@pytest.fixture(scope="module")
def laws() -> Iterator[DuckDBSession]:
    with engine_session() as session:
        yield session


def _found(laws: DuckDBSession, seeds: range, queries: int) -> Iterator[str | None]:
    """What is not the same in random data sets whose people can be cut into parts."""
    for seed in seeds:
        with worlds(Random(seed), laws) as world:
            if is_cut(world):
                yield from differences(world, seed, queries, 2 + seed % 4)


@pytest.mark.parametrize("block", range(2))
def test_random_plans_have_the_same_integers_in_parts(block: int, laws: DuckDBSession) -> None:
    """R16–R23, R26: data sets in which nothing holds that was declared; statements, and whole runs bit for bit."""
    found = list(_found(laws, range(block * 6 + 5, block * 6 + 11), 3))
    assert not any(found), next(filter(None, found))
    assert len(found) >= 12


@pytest.mark.long
@pytest.mark.parametrize("block", range(100, 180, 20))
def test_many_random_plans_have_the_same_integers_in_parts(block: int, laws: DuckDBSession) -> None:
    """The same, for minutes."""
    assert not any(_found(laws, range(block, block + 20), 8))


def test_a_profile_has_the_same_integers_in_parts(laws: DuckDBSession) -> None:
    """Everybody is in one bin of each histogram, and in one part."""
    with worlds(Random(_CUT), laws) as world:
        assert is_cut(world)
        found = list(profile_differences(world, _CUT, 3))
    assert len(found) == 2
    assert not any(found)


def _last_left_out(table: Seen, part: Shard) -> str:
    found = table.view(part)
    return found + " AND FALSE" if part != EVERYBODY and part.place == part.of - 1 and table.person else found


def _counted_again(table: Seen, part: Shard) -> str:
    return table.view(part).replace(f"% {part.of} = ", f"% {part.of} >= ")


def _torn(table: Seen, part: Shard) -> str:
    return table.view(part).replace(f"hash({table.person})", 'hash("__all")')


def _uncut(table: Seen, part: Shard) -> str:
    return table.view(EVERYBODY if table.name.startswith("__kept") else part)


@pytest.mark.parametrize("twin", [_last_left_out, _counted_again, _torn, _uncut])
def test_parts_that_are_not_parts_are_caught(
    twin: object, laws: DuckDBSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part left out; people in several parts; a person torn between parts; what was kept, seen whole in each part."""
    view = Seen.view

    def broken(table: Seen, part: Shard) -> str:
        with monkeypatch.context() as undone:
            undone.setattr(Seen, "view", view)
            return str(twin(table, part)) if callable(twin) else ""

    monkeypatch.setattr(Seen, "view", broken)
    assert any(_found(laws, range(_SEEDS), 4))


def test_sums_that_are_taken_for_keys_are_caught(laws: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of parts side by side are no sum of them."""
    monkeypatch.setattr(parts, "_is_sum", lambda name: name.startswith("y1"))
    assert any(_found(laws, range(_SEEDS), 4))


def test_a_part_that_is_not_added_is_caught(laws: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of the parts' answers is no sum of them."""
    added = parts.added_sql
    monkeypatch.setattr(duckdb_session, "added_sql", lambda *args: added(*args).replace("SUM(", "MIN("))
    assert any(_found(laws, range(_SEEDS), 4))
