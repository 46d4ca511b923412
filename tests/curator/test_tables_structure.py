"""Hierarchies, impossible cells and public totals from the description to the tables and what they imply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates, Keys
from tacit.release.release import Release
from tacit.release.tables_release import TablesRelease

WARDS = {"north": ["n1"], "south": ["s1", "s2"], "east": ["e1", "e2", "e3", "e4"]}
PEOPLE = """\
[dataset]
name = "people"
unit = { UNIT, hides = "one person" }
budget = { epsilon = 500, delta = 1e-6 }

[tables.people]
source = "people.parquet"
impossible = [{ sex = "m", ward = ["s2", "e1"] }]

[tables.people.hierarchies.place]
levels = ["region", "ward"]
members = { north = ["n1"], south = ["s1", "s2"], east = ["e1", "e2", "e3", "e4"] }

[[tables.people.totals]]
count = 6000

[[tables.people.totals]]
keys = { region = "south" }
count = SOUTH

[tables.people.columns]
region = { type = "text", keys = ["north", "south", "east"] }
ward = { type = "text", keys = ["e1", "e2", "e3", "e4", "n1", "s1", "s2"] }
sex = { type = "text", keys = ["f", "m"], nullable = false }
income = { type = "int", min = 0, max = 100, nullable = false }
"""
ROWS = """\
SELECT i // 3 AS pid, ['n1', 's1', 's2', 'e1', 'e2', 'e3', 'e4', NULL][1 + (i * 5 // 7) % 8] AS ward,
    CASE WHEN i % 17 = 0 THEN NULL WHEN i % 23 = 0 THEN 'north' WHEN ward = 'n1' THEN 'north'
        WHEN ward IN ('s1', 's2') THEN 'south' ELSE 'east' END AS region,
    CASE WHEN ward IN ('s2', 'e1') AND i % 300 <> 1 OR i % 3 = 0 THEN 'f' ELSE 'm' END AS sex, (i % 101)::INT AS income
FROM range(6000) AS r(i)
"""
FITTING = f"""\
SELECT region, sex, income, CASE WHEN region = CASE WHEN ward = 'n1' THEN 'north' WHEN ward IN ('s1', 's2') THEN 'south'
    ELSE 'east' END THEN ward END AS ward
FROM ({ROWS}) WHERE sex = 'f' OR ward NOT IN ('s2', 'e1') OR ward IS NULL OR region IS NULL
    OR region <> CASE WHEN ward = 's2' THEN 'south' ELSE 'east' END
