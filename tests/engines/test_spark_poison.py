"""No value of any type that Parquet has makes a read on Spark fail or differ: poison in every cell (R07, R26)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engines.poisoned_world import WAYS, World, poisoned
from tests.engines.spark_server import SparkUnderTest
from tests.engines.test_poison import shape_of

from tacit.errors import Refused
from tacit.query.engines.spark.engine import SparkEngine
from tacit.query.execution.noisy_table import NoisyTable
from tacit.query.sql.scan import reading

_NEVER = {"octets", "hour", "zoned_hour", "several", "pair", "record", "mapping", "either"}
"""Columns whose values have no equal text elsewhere; they may still tell people apart, where Spark has the type."""
_TEXTS = {"words", "choice", "universal", "bits", "uhuge"}
"""Columns of text: dates are not read from them, and wide integers."""


@pytest.fixture(scope="module")
def worlds(spark: SparkUnderTest, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    """The same poisoned file, read by DuckDB and by Spark."""
    file = poisoned(tmp_path_factory.mktemp("spark-poison") / "all", "parquet")
    return World.opened(file), World.opened(file, spark.engine())


def _said(worlds: tuple[World, World], ways: list[str]) -> tuple[dict[str, tuple[str, str, str]], int]:
    """By a name, the way, and the SQL of the enforced read on each engine; and how many reads Spark refused."""
    found, refused = {}, 0
    engine = worlds[1].engine
    assert isinstance(engine, SparkEngine)
    for way in ways:
        one, other = (reading(world.catalogue.description.tables[way], way, world.catalogue) for world in worlds)
        for (_, column), typed in one.items():
            try:
                engine.said(f"SELECT {other[way, column].sql} AS v FROM {way}", worlds[1].catalogue.physical)
            except Refused:
                assert column in _NEVER | _TEXTS or (way in ("text", "keyed") and column in _FLOATS), (way, column)
                refused += 1
                continue
            found[f"{way}.{column}"] = (way, typed.sql, other[way, column].sql)
    return found, refused


_FLOATS = {"single", "double", "huge"}  # HUGEINTs are doubles in a Parquet file


_FEW = ["int", "float", "date"]
_REST = pytest.param([way for way in WAYS if way not in _FEW], marks=pytest.mark.long)


@pytest.mark.parametrize("ways", [_FEW, _REST])
def test_every_read_of_poison_has_the_same_value(worlds: tuple[World, World], ways: list[str]) -> None:
    """R07, R26: NULL, NaN, infinities, the ends of every type; read in every way, no error and DuckDB's value."""
    said, refused = _said(worlds, ways)
    assert len(said) > 2 * refused
    for way in ways:
        own = [(name, texts) for name, texts in said.items() if texts[0] == way]
        found = []
        for place, world in enumerate(worlds):
            listed = ", ".join(f"{texts[1 + place]} AS v{number}" for number, (_, texts) in enumerate(own))
            with world.engine.session(world.catalogue.description, world.catalogue.physical) as session:
                table = session.run(f'SELECT "{way}"."person" AS p, {listed} FROM "{way}"')
            found.append([sorted(map(_shown, table.column(f"v{number}").to_pylist())) for number in range(len(own))])
        for (name, _), one, other in zip(own, *found, strict=True):
            assert one == other, name


def _shown(value: object) -> str:
    return "NULL" if value is None else repr(value)


@pytest.mark.parametrize(
    ("way", "column"),
    [("int", "double"), *(pytest.param(way, "decimal", marks=pytest.mark.long) for way in ("int", "money", "float"))],
)
def test_every_aggregate_of_poison_has_an_answer_on_spark(worlds: tuple[World, World], way: str, column: str) -> None:
    """R07, R26: no aggregate fails; with frozen entropy the noisy integers are DuckDB's.

    Different doubles are not counted: which of a person's are kept goes by their texts, and Spark writes others.
    """
    asked = WAYS[way].aggregates.format(column)
    if way == "float":
        asked = asked.replace(f"COUNT(DISTINCT {column}), ", "")
        assert f"DISTINCT {column}" not in asked
    sql = f"SELECT {asked} FROM {way}"
    one, other = (world.alone(way, column).noisy(sql) for world in worlds)
    assert shape_of(one) == shape_of(other)
    assert all((first == second).all() for first, second in zip(_values(one), _values(other), strict=True))


def _values(table: NoisyTable) -> list[NDArray[np.int64]]:
    return [column.values for column in table.columns.values()]


@pytest.mark.parametrize("person", ["zoned", "universal"])
def test_people_may_be_called_anything_on_spark(spark: SparkUnderTest, tmp_path: Path, person: str) -> None:
    """R20: an identifier of a type that nothing else can be done with still makes people."""
    file = poisoned(tmp_path / "named", "parquet")
    text = file.read_text().replace('id = "person"', f'id = "{person}"')
    head, rest = text.split("[tables.int]")
    only = rest.split("[tables.filled]")[0].splitlines()
    file.write_text("\n".join([head, "[tables.int]", *(line for line in only if not line.startswith(f"{person} "))]))
    world = World.opened(file, spark.engine()).alone("int", "tiny")
    assert world.noisy(f"SELECT COUNT(DISTINCT {person}), SUM(tiny) FROM int").columns
