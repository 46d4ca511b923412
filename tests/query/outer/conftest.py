"""A table of people, one row each, with a budget so large that noise is small beside every answer."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tacit.curator.dataset import Dataset, open_dataset

ROWS = """
SELECT i AS id, [
         'north', 'north', 'north', 'north', 'north', 'south', 'south', 'south', 'east', 'east', 'west', 'west', 'west',
         'west', NULL][1 + (i * 2654435761 % 1000003) % 15] AS region,
       CASE WHEN i % 9 > 0 THEN 1 + (i // 7) % 13 % 5 END AS grade, (i * 13) % 100 AS age, (i * 31) % 1000 AS cost
FROM range(4000) t(i)
"""
GRADES = "SELECT range AS grade, 'grade ' || range AS title FROM range(1, 6)"
DESCRIPTION = """
[dataset]
name = "people"
unit = { row = true, hides = "one person" }
budget = { epsilon = 1e7, delta = 1e-6 }
floor = 0
ledger = "ledger.sqlite"
[tables.p]
source = "p.parquet"
columns.region = { type = "text", keys = ["north", "south", "east", "west"] }
columns.grade = { type = "int", min = 1, max = 5 }
columns.age = { type = "int", min = 0, max = 99 }
columns.cost = { type = "int", min = 0, max = 999 }
columns.ward = { type = "text" }
[lookups.grades]
source = "grades.csv"
key = "grade"
columns.grade = { type = "int", min = 1, max = 5 }
columns.title = { type = "text" }
"""


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    """The data set."""
    folder = tmp_path_factory.mktemp("people")
    rows = f"SELECT *, 'w' || (age // 25) AS ward FROM ({ROWS})"
    duckdb.sql(f"COPY ({rows}) TO '{folder / 'p.parquet'}' (FORMAT parquet)")
    duckdb.sql(f"COPY ({GRADES}) TO '{folder / 'grades.csv'}' (HEADER)")
    (folder / "people.toml").write_text(DESCRIPTION)
    with open_dataset(folder / "people.toml") as dataset:
        yield dataset


@pytest.fixture(scope="session")
def plain(people: Dataset) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same rows without privacy."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE p AS SELECT *, 'w' || (age // 25) AS ward FROM ({ROWS})")
        connection.execute(f"CREATE TABLE grades AS {GRADES}")
        yield connection
