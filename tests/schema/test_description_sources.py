"""Two ways to write the same place give one account (R41: budget belongs to the data, not to a file's name)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.errors import Refused
from tacit.schema.sources import read_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data" / "parts").mkdir(parents=True)
    (tmp_path / "data" / "visits.parquet").touch()
    (tmp_path / "data" / "visits.duckdb").touch()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    (tmp_path / "other.parquet").symlink_to(tmp_path / "data" / "visits.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "written",
    [
        "data/visits.parquet",
        "./data/visits.parquet",
        "data/../data//visits.parquet",
        "link/visits.parquet",
        "other.parquet",
    ],
)
def test_one_file_has_one_identity(folder: Path, written: str) -> None:
    here = read_source(written, folder)
    assert here == read_source(str(folder / "data" / "visits.parquet"), folder / "elsewhere")
    assert here.identity == f"parquet:{folder}/data/visits.parquet"
    assert read_source(os.path.relpath(here.path), Path()).identity == here.identity


@pytest.mark.parametrize("written", ["data/parts", "data/parts/", "link/parts/*.parquet", "./data/parts/./*.parquet"])
def test_a_folder_is_all_its_parquet_files(folder: Path, written: str) -> None:
    assert read_source(written, folder).identity == f"parquet:{folder}/data/parts/*.parquet"


def test_a_table_of_a_database_has_one_identity_in_any_case(folder: Path) -> None:
    one, two = (read_source("data/visits.duckdb", folder, table) for table in ("Visits", "visits"))
    assert one.identity == two.identity == f"duckdb:{folder}/data/visits.duckdb#visits"
    assert read_source("data/visits.duckdb", folder, "other").identity != one.identity


def test_the_file_need_not_be_there(tmp_path: Path) -> None:
    assert read_source("later.csv", tmp_path, delimiter="\t").path == tmp_path / "later.csv"
    assert read_source("LATER.CSV", tmp_path).format == "csv"


def test_a_circle_of_links_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").symlink_to(tmp_path / "b.parquet")
    (tmp_path / "b.parquet").symlink_to(tmp_path / "a.parquet")
    assert read_source("a.parquet", tmp_path).format == "parquet"


def test_a_folder_that_reads_as_a_pattern_is_refused(tmp_path: Path) -> None:
    odd = tmp_path / "a[b]"
    odd.mkdir()
    with pytest.raises(Refused, match="folder on its way"):
        read_source("visits.parquet", odd)