"""
BY = "GROUPING SETS ((region, ward, sex), (region, ward), (region, sex), (region), ())"
ASKED = f"SELECT region, ward, sex, COUNT(*) AS n FROM people GROUP BY {BY}"


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch, unit: str = "row = true") -> Dataset:
    monkeypatch.setenv("TACIT_HOME", str(folder / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(folder / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(folder / "people.parquet"))
    south = duckdb.sql(f"SELECT COUNT(*) FROM ({FITTING}) WHERE region = 'south'").fetchall()[0][0]
    text = PEOPLE.replace("UNIT", unit).replace("SOUTH", str(south))
    total = duckdb.sql(f"SELECT COUNT(*) FROM ({FITTING})").fetchall()[0][0]
    (folder / "people.toml").write_text(text.replace("6000", str(total)), encoding="utf-8")
    return tacit.open(folder / "people.toml")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    with opened(tmp_path, monkeypatch) as dataset:
        yield dataset


def numbers(release: Release, name: str = "n") -> Estimates:
    values = release.rendered[name].values
    assert isinstance(values, Estimates)
    return values


def plain(sql: str) -> dict[tuple[object, ...], int]:
    return {tuple(row[:-1]): row[-1] for row in duckdb.sql(f"WITH people AS ({FITTING}) {sql}").fetchall()}


def keyed(release: Release, *names: str) -> dict[tuple[object, ...], float]:
    columns = [release.rendered[name].values for name in names]
    keys = zip(*(column.values for column in columns if isinstance(column, Keys)), strict=True)
    return dict(zip(keys, numbers(release).value.tolist(), strict=True))


def test_tables_by_levels_have_the_cells_that_can_be(people: Dataset) -> None:
    """At ε = 200: a ward stands in its region alone, one that lies elsewhere counts as NULL of that region."""
    found = people.tables(ASKED, epsilon=200)
    by_ward = keyed(found.table("region", "ward"), "region", "ward")
    assert len(by_ward) == 7 + 3 + 1
    truth = plain("SELECT region, ward, COUNT(*) FROM people GROUP BY ALL")
    assert all(abs(value - truth.get(key, 0)) < 3 for key, value in by_ward.items())
    by_sex = keyed(found.table("region", "ward", "sex"), "region", "ward", "sex")
    truth = plain("SELECT region, ward, sex, COUNT(*) FROM people GROUP BY ALL")
    assert all(abs(value - truth.get(key, 0)) < 3 for key, value in by_sex.items())
    assert sum(by_sex.values()) == sum(by_ward.values()) == float(numbers(found.table()).value[0])
    said = " ".join(found.notes)
    assert "does not lie in its region counts as NULL of ward" in said
    assert "impossible do not count; these cells are 0" in said
    assert "intervals assume that these are true" in said


def test_what_is_known_has_no_width_and_the_rest_less(people: Dataset) -> None:
    """R42: totals and zeros are printed plainly; siblings of what is known have narrower intervals."""
    found = people.tables(ASKED, epsilon=2)
    table = found.table("region", "ward", "sex")
    read, names = numbers(table), [table.rendered[name].values for name in ("ward", "sex")]
    keys = list(zip(*(each.values for each in names if isinstance(each, Keys)), strict=True))
    for ward in ("s2", "e1"):
        place = keys.index((ward, "m"))
        assert read.low[place] == read.value[place] == read.high[place] == 0
    regions, place = numbers(found.table("region")), [*keyed(found.table("region"), "region")].index(("south",))
    south = plain("SELECT region, COUNT(*) FROM people GROUP BY ALL")[("south",)]
    assert regions.low[place] == regions.value[place] == regions.high[place] == south
    assert regions.high[0] > regions.low[0]
    shown = found.table("region", "ward", "sex").rendered["n_published"].values
    assert isinstance(shown, Keys)
    whole = sum(int(str(value)) for value in shown.values)
    assert whole == round(float(numbers(found.table()).value[0])) == sum(plain("SELECT COUNT(*) FROM people").values())
    assert all(shown.values[keys.index((ward, "m"))] == 0 for ward in ("s2", "e1"))
    published = found.table("region").rendered["n_published"].values
    assert isinstance(published, Keys)
    assert published.values[place] == south


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ward, COUNT(*) AS n FROM people WHERE region = 'south' GROUP BY ward",
        "SELECT ward, sex, COUNT(*) AS n FROM people GROUP BY ward, sex",
        "SELECT ward IS NULL AS k, COUNT(*) AS n FROM people GROUP BY k",
        "SELECT sex, COUNT(*) AS n FROM people WHERE ward IN ('s1', 'e2') OR region IS NULL GROUP BY sex",
    ],
)
def test_questions_over_levels_are_sums_of_leaves(people: Dataset, sql: str) -> None:
    people.tables(ASKED, epsilon=200)
    found = people.query(sql)
    assert found.price.free
    names = [column.name for column in found.rendered.columns if column.is_key]
    truth = plain(sql)
    assert all(abs(value - truth.get(key, 0)) < 8 for key, value in keyed(found, *names).items())


@pytest.mark.parametrize(
    ("sql", "is_known"),
    [
        ("SELECT COUNT(*) AS n FROM people", True),
        ("SELECT COUNT(*) AS n FROM people AS p", True),
        ("SELECT COUNT(*) AS n FROM people WHERE sex = 'f'", False),
        ("SELECT COUNT(*) AS n FROM (SELECT * FROM people WHERE sex = 'f') AS people", False),
        ("SELECT COUNT(income) AS n FROM people", False),
        ("SELECT COUNT(*) FILTER (WHERE sex = 'f') AS n FROM people", False),
        ("SELECT SUM(income) AS n FROM people", False),
    ],
)
def test_totals_are_of_all_rows(people: Dataset, sql: str, is_known: bool) -> None:
    read = numbers(people.tables(sql, epsilon=2).table())
    assert bool(read.high[0] == read.low[0]) == is_known


def test_a_total_of_no_cell_and_one_that_repeats_others_change_nothing(people: Dataset, tmp_path: Path) -> None:
    """Facts that say nothing new: a ward in another region has nobody, and all of a region is its wards."""
    file = tmp_path / "people.toml"
    more = '[[tables.people.totals]]\nkeys = { region = "north", ward = "s1" }\ncount = 0\n\n'
    more += '[[tables.people.totals]]\nkeys = { sex = "m", ward = "s2", region = "south" }\ncount = 0\n\n'
    text = file.read_text().replace("[[tables.people.totals]]", f"{more}[[tables.people.totals]]", 1)
    file.write_text(text, encoding="utf-8")
    with tacit.open(file) as later:
        read = numbers(later.tables(ASKED, epsilon=2).table("region"))
        assert np.isfinite(read.value).all()
        assert np.isfinite(read.high).all()


def test_changed_structure_implies_nothing(people: Dataset, tmp_path: Path) -> None:
    """Cells that were cut by other facts are not what the description now speaks of."""
    people.tables(ASKED, epsilon=2)
    file = tmp_path / "people.toml"
    file.write_text(file.read_text().replace('["s2", "e1"]', '["s2"]'), encoding="utf-8")
    with tacit.open(file) as later, pytest.raises(Refused, match="without a price"):
        later.query("SELECT COUNT(*) FROM people")


def test_one_level_alone_is_a_key_as_any_other(people: Dataset) -> None:
    found: TablesRelease = people.tables("SELECT ward, COUNT(*) AS n FROM people GROUP BY CUBE(ward)", epsilon=200)
    assert found.table("ward").rendered.size == 8
    assert numbers(found.table("ward")).high[0] > numbers(found.table("ward")).low[0]


def test_a_level_whose_null_is_in_several_groups_is_refused_alone(people: Dataset) -> None:
    sql = "SELECT region, ward, COUNT(*) AS n FROM people GROUP BY CUBE(region, ward)"
    with pytest.raises(Refused, match="lies in each of several groups"):
        people.tables(sql, epsilon=2)


def test_people_with_several_rows_are_scaled_over_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros hold for scaled people too; totals do not apply to them, and are not spoken of."""
    with opened(tmp_path, monkeypatch, 'id = "pid"') as dataset:
        found = dataset.tables(ASKED, epsilon=200, interval="bounded")
        truth = plain("SELECT region, ward, COUNT(*) FROM people GROUP BY ALL")
        by_ward = keyed(found.table("region", "ward"), "region", "ward")
        assert np.allclose([by_ward[key] for key in truth], [*truth.values()], rtol=0.1, atol=25)
        read = keyed(found.table("region", "ward", "sex"), "ward", "sex")
        assert read["s2", "m"] == read["e1", "m"] == 0
        assert "public totals" not in " ".join(found.notes)


