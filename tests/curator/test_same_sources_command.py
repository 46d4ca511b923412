"""One budget for the same rows: a file is identified by its path, and by its identity under any path."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from tests.curator.clinic_command import DESCRIPTION, ROWS, Clinic

import tacit
from tacit.schema import file_identity as same_files
from tacit.schema.description import Source
from tacit.schema.file_identity import file_names

COUNT = "SELECT COUNT(*) FROM visits"


def describe(clinic: Clinic, name: str, source: str) -> str:
    (clinic.folder / name).write_text(DESCRIPTION.replace("visits.parquet", source))
    return name


def spent(clinic: Clinic, name: str) -> float:
    ended = clinic.tacit("budget", name, "--json")
    assert ended.code == 0, ended.err
    return float(json.loads(ended.out)["used"])


def ask(clinic: Clinic, name: str, epsilon: str = "0.5") -> None:
    ended = clinic.tacit("query", name, COUNT, "--epsilon", epsilon, "--fresh")
    assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    "other",
    ["hard link", "symbolic link", "hard link in a folder", "pattern", "folder", "two slashes", "up and down", "csv"],
)
def test_another_way_to_the_same_file_shares_its_budget(clinic: Clinic, other: str) -> None:
    """Seen: a hard link of the file had a whole budget of its own."""
    visits = clinic.folder / "visits.parquet"
    ask(clinic, "clinic.toml")
    (clinic.folder / "parts").mkdir()
    if other == "symbolic link":
        (clinic.folder / "copy.parquet").symlink_to(visits)
    elif other in ("folder", "hard link in a folder", "pattern"):
        os.link(visits, clinic.folder / "parts" / "a.parquet")
    else:
        os.link(visits, clinic.folder / ("copy.csv" if other == "csv" else "copy.parquet"))
    source = {
        "hard link in a folder": "parts/a.parquet",
        "pattern": "parts/*.parquet",
        "folder": "parts/",
        "two slashes": f"{clinic.folder}//visits.parquet",
        "up and down": "parts/../visits.parquet",
        "csv": "copy.csv",
    }.get(other, "copy.parquet")
    second = describe(clinic, "second.toml", source)
    used = spent(clinic, "clinic.toml")
    assert used > 0
    assert spent(clinic, second) == used
    if other != "csv":
        ask(clinic, second)
        assert spent(clinic, "clinic.toml") == pytest.approx(2 * used)
    opened = [body for body in bodies(clinic) if body["kind"] == "open"]
    assert len(opened) == 1


def bodies(clinic: Clinic) -> list[dict[str, object]]:
    with sqlite3.connect(clinic.folder / "home" / "ledger.sqlite") as connection:
        found = connection.execute("SELECT body FROM entries ORDER BY number").fetchall()
    connection.close()
    return [json.loads(body) for (body,) in found]


def test_a_file_that_was_exchanged_keeps_the_budget_of_its_path(clinic: Clinic) -> None:
    """A file written anew beside it and moved into place has another inode; both the path and that inode are known."""
    ask(clinic, "clinic.toml")
    used = spent(clinic, "clinic.toml")
    for _ in range(3):
        before = (clinic.folder / "visits.parquet").stat().st_ino
        duckdb.sql(ROWS).write_parquet(str(clinic.folder / "new.parquet"))
        os.replace(clinic.folder / "new.parquet", clinic.folder / "visits.parquet")
        assert (clinic.folder / "visits.parquet").stat().st_ino != before
        assert spent(clinic, "clinic.toml") == used
    ask(clinic, "clinic.toml")
    (clinic.folder / "new.parquet").hardlink_to(clinic.folder / "visits.parquet")
    assert spent(clinic, describe(clinic, "second.toml", "new.parquet")) == pytest.approx(2 * used)
    kinds = [body["kind"] for body in bodies(clinic)]
    assert kinds.count("open") == 1
    assert kinds.count("join") == 1


def test_a_link_to_what_a_file_was_before_it_was_exchanged_shares_its_budget(clinic: Clinic) -> None:
    ask(clinic, "clinic.toml")
    used = spent(clinic, "clinic.toml")
    os.link(clinic.folder / "visits.parquet", clinic.folder / "old.parquet")
    duckdb.sql(ROWS).write_parquet(str(clinic.folder / "new.parquet"))
    os.replace(clinic.folder / "new.parquet", clinic.folder / "visits.parquet")
    assert spent(clinic, describe(clinic, "second.toml", "old.parquet")) == used


def test_a_file_exchanged_while_a_data_set_is_open_joins_its_account(clinic: Clinic) -> None:
    with tacit.open("clinic.toml") as ds:
        ds.query(COUNT, epsilon="0.5")
        duckdb.sql(ROWS).write_parquet(str(clinic.folder / "new.parquet"))
        os.replace(clinic.folder / "new.parquet", clinic.folder / "visits.parquet")
        ds.query(COUNT, epsilon="0.5", fresh=True)
    os.link(clinic.folder / "visits.parquet", clinic.folder / "copy.parquet")
    (clinic.folder / "clinic.toml").unlink()
    assert spent(clinic, describe(clinic, "second.toml", "copy.parquet")) > 0


def test_a_file_of_one_account_under_the_path_of_another_is_refused(clinic: Clinic) -> None:
    ask(clinic, "clinic.toml")
    duckdb.sql(ROWS).write_parquet(str(clinic.folder / "other.parquet"))
    second = describe(clinic, "second.toml", "other.parquet")
    ask(clinic, second)
    (clinic.folder / "other.parquet").unlink()
    os.link(clinic.folder / "visits.parquet", clinic.folder / "other.parquet")
    before = clinic.entries()
    ended = clinic.tacit("query", second, COUNT, "--epsilon", "0.1")
    assert ended.code == 2
    assert "several accounts" in ended.err
    assert clinic.entries() == before


def test_a_later_file_with_the_same_inode_is_another_file(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """An inode is given to the next file when one is deleted; the moment of birth tells them apart, if kept."""
    place = clinic.folder / "one.parquet"
    place.write_bytes(b"1")
    source = Source("parquet", place)
    first = file_names(source)
    if len(first[0].split(":")) < 4:
        pytest.skip("this file system keeps no moment of birth")
    place.unlink()
    place.write_bytes(b"2")
    assert file_names(source) != first
    os.link(place, clinic.folder / "two.parquet")
    assert file_names(Source("parquet", clinic.folder / "two.parquet")) == file_names(source)
    monkeypatch.setattr(same_files, "_birth", lambda _: None)
    assert file_names(source) == (f"file:{place.stat().st_dev}:{place.stat().st_ino}",)


def test_tables_of_one_database_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.duckdb").write_bytes(b"")
    os.link(tmp_path / "a.duckdb", tmp_path / "b.duckdb")
    names = [file_names(Source("duckdb", tmp_path / f, table=t)) for f, t in (("a.duckdb", "x"), ("b.duckdb", "x"))]
    assert names[0] == names[1]
    assert names[0] != file_names(Source("duckdb", tmp_path / "a.duckdb", table="y"))
    assert file_names(Source("duckdb", tmp_path / "nowhere.duckdb", table="y")) == ()
    assert file_names(Source("frame", tmp_path, table="y")) == ()


def test_a_public_table_is_no_link_to_a_private_one(clinic: Clinic) -> None:
    os.link(clinic.folder / "visits.parquet", clinic.folder / "public.parquet")
    text = f"""{DESCRIPTION}
