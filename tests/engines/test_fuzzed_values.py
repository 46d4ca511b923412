"""Random expressions over narrow, awkward, dense ranges: what is believed holds on each engine, all say the same."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

import duckdb
import pytest
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.expression_world import TYPES, create_tables
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.fuzz import dense
from tests.fuzz.block import Block
from tests.fuzz.campaign import Campaign
from tests.fuzz.lines import always_attempted, first_line_alone
from tests.fuzz.sizes import chunks
from tests.fuzz.stored import compare
from tests.query.expressions.columns import COLUMNS

Lines: TypeAlias = Callable[[], AbstractContextManager[None]]
_TOGETHER = 40  # expressions of a statement


def _compared(
    campaign: Campaign,
    count: int,
    other: EngineUnderTest,
    folder: Path,
    is_dense: bool,
    lines: Lines = first_line_alone,
) -> Campaign:
    """The campaign on DuckDB and another engine, behind these lines."""
    with lines(), duckdb.connect() as rows:
        rows.execute("SET TimeZone = 'UTC'")
        if is_dense:
            dense.create_tables(rows, campaign.blocks)
        else:
            create_tables(rows)
        pair = [
            dense.Dense.of(engine, rows, folder / engine.name, campaign.blocks) for engine in (DuckDBUnderTest(), other)
        ]
        for batch in campaign.batches(count, _TOGETHER):
            campaign.check(batch, pair)
        for one in pair:
            one.close()
    return campaign


def _poison(seed: int) -> Campaign:
    """Rows of poison instead of dense ones: in the types that all engines have."""
    columns = {column.name: column for column, _ in COLUMNS}
    physical = ({name: types[variant] for name, types in TYPES.items()} for variant in (0, 1))
    return Campaign(seed, [Block(f"t{variant}", columns, types) for variant, types in enumerate(physical)])


def _assert_clean(campaign: Campaign, engine: str, count: int) -> None:
    assert list(map(str, campaign.findings)) == [], campaign.seed
    assert campaign.seen[f"run on {engine}"] > 0.7 * count


def test_dense_values_on_postgres(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """R07, R16, R20, R26: no error, everything as believed, DuckDB's values to the last bit."""
    _assert_clean(_compared(Campaign.of(3), 200, postgres, tmp_path, True), "postgresql", 200)


def test_poison_on_postgres(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """R07, R20, R26: the same on NULL, NaN, infinities, −0.0 and the ends of every type."""
    _assert_clean(_compared(_poison(4), 150, postgres, tmp_path, False), "postgresql", 150)


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.long)])
def test_dense_values_behind_the_second_line_of_postgres(
    postgres: PostgresUnderTest, tmp_path: Path, count: int
) -> None:
    """R20, R26: in functions that catch what fails, each part has the value that it has without them."""
    found = _compared(Campaign.of(count), count, postgres, tmp_path, True, always_attempted)
    _assert_clean(found, "postgresql", count)


def test_poison_behind_the_second_line_of_postgres(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """R20, R26: the same on NULL, NaN, infinities, −0.0 and the ends of every type."""
    _assert_clean(_compared(_poison(6), 150, postgres, tmp_path, False, always_attempted), "postgresql", 150)


@pytest.mark.long
def test_many_dense_values_on_postgres(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """Ten thousand, or as many as TACIT_FUZZ_POSTGRESQL says."""
    for seed, count in chunks(10_000, "postgresql"):
        _assert_clean(_compared(Campaign.of(seed), count, postgres, tmp_path, True), "postgresql", count)


@pytest.mark.long
def test_much_poison_on_postgres(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """R07, R20, R26: the same, for a minute."""
    _assert_clean(_compared(_poison(5), 4_000, postgres, tmp_path, False), "postgresql", 4_000)


@pytest.mark.long
def test_many_dense_values_on_spark(spark: SparkUnderTest, tmp_path: Path) -> None:
    """A thousand, or as many as TACIT_FUZZ_SPARK says. Powers and logarithms need not be DuckDB's to the last bit."""
    for seed, count in chunks(1_000, "spark"):
        _assert_clean(_compared(Campaign.of(seed), count, spark, tmp_path, True), "spark", count)


@pytest.mark.long
def test_no_octets_fail_a_question_on_spark(spark: SparkUnderTest, tmp_path: Path) -> None:
    """The same files, read by Java."""
    for seed in range(3):
        found = compare(seed, tmp_path / str(seed), spark.engine(), f'spark = "{spark.cluster.address}"\n')
        assert found.asked
        assert found.wrong == []