def test_facts_that_do_not_fit_are_left_out_and_not_said(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """All numbers that are joined are held at once: it is known before what they take, and nothing fails behind it."""
    monkeypatch.setattr("tacit.workload.known_cells._MOST_NUMBERS", 20)
    shown = " ".join(str(people.tables(ASKED, epsilon=5)).split())
    assert "agree with the public totals" not in shown
    assert "being too many to be set to 0" in shown


def test_a_query_is_answered_from_tables_that_count_all_its_rows(people: Dataset) -> None:
    """Tables by levels leave rows out that the query counts: they answer last, and promise nothing on all data."""
    sql = "SELECT SUM(income) AS n FROM people WHERE ward = 'e1'"
    rows, fitting = (duckdb.sql(sql.replace("people", f"({each})")).fetchall()[0][0] for each in (ROWS, FITTING))
    assert rows - fitting > 2000
    people.tables("SELECT region, ward, SUM(income) AS n FROM people GROUP BY ROLLUP(region, ward)", epsilon=100)
    found = people.query(sql)
    assert float(numbers(found).value[0]) == pytest.approx(fitting, abs=500)
    assert "guaranteed where the data are as the description's public facts say" in " ".join(str(found).split())
    people.tables("SELECT ward, SUM(income) AS n FROM people GROUP BY ward", epsilon=5)
    found = people.query(sql)
    assert float(numbers(found).value[0]) == pytest.approx(rows, abs=500)
    assert "guaranteed: they hold on all data" in " ".join(str(found).split())


def test_tables_by_levels_are_near_the_certified_least(people: Dataset, tmp_path: Path) -> None:
    """Facts that take rows away take the bound away, also where no table has all of their keys."""
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    without = re.sub(r"\[\[tables\.people\.totals\]\]\n(?:\w+ = .*\n)+", "", text)
    plain = re.sub(r"impossible = .*\n", "", without)
    for name, said in (("facts", without), ("plain", plain)):
        (tmp_path / f"{name}.toml").write_text(said, encoding="utf-8")
    apart = "SELECT ward, sex, COUNT(*) AS n FROM people GROUP BY GROUPING SETS ((region, ward), (sex))"
    with tacit.open(tmp_path / "plain.toml") as dataset:
        for sql in (ASKED, apart):
            words = str(dataset.explain_tables(sql, epsilon=2)).replace("\n", " ")
            assert 1 <= float(re.findall(r"within ([\d.]+) of the least that any release", words)[0]) < 1.06
            assert "if it is unbiased whatever the cells are" in dataset.tables(sql, epsilon=2).optimality
    with tacit.open(tmp_path / "facts.toml") as dataset:
        assert dataset.tables(apart, epsilon=2).optimality == "No bound is known."
