"""Tables through the door: charged once, free again, consistent, and their implied answers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.curator.clinic_command import Clinic

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates
from tacit.release.release import Release
from tacit.release.tables_release import TablesRelease

PEOPLE = """\
[dataset]
name = "people"
unit = { row = true, hides = "one person" }
budget = { epsilon = 200, delta = 1e-6 }

[tables.people]
source = "people.parquet"

[tables.people.columns]
region = { type = "text", keys = ["north", "south", "east"], nullable = false }
age = { type = "int", min = 0, max = 79, nullable = false }
sex = { type = "text", keys = ["f", "m"], nullable = false }
town = { type = "text" }
income = { type = "int", min = 0, max = 100, nullable = false }
"""
ROWS = """\
SELECT ['north', 'south', 'east'][1 + (i * 5 // 7) % 3] AS region, (i * 7 % 80)::INTEGER AS age,
    ['f', 'm'][1 + (i // 3) % 2] AS sex, 'town ' || (i % 4) AS town, (i % 101)::INTEGER AS income
FROM range(6000) AS r(i)
"""
CUBE = "SELECT region, age // 20 AS decade, sex, COUNT(*) AS n FROM people GROUP BY CUBE(region, decade, sex)"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "people.parquet"))
    (tmp_path / "people.toml").write_text(PEOPLE, encoding="utf-8")
    with tacit.open(tmp_path / "people.toml") as dataset:
        yield dataset


def numbers(release: Release, name: str = "n") -> Estimates:
    values = release.rendered[name].values
    assert isinstance(values, Estimates)
    return values


def plain(sql: str) -> list[tuple[object, ...]]:
    return duckdb.sql(f"WITH people AS ({ROWS}) {sql}").fetchall()


def test_tables_are_near_the_truth_and_add_up(people: Dataset) -> None:
    """At ε = 100 noise is below a person: each cell is the count; margins are sums to the last digit."""
    found = people.tables(CUBE, epsilon=100)
    assert len(found) == 8
    assert found.table("region", "age // 20", "sex").rendered.size == 24
    for keys in (("region",), ("sex",), ("region", "sex"), ()):
        listed = ", ".join([*keys, "COUNT(*)"])
        truth = plain(f"SELECT {listed} FROM people {'GROUP BY ALL ORDER BY ALL' if keys else ''}")
        read = numbers(found.table(*keys))
        assert np.allclose(read.value, [row[-1] for row in truth], atol=6)
    finest = numbers(found.table("region", "age // 20", "sex")).value
    assert float(finest.sum()) == float(numbers(found.table()).value[0])
    assert sum(numbers(found.table("region")).value.tolist()) == float(finest.sum())


def test_files_add_up_to_the_last_digit(people: Dataset, tmp_path: Path) -> None:
    found = people.tables(CUBE, epsilon=1)
    found.write(tmp_path / "out", forms=("csv",))

    def column(name: str, of: str) -> list[float]:
        text = (tmp_path / "out" / f"{name}.csv").read_text(encoding="utf-8")
        return [float(row[of]) for row in csv.DictReader(io.StringIO(text))]

    for of in ("n", "n_published"):
        total = column("total", of)[0]
        assert sum(column("region", of)) == sum(column("region-sex", of)) == sum(column("sex", of)) == total
    assert all(value >= 0 and value.is_integer() for value in column("region-decade-sex", "n_published"))
    assert column("total", "n_published")[0] == round(column("total", "n")[0])


def test_the_same_tables_are_free_however_they_are_asked(people: Dataset) -> None:
    first = people.tables(CUBE, epsilon=1)
    again = people.tables(CUBE, epsilon=0.5)
    assert again.price.free
    assert not first.price.free
    assert str(again.table("sex").rendered["n"].values.value) == str(first.table("sex").rendered["n"].values.value)
    other = "SELECT sex, COUNT(*) AS n, SUM(income) AS s FROM people GROUP BY GROUPING SETS ((), (sex))"
    turned = "SELECT sex, SUM(income) AS s, COUNT(*) AS n FROM people GROUP BY GROUPING SETS ((sex), ())"
    one, two = people.tables(other, epsilon=1), people.tables(turned, epsilon=1)
    assert two.price.free
    assert np.array_equal(numbers(one.table("sex"), "s").value, numbers(two.table("sex"), "s").value)
    assert not people.tables(CUBE, epsilon=1, fresh=True).price.free
    with pytest.raises(Refused, match="without a price"):
        people.tables("SELECT town, COUNT(*) FROM people GROUP BY CUBE(town)")


IMPLIED = (
    "SELECT COUNT(*) AS n FROM people",
    "SELECT region, COUNT(*) AS n FROM people GROUP BY region",
    "SELECT COUNT(*) AS n FROM people WHERE region = 'north' AND sex = 'f'",
    "SELECT age // 20 >= 2 AS old, COUNT(*) AS n FROM people WHERE sex <> 'm' GROUP BY old",
    "SELECT CASE WHEN region IN ('north', 'east') THEN 'a' ELSE 'b' END AS part, COUNT(*) AS n "
    "FROM people GROUP BY part",
    "SELECT p.region, COUNT(*) AS n FROM people AS p WHERE p.age // 20 = 1 OR p.sex = 'm' GROUP BY p.region",
    "SELECT region, COUNT(*) AS n FROM people GROUP BY region HAVING COUNT(*) > 1500 ORDER BY n DESC",
)


@pytest.mark.parametrize("sql", IMPLIED)
def test_what_tables_imply_is_free_and_true(people: Dataset, sql: str) -> None:
    """Against plain SQL, at ε = 100: filters, coarser keys, shares, HAVING and ORDER BY above the noise."""
    people.tables(CUBE, epsilon=100)
    spent = people.budget()
    found = people.query(sql)
    truth = sorted(plain(sql), key=repr)
    assert found.price.free
    assert str(people.budget()) == str(spent)
    counts = np.round(numbers(found).value).astype(int).tolist()
    columns = [column.values.values if column.is_key else counts for column in found.rendered.columns]
    shown = sorted(zip(*columns, strict=True), key=repr)
    assert len(shown) == len(truth)
    for row, true in zip(shown, truth, strict=True):
        assert row[:-1] == true[:-1]
        assert abs(int(row[-1]) - int(str(true[-1]))) <= 8
    assert people.query(sql, epsilon=1).price.free
    assert people.explain(sql, epsilon=1).is_stored
    assert found.certificate is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM people WHERE age > 30",  # finer than the tables
        "SELECT town, COUNT(*) FROM people GROUP BY town",
        "SELECT COUNT(*) FROM people WHERE income > 3",
        "SELECT SUM(income) FROM people",
        "SELECT COUNT(DISTINCT region) FROM people",
        "SELECT COUNT(*) FROM (SELECT * FROM people WHERE age > 5) AS people",
        "SELECT COUNT(*) FILTER (WHERE age > 5) FROM people",
    ],
)
def test_what_tables_do_not_imply_has_its_price(people: Dataset, sql: str) -> None:
    people.tables(CUBE, epsilon=1)
    with pytest.raises(Refused, match="without a price"):
        people.query(sql)
    assert not people.explain(sql, epsilon=1).is_stored


def test_a_more_accurate_question_has_its_price(people: Dataset) -> None:
    """Tables at ε = 1 answer a count at ε = 0.1, and not one at ε = 20."""
    people.tables(CUBE, epsilon=1)
    sql = "SELECT COUNT(*) AS n FROM people WHERE region = 'north'"
    wide = numbers(people.query(sql, epsilon=0.1))
    bought = people.query(sql, epsilon=20)
    narrow = numbers(bought)
    assert not bought.price.free
    assert float(narrow.high[0] - narrow.low[0]) < float(wide.high[0] - wide.low[0])


def test_means_of_tables_are_implied_too(people: Dataset) -> None:
    people.tables("SELECT region, sex, AVG(income) AS a FROM people GROUP BY CUBE(region, sex)", epsilon=100)
    found = people.query("SELECT sex, AVG(income) AS a FROM people WHERE region <> 'east' GROUP BY sex")
    truth = plain("SELECT sex, AVG(income) FROM people WHERE region <> 'east' GROUP BY sex ORDER BY sex")
    assert np.allclose(numbers(found, "a").value, [float(str(row[1])) for row in truth], atol=0.5)


def test_values_of_private_keys_are_chosen_once(people: Dataset) -> None:
    """Four towns of 1,500: all are shown, the rest is NULL, and nothing is implied of a town that is not shown."""
    found = people.tables("SELECT region, town, COUNT(*) AS n FROM people GROUP BY CUBE(region, town)", epsilon=20)
    towns = found.table("town").rendered["town"].values.values
    assert towns == ("town 0", "town 1", "town 2", "town 3", None)
    assert np.allclose(numbers(found.table("town")).value, [1500, 1500, 1500, 1500, 0], atol=40)
    by_town = people.query("SELECT town, COUNT(*) AS n FROM people WHERE region = 'north' GROUP BY town")
    assert by_town.price.free
    for sql in (
        "SELECT COUNT(*) FROM people WHERE town = 'town 9'",
        "SELECT upper(town), COUNT(*) FROM people GROUP BY 1",
    ):
        with pytest.raises(Refused, match="without a price"):
            people.query(sql)


def test_changed_rows_are_other_tables(people: Dataset, tmp_path: Path) -> None:
    people.tables(CUBE, epsilon=1)
    duckdb.sql(f"SELECT * FROM ({ROWS}) LIMIT 100").write_parquet(str(tmp_path / "people.parquet"))
    with tacit.open(tmp_path / "people.toml") as later, pytest.raises(Refused, match="without a price"):
        later.query("SELECT COUNT(*) FROM people")


def test_people_with_several_rows(clinic: Clinic) -> None:
    """Usual, guaranteed where at_most is declared, and bounded: each says what it is about."""
    with tacit.open(clinic.folder / "clinic.toml") as dataset:
        asked = "SELECT region, age // 30 AS a, COUNT(*) AS n, AVG(cost) AS c FROM visits GROUP BY CUBE(region, a)"
        kinds = {}
        for kind in ("usual", "bounded"):
            found: TablesRelease = dataset.tables(asked, epsilon=1, interval=kind)
            kinds[kind] = found.intervals.kind
            assert found.optimality == "No bound is known."
            assert "One person counts for at most" in " ".join(found.notes)
        assert kinds == {"usual": "usual", "bounded": "bounded"}
        with pytest.raises(Refused):
            dataset.tables(asked, epsilon=1, interval="guaranteed")


def test_a_pure_account_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "people.parquet"))
    (tmp_path / "people.toml").write_text(PEOPLE.replace(", delta = 1e-6", ""), encoding="utf-8")
    with tacit.open(tmp_path / "people.toml") as dataset, pytest.raises(Refused, match="pure account"):
        dataset.tables(CUBE, epsilon=1)


@pytest.mark.parametrize("most", [10**9, 10**15])
def test_sums_of_large_values_are_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Noise and sums that are wider than a word once failed after the charge, as the data had it."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rows = ROWS.replace("(i % 101)::INTEGER AS income", f"{most}::BIGINT AS income")
    duckdb.sql(rows).write_parquet(str(tmp_path / "people.parquet"))
    text = PEOPLE.replace("max = 100", f"max = {most}").replace("epsilon = 200", "epsilon = 4")
    (tmp_path / "people.toml").write_text(text, encoding="utf-8")
    with tacit.open(tmp_path / "people.toml") as dataset:
        found = dataset.tables("SELECT region, age, SUM(income) AS n FROM people GROUP BY CUBE(region, age)", epsilon=1)
        read = numbers(found.table())
        assert abs(float(read.value[0]) - 6000 * most) < 3 * float(read.high[0] - read.low[0])
        assert float(read.high[0] - read.low[0]) < 200 * most
