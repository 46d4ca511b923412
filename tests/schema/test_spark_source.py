"""A data set that Spark reads, as a steward writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.curator.engine_choice import engine_of
from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.spark.engine import SparkEngine
from tacit.schema.description import Description
from tacit.schema.reader import read_description

_TOML = """\
[dataset]
name = "shop"
unit = { id = "person", hides = "one" }
budget = { rho = 1, delta = 0.1 }
SPARK
[tables.sales]
SOURCE
columns = { amount = { type = "int", min = 0, max = 9 } }
"""


def described(folder: Path, spark: str, source: str = 'source = "sales.parquet"') -> Description:
    file = folder / "shop.toml"
    file.write_text(_TOML.replace("SPARK", spark).replace("SOURCE", source))
    return read_description(file)


@pytest.mark.parametrize("master", ["spark://host:7077", "spark://a:1,b:2", "local", "local[4]", "local[*]", "yarn"])
def test_the_engine_follows_from_the_master(tmp_path: Path, master: str) -> None:
    """The rows are the same, whoever reads them, and so is the account's name for them."""
    by_spark = described(tmp_path, f'spark = "{master}"').tables["sales"].source
    plain = described(tmp_path, "").tables["sales"].source
    assert by_spark.identity == plain.identity
    assert engine_of([by_spark]) == SparkEngine(master)
    assert isinstance(engine_of([plain]), DuckDBEngine)


def test_a_table_of_the_catalogue_is_named_with_its_database(tmp_path: Path) -> None:
    source = described(tmp_path, 'spark = "local"', 'source = "spark"\ntable = "Market.Sales"').tables["sales"].source
    assert (source.format, source.table, source.host) == ("spark", "market.sales", "local")


@pytest.mark.parametrize(
    ("spark", "source", "why"),
    [
        ('spark = "host:7077"', 'source = "sales.parquet"', "not the address"),
        ('spark = "spark://user@host"', 'source = "sales.parquet"', "not the address"),
        ('spark = "local"', 'source = "sales.csv"', "Spark reads Parquet files"),
        ('spark = "local"', 'source = "sales.duckdb"\ntable = "t"', "Spark reads Parquet files"),
        ('spark = "local"', 'source = "frame"', "Spark reads Parquet files"),
        ('spark = "local"', 'source = "postgresql://host/db"\ntable = "t"', "Spark reads Parquet files"),
        ('spark = "local"', 'source = "spark"', "named with its database"),
        ('spark = "local"', 'source = "spark"\ntable = "sales"', "named with its database"),
        ("", 'source = "spark"\ntable = "market.sales"', "which cluster"),
    ],
)
def test_a_wrong_way_to_say_it_is_refused_with_the_cure(tmp_path: Path, spark: str, source: str, why: str) -> None:
    """R40: the key is named, and what would be accepted."""
    with pytest.raises(Refused, match=why) as refusal:
        described(tmp_path, spark, source)
    assert "spark" in str(refusal.value)
