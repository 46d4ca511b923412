"""`tacit tables --out`: a folder that is written whole or not at all, adds up, and is verified."""

from __future__ import annotations

import csv
import os
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from tests.curator.clinic_command import DESCRIPTION, Clinic
from tests.curator.test_tables_command import CUBE, one_line

import tacit
from tacit.release import publication


def test_a_folder_holds_every_table_and_a_page(clinic: Clinic) -> None:
    ended = clinic.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1", "--out", "out")
    assert ended.code == 0
    assert "Wrote 10 files to out: open out/index.html" in one_line(ended.err)
    names = {path.name for path in (clinic.folder / "out").iterdir()}
    tables = ("region-ward", "region", "ward", "total")
    assert names == {f"{name}.{form}" for name in tables for form in ("csv", "parquet")} | {
        "index.html",
        "certificate.json",
    }
    assert [path.name for path in clinic.folder.iterdir() if path.name.startswith(".out")] == []
    page = (clinic.folder / "out" / "index.html").read_text(encoding="utf-8")
    for said in (
        "Tables of clinic",
        "Hidden is whether one patient, all visits, is in the data. Whoever knows all else, and would have to flip",
        "whole numbers, none negative, that add up exactly in every table.",
        "entry 2 of the ledger",
        "<pre>SELECT region, ward, COUNT(*)",
    ):
        assert said in page
    again = clinic.tacit("tables", "clinic.toml", CUBE, "--out", "again", "--format", "csv")
    assert again.code == 0
    assert len(list((clinic.folder / "again").iterdir())) == 6
    assert (clinic.folder / "again" / "ward.csv").read_bytes() == (clinic.folder / "out" / "ward.csv").read_bytes()


@pytest.mark.parametrize(
    ("out", "why"),
    [("full", "There are other files in it"), ("clinic.toml", "It is a file"), ("nowhere/out", "It cannot be made")],
)
def test_where_nothing_can_be_written_nothing_is_spent(clinic: Clinic, out: str, why: str) -> None:
    (clinic.folder / "full").mkdir()
    (clinic.folder / "full" / "mine.txt").write_text("mine")
    ended = clinic.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1", "--out", out)
    assert ended.code == 2
    assert why in one_line(ended.err)
    assert clinic.entries() == []
    assert (clinic.folder / "full" / "mine.txt").read_text() == "mine"


def test_margins_of_people_with_many_rows_add_up_to_the_last_digit(clinic: Clinic) -> None:
    """Cells that are raised by what limits cut off, too: in the files, as people add them up."""
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("rows = 6", "rows = 2"))
    asked = "SELECT region, age // 7 AS week, COUNT(*) AS n FROM visits GROUP BY CUBE(region, week)"
    clinic.tacit("tables", "clinic.toml", asked, "--epsilon", "1", "--out", "out", "--format", "csv")
    for column in ("n", "n_published"):
        sums = [
            duckdb.sql(f"SELECT {column} FROM '{clinic.folder / 'out' / name}.csv'").fetchall()
            for name in ("region-week", "region", "week", "total")
        ]
        assert len({sum(row[0] for row in rows) for rows in sums}) == 1


def test_an_empty_folder_is_filled_whole_or_not_at_all(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails while it is written leaves nothing behind, and the answer is kept."""
    (clinic.folder / "out").mkdir()
    words = ("tables", "clinic.toml", CUBE, "--epsilon", "1", "--out", "out")
    with monkeypatch.context() as broken:
        broken.setattr(publication.os, "replace", _full)
        ended = clinic.tacit(*words)
        assert ended.code == 3
        assert "The answer is kept: asking again is free." in one_line(ended.err)
        assert sorted(path.name for path in clinic.folder.iterdir() if "out" in path.name) == ["out"]
        assert not any((clinic.folder / "out").iterdir())
    again = clinic.tacit(*words)
    assert again.code == 0
    assert "Answered from an earlier release: free." in one_line(again.out)
    assert len(clinic.entries()) == len([each for each in clinic.entries() if each])
    assert any((clinic.folder / "out").iterdir())


def _full(*_: object) -> None:
    raise OSError(28, os.strerror(28))


def test_the_csv_of_a_folder_is_the_release(clinic: Clinic) -> None:
    clinic.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1", "--out", "out")
    rows = duckdb.sql(f"SELECT region, n FROM '{clinic.folder / 'out' / 'region.csv'}'").fetchall()
    kept = duckdb.sql(f"SELECT region, n FROM '{clinic.folder / 'out' / 'region.parquet'}'").fetchall()
    with tacit.open(Path("clinic.toml")) as dataset:
        shown = dataset.tables(CUBE)["region"].table.to_pylist()
    assert [(row["region"], row["n"]) for row in shown] == kept
    assert {region: float(n) for region, n in rows} == dict(kept)


def test_margins_add_up_as_they_are_written(clinic: Clinic) -> None:
    """Decimals, not doubles: counts and sums of money of people who are scaled, and raised by what limits cut off."""
    asked = "SELECT region, age // 30 AS third, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY CUBE(region, third)"
    clinic.tacit("tables", "clinic.toml", asked, "--epsilon", "1", "--out", "out")

    def total(name: str, column: str) -> Decimal:
        with (clinic.folder / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return sum((Decimal(row[column]) for row in csv.DictReader(file)), Decimal(0))

    for column in ("n", "c", "n_published"):
        assert {total(name, column) for name in ("region", "third", "region-third")} == {total("total", column)}


def test_a_publication_is_verified_by_its_folder(clinic: Clinic) -> None:
    clinic.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1", "--out", "out")
    for named in ("out", "out/certificate.json"):
        ended = clinic.tacit("verify", named, "--ledger", "clinic.toml")
        assert ended.code == 0
        assert "Genuine: " in ended.out
        assert "All 9 files beside it are as they were written" in one_line(ended.out)
        assert "It says: SELECT region, ward" in ended.out
    (clinic.folder / "out" / "index.html").write_text("<p>other numbers</p>")
    (clinic.folder / "out" / "region.csv").rename(clinic.folder / "out" / "regions.csv")
    ended = clinic.tacit("verify", "out")
    assert ended.code == 1
    found = "index.html (changed); region.csv (missing); regions.csv (not signed for)."
    assert found in one_line(ended.out)
    assert clinic.tacit("verify", "out", "--table", "out/ward.csv").code == 0
    assert clinic.tacit("verify", "out", "--table", "out/index.html").code == 1
