"""The integers that noise is added to are DuckDB's, to the last digit, on a real Spark cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest
from tests.engines.expression_world import ExpressionWorld, typed_expression
from tests.engines.shared_worlds import shared_world
from tests.engines.spark_server import SparkUnderTest
from tests.laws.databases import engine_session, worlds
from tests.laws.queries import random_query
from tests.query.fixtures.rendering import FOLDER, Lowered

from tacit.curator.open_data import Translating
from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.engines.protocol import Engine, Headers
from tacit.schema.description import Description

Opened = tuple[Engine, Description, Headers]
_FEW = ("count_values", "join_public_table", "limits_to_be_found", "median_and_quantile", "per_person_and_key")
_SOME = ("mean_by_public_key", "private_keys", *_FEW)
_FIXTURES = [
    name if name in _SOME else pytest.param(name, marks=pytest.mark.long)
    for name in sorted(path.stem for path in FOLDER.glob("*.sql"))
]


@pytest.fixture(scope="module")
def clinics(spark: SparkUnderTest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Opened, Opened]:
    folder = tmp_path_factory.mktemp("spark-clinics")
    with duckdb.connect() as rows:
        create_clinic(rows)
        one = opened_clinic(DuckDBUnderTest(), rows, folder / "duckdb")
        return one, opened_clinic(spark, rows, folder / "spark")


def _as_set(table: pa.Table) -> list[str]:
    """Rows in an order of their own; integers of any width alike."""
    columns = [
        column.cast("int64") if pa.types.is_decimal(column.type) or pa.types.is_integer(column.type) else column
        for column in table.columns
    ]
    return sorted(map(repr, zip(*(column.to_pylist() for column in columns), strict=True)))


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
def test_the_fixtures_have_the_same_integers_on_spark(
    clinics: tuple[Opened, Opened], tmp_path: Path, name: str
) -> None:
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


def _compared(seed: int, laws: DuckDBSession, spark: SparkUnderTest, folder: Path, queries: int) -> int:
    """How many statements had the same integers in a random data set and in a neighbour of it."""
    random, count = Random(seed), 0
    with worlds(random, laws) as world, shared_world(world, spark, folder) as shared:
        for place in range(queries):
            _, sql = random_query(random, world.has_people, not isinstance(world.description.budget, Pure))
            try:
                for statement in shared.statements(sql, Random(seed * 1000 + place)):
                    for one, other in shared.answers(statement):
                        assert _as_set(one) == _as_set(other), statement
                        count += 1
            except Refused:
                continue
    return count


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.long) for seed in (10, 13))])
def test_random_plans_have_the_same_integers_on_spark(
    seed: int, laws: DuckDBSession, spark: SparkUnderTest, tmp_path: Path
) -> None:
    """R16–R23, R26: data sets in which nothing holds that was declared, and neighbours of them.

    With `tests/laws` on DuckDB this is the bound on Spark too: equal integers move equally far.
    """
    assert _compared(seed, laws, spark, tmp_path, 2 if seed == 3 else 4) >= 2


_WORDS = (
    *("x * x", "1e-300 / x", "FLOOR(x)", "TRUNC(x)", "ROUND(x)", "CAST(x AS BIGINT)", "CAST(x AS HUGEINT)", "n // z"),
    *("ABS(n * 2)", "CAST(n * 2 AS DOUBLE)", "CAST(cost AS VARCHAR)", "CAST(note AS DOUBLE)", "LOWER(note)"),
    *("note ILIKE '%É%'", "note < region", "date_diff('week', day, moment)", "date_trunc('week', moment)"),
)
_MORE = (
    *("x / w", "x + x", "x / (x * 1e-300)", "x * w * s", "CEIL(x)", "ROUND(x, 3)", "ROUND(x, -3)", "SIGN(x)", "ABS(x)"),
    *("CAST(x AS TINYINT)", "CAST(x AS DECIMAL(18, 4))", "CAST(x AS DECIMAL(28, 9))", "CAST(any_cost AS DOUBLE)"),
    *("n * n", "-n", "n % 7", "n * 3 // 7", "SQRT(x)", "CAST(n AS VARCHAR)", "CAST(cost AS DOUBLE)", "LEAST(x, n, z)"),
    *("CAST(1e3 AS TINYINT)", "CAST(1e30 AS INTEGER)", "CAST(-1e30 AS DECIMAL(10, 2))", "ROUND(x * -0.0, -3)"),
    *("CAST(note AS INTEGER)", "UPPER(note)", "TRIM(note)", "note LIKE '%\\%'", "RIGHT(note, 3)", "LENGTH(note)"),
)
_LAST = (
    *("LOWER(region)", "LEFT(note, 2)", "SUBSTRING(note, 2, 3)", "CONTAINS(note, 'n')", "note || region", "yes = ok"),
    *(
        "CAST(day AS VARCHAR)",
        "CAST(moment AS VARCHAR)",
        "CAST(ok AS VARCHAR)",
        "moment > day",
        "GREATEST(day, moment)",
    ),
    *(f"date_diff('{unit}', day, moment)" for unit in ("year", "quarter", "month", "day", "hour", "second")),
    *(f"date_part('{part}', moment)" for part in ("year", "quarter", "week", "doy", "dow", "isodow", "hour", "second")),
    *(f"date_trunc('{unit}', moment)" for unit in ("year", "quarter", "month", "day", "hour", "second")),
    *("day + INTERVAL 9000 YEAR", "day - INTERVAL 9000 YEAR", "day + INTERVAL 1 MONTH", "moment - INTERVAL 3 HOUR"),
    *("day - visit", "COALESCE(x, z)", "WIDTH_BUCKET(x, 0, 1, 7)"),
)


@pytest.fixture(scope="module")
def pair(spark: SparkUnderTest, tmp_path_factory: pytest.TempPathFactory) -> tuple[ExpressionWorld, ExpressionWorld]:
    folder = tmp_path_factory.mktemp("spark-expressions")
    with duckdb.connect() as rows:
        rows.execute("SET TimeZone = 'UTC'")
        one = ExpressionWorld.of(DuckDBUnderTest(), rows, folder / "duckdb")
        return one, ExpressionWorld.of(spark, rows, folder / "spark")


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        (0, _WORDS),
        *(pytest.param(variant, words, marks=pytest.mark.long) for variant in (0, 1) for words in (_MORE, _LAST)),
        pytest.param(1, _WORDS, marks=pytest.mark.long),
    ],
)
def test_every_word_has_the_same_values_on_spark(
    pair: tuple[ExpressionWorld, ExpressionWorld], variant: int, words: tuple[str, ...]
) -> None:
    """R07, R26: each function and operator on every poison value of each type; powers and logarithms excepted."""
    engine = pair[1].engine
    assert isinstance(engine, Translating)
    said = []
    for text in words:
        typed = typed_expression(text, variant)
        assert typed is not None, text
        engine.said(f'SELECT {typed.sql} AS v FROM "t{variant}"', pair[1].headers)
        said.append((text, typed))
    one, other = (world.values([typed for _, typed in said], variant) for world in pair)
    for (text, _), first, second in zip(said, one, other, strict=True):
        assert first == second, text
    assert one[0] != other[2]  # a comparison that could not fail would be no test
