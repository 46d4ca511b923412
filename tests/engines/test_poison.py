"""No value of any type makes a release fail or changes its shape: every aggregate, poison in every cell (R07, R26)."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.engines.poison_values import TYPES, table_sql
from tests.engines.poisoned_world import WAYS, World, columns_of, of_both, poisoned

from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.query.execution.noisy_table import NoisyTable
from tacit.schema.kind import Kind

_LONG = [pytest.param(ending, marks=pytest.mark.long) for ending in ("parquet", "csv")]


@pytest.fixture(scope="module", params=["duckdb", *_LONG])
def neighbours(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[World]:
    folder = tmp_path_factory.mktemp(request.param)
    return [
        World.opened(poisoned(folder / "all", request.param)),
        World.opened(poisoned(folder / "less", request.param, without=3)),
    ]


def shape_of(table: NoisyTable) -> object:
    """What does not depend on the data: the columns, their types and, where keys are public, how many there are."""
    return [
        (part, column.values.dtype, *([] if table.keys else column.values.shape))
        for part, column in table.columns.items()
    ]


_SOME = pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])


@_SOME
@pytest.mark.parametrize("way", WAYS)
def test_every_aggregate_of_poison_has_an_answer(neighbours: list[World], way: str, every: int) -> None:
    """R07, R26: no aggregate over any type fails, and its shape is the same without one of the people."""
    for name in columns_of(neighbours[0], way, every):
        sql = f"SELECT {WAYS[way].aggregates.format(name)} FROM {way}"
        one, other = of_both(neighbours, way, name, sql)
        assert shape_of(one) == shape_of(other)


@_SOME
@pytest.mark.parametrize("way", [way for way, reading in WAYS.items() if reading.group])
def test_every_poison_can_be_grouped_by(neighbours: list[World], way: str, every: int) -> None:
    """R07, R24, R26: keys of any type are read, sorted and stored; public ones are as many as the plan says."""
    group = WAYS[way].group
    assert group is not None
    for name in columns_of(neighbours[0], way, every):
        sql = f"SELECT {group.format(name)}, COUNT(*), COUNT(DISTINCT person) FROM {way} GROUP BY 1"
        one, other = map(_stored, of_both(neighbours, way, name, sql))
        assert (one.keys is None) == (other.keys is None)
        assert one.keys is not None or shape_of(one) == shape_of(other)


def _stored(table: NoisyTable) -> NoisyTable:
    return NoisyTable.from_bytes(table.to_bytes())


@pytest.mark.parametrize("ending", ["duckdb", "parquet", "csv"])
def test_poison_passes_the_door(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R07, R26: charged, run, stored and shown, for any content of the cells."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    with open_dataset(poisoned(tmp_path / "all", ending)) as dataset:
        for way, reading in WAYS.items():
            name = "double" if reading.kind.is_number or reading.kind is Kind.TEXT else "words"
            answer = dataset.query(f"SELECT {reading.aggregates.format(name)} FROM {way}", epsilon=20)
            assert answer.text()
            assert answer._repr_html_()
            assert answer.to_json()
            if reading.group is not None:
                sql = f"SELECT {reading.group.format(name)} AS k, COUNT(*) FROM {way} GROUP BY k"
                assert dataset.query(sql, epsilon=1000).to_json()


@pytest.mark.parametrize("person", sorted(TYPES))
def test_people_may_be_called_anything(tmp_path: Path, person: str) -> None:
    """R20, R26: an identifier of any type, poison among its values, makes people and joins them."""
    with duckdb.connect(str(tmp_path / "poison.duckdb")) as connection:
        connection.execute(table_sql("poison") + "CREATE TABLE other AS SELECT person AS parent, small FROM poison;")
    file, other = tmp_path / "named.toml", "small" if person == "tiny" else "tiny"
    file.write_text(
        f'[dataset]\nname = "named"\nunit = {{ id = "{person}", hides = "one" }}\n'
        "budget = { rho = 10, delta = 0.1 }\n"
        'floor = 0\nbreaker = "off"\n[tables.one]\nsource = "poison.duckdb"\ntable = "poison"\n'
        f'columns = {{ {other} = {{ type = "int", min = 0, max = 9 }} }}\n'
        '[tables.two]\nsource = "poison.duckdb"\ntable = "other"\n'
        'unit = { column = "parent", table = "one", key = "person" }\n'
        'columns = { small = { type = "int", min = 0, max = 9 } }\n'
    )
    world = World.opened(file)
    calls = f"COUNT(DISTINCT one.{person}), SUM(one.{other}), MEDIAN(one.{other}), COUNT(DISTINCT two.small)"
    for sql in (
        f"SELECT {calls} FROM one JOIN two ON one.{person} = two.{person}",
        f"SELECT {other}, COUNT(DISTINCT {person}) FROM one GROUP BY {other}",
        f"SELECT AVG(n) FROM (SELECT {person}, LEAST(COUNT(*), 5) AS n FROM two GROUP BY {person}) AS s",
    ):
        assert world.noisy(sql).columns


def test_totals_beyond_a_word_are_cut(tmp_path: Path) -> None:
    """R05, R26: a person whose values add up to more than 64 bits has a total like any other."""
    with duckdb.connect(str(tmp_path / "poison.duckdb")) as connection:
        connection.execute(f"CREATE TABLE poison AS SELECT 1 AS person, {2**60} AS x FROM range(40)")
    file = tmp_path / "large.toml"
    file.write_text(
        '[dataset]\nname = "large"\nunit = { id = "person", hides = "one" }\nbudget = { rho = 10, delta = 0.1 }\n'
        'floor = 0\nbreaker = "off"\n'
        '[tables.t]\nsource = "poison.duckdb"\ntable = "poison"\nlimits = { rows = 1000 }\n[tables.t.columns]\n'
        f'x = {{ type = "int", min = {-(2**60)}, max = {2**60} }}\n'
    )
    world = World.opened(file)
    for sql in (
        "SELECT SUM(x) FROM t",
        "SELECT AVG(x), VAR_POP(x) FROM t",
        "SELECT x > 0, SUM(x) FROM t GROUP BY 1",
        "SELECT x > 0, AVG(x), MEDIAN(x) FROM t GROUP BY 1",
        "SELECT COUNT(*) FROM (SELECT person, SUM(x) AS s, AVG(x) AS m FROM t GROUP BY person) AS p WHERE s > m",
    ):
        assert world.noisy(sql).columns
    for sql in (
        "SELECT SUM(x * x) FROM t",
        "SELECT COUNT(s) FROM (SELECT person, SUM(x * x) AS s FROM t GROUP BY person) AS p",
    ):
        with pytest.raises(Refused):
            world.noisy(sql)