[lookups.wards]
source = "public.parquet"
key = "ward"

[lookups.wards.columns]
ward = {{ type = "text" }}
age = {{ type = "int", min = 0, max = 110 }}
"""
    (clinic.folder / "clinic.toml").write_text(text)
    ended = clinic.tacit("budget", "clinic.toml")
    assert ended.code == 2
    assert "These rows are private" in ended.err


@pytest.mark.skipif(sys.platform != "linux", reason="statx is Linux's")
def test_the_moment_of_birth_is_what_the_system_says(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_bytes(b"")
    told = subprocess.run(["stat", "-c", "%W", str(place)], check=True, capture_output=True, text=True).stdout.strip()
    assert (same_files._birth(str(place)) or "0").split(".")[0] in (told, "0" if told == "-" else told)


def test_a_view_of_a_database_file_is_refused(clinic: Clinic) -> None:
    """It had a budget of its own beside that of its table; under the name of its table it failed after its charge."""
    with duckdb.connect(str(clinic.folder / "clinic.duckdb")) as database:
        database.execute(f"CREATE TABLE visits AS {ROWS}")
        database.execute("CREATE VIEW Shown AS SELECT * FROM visits")
    text = DESCRIPTION.replace('source = "visits.parquet"', 'source = "clinic.duckdb"\ntable = "NAME"')
    for name, code in (("visits", 0), ("shown", 2), ("SHOWN", 2)):
        (clinic.folder / "clinic.toml").write_text(text.replace("NAME", name))
        ended = clinic.tacit("query", "clinic.toml", COUNT, "--epsilon", "0.1", "--fresh")
        assert ended.code == code, ended.err
    assert "It is a view" in ended.err
