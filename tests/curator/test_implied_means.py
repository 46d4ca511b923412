"""Means from tables of sums, sums from tables of means, and aggregates with FILTER over keys: free, true, no wider."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.curator.clinic_command import Clinic
from tests.curator.test_tables import numbers, people, plain

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused

__all__ = ["people"]
SUMS = "SELECT region, sex, SUM(income) AS s, COUNT(*) AS n FROM people GROUP BY CUBE(region, sex)"
MEANS = "SELECT region, sex, AVG(income) AS a FROM people GROUP BY CUBE(region, sex)"
COUNTS = "SELECT region, sex, age // 20 AS decade, COUNT(*) AS n FROM people GROUP BY CUBE(region, sex, decade)"

FROM_SUMS = (
    "SELECT AVG(income) AS v FROM people",
    "SELECT sex, AVG(income) AS v FROM people WHERE region <> 'east' GROUP BY sex",
    "SELECT p.sex, AVG(p.income) AS v FROM people AS p GROUP BY p.sex",
    "SELECT region, AVG(income) FILTER (WHERE sex = 'f') AS v FROM people GROUP BY region",
    "SELECT region, AVG(CASE WHEN sex = 'f' THEN income END) AS v FROM people GROUP BY region",
)
FROM_MEANS = (
    "SELECT SUM(income) AS v FROM people",
    "SELECT sex, SUM(income) AS v FROM people WHERE region <> 'east' GROUP BY sex",
    "SELECT region, COUNT(income) AS v FROM people GROUP BY region",
    "SELECT region, SUM(income) AS v, AVG(income) AS a FROM people GROUP BY region",
    "SELECT region, SUM(CASE WHEN sex = 'f' THEN income ELSE 0 END) AS v FROM people GROUP BY region",
)
FROM_COUNTS = (
    "SELECT COUNT(*) FILTER (WHERE sex = 'f') AS v FROM people",
    "SELECT region, COUNT(*) FILTER (WHERE sex = 'f' AND age // 20 >= 1) AS v FROM people GROUP BY region",
    "SELECT region, SUM(CASE WHEN sex = 'f' THEN 1 ELSE 0 END) AS v FROM people GROUP BY region",
    "SELECT region, COUNT(CASE WHEN sex = 'f' THEN 1 END) AS v, COUNT(*) AS n FROM people GROUP BY region",
    "SELECT region, 100 * COUNT(*) FILTER (WHERE sex = 'f') / COUNT(*) AS v FROM people GROUP BY region",
)
AGES = "SELECT age, sex, COUNT(*) AS n, SUM(income) AS s FROM people GROUP BY GROUPING SETS ((age), (age, sex))"
FROM_AGES = (
    "SELECT age // 20 AS a, COUNT(*) AS v FROM people GROUP BY a",
    "SELECT sex, age % 4 AS a, COUNT(*) AS v FROM people WHERE age // 10 > 2 GROUP BY sex, a",
    "SELECT p.age // 30 AS a, COUNT(*) FILTER (WHERE p.age % 2 = 1 AND p.sex = 'f') AS v FROM people AS p GROUP BY a",
)
SHARES = (
    "SELECT region, AVG(CASE WHEN sex = 'f' AND age // 20 > 0 THEN 1 ELSE 0 END) AS v FROM people GROUP BY region",
    "SELECT AVG(CASE WHEN region = 'north' THEN 1 ELSE 0 END) AS v FROM people WHERE sex = 'f'",
)
ASKED = [
    *((SUMS, sql, 0.2) for sql in FROM_SUMS),
    *((MEANS, sql, 900.0) for sql in FROM_MEANS),
    *((COUNTS, sql, 10.0) for sql in FROM_COUNTS),
    *((COUNTS, sql, 0.01) for sql in SHARES),
    *((AGES, sql, 10.0) for sql in FROM_AGES),
    (AGES, "SELECT age // 40 AS a, AVG(income) AS v FROM people GROUP BY a", 0.2),
]


@pytest.mark.parametrize(("tables", "sql", "near"), ASKED)
def test_they_are_free_and_near_the_truth(people: Dataset, tables: str, sql: str, near: float) -> None:
    """Against plain SQL, at ε = 100."""
    people.tables(tables, epsilon=100)
    assert people.explain(sql, epsilon=1).is_stored
    found, spent = people.query(sql, epsilon=1), str(people.budget())
    assert found.price.free
    assert "as entry" in " ".join(found.notes)
    truth = sorted(plain(sql), key=repr)
    place = [column.name for column in found.rendered.columns].index("v")
    keys = [column.values.values for column in found.rendered.columns if column.is_key]
    read = numbers(found, "v")
    order = sorted(range(len(truth)), key=lambda row: repr(tuple(key[row] for key in keys)))
    assert np.allclose(read.value[order], [float(str(row[place])) for row in truth], rtol=0, atol=near)
    assert (read.low < read.high).all()
    assert str(people.budget()) == spent


@pytest.mark.parametrize(
    ("tables", "sql"),
    [
        (COUNTS, "SELECT AVG(income) FROM people"),
        (COUNTS, "SELECT COUNT(*) FILTER (WHERE age > 30) FROM people"),
        (COUNTS, "SELECT SUM(age) FROM people"),
        (COUNTS, "SELECT SUM(sqrt(age // 20)) FROM people"),
        (SUMS, "SELECT AVG(income + 1) FROM people"),
        (SUMS, "SELECT AVG(CASE WHEN sex = 'f' THEN income ELSE 0 END) FROM people"),
        (SUMS, "SELECT age // 20, AVG(income) FROM people GROUP BY 1"),
        (SUMS, "SELECT COUNT(DISTINCT region), COUNT(*) FROM people"),
        (MEANS, "SELECT SUM(age) FROM people"),
        (MEANS, "SELECT VAR_POP(income) FROM people"),
    ],
)
def test_others_have_their_price(people: Dataset, tables: str, sql: str) -> None:
    people.tables(tables, epsilon=1)
    with pytest.raises(Refused, match="without a price"):
        people.query(sql)
    assert not people.explain(sql, epsilon=1).is_stored


@pytest.mark.parametrize(
    "sql", ["age // 40 AS a, COUNT(*) AS v FROM people GROUP BY a", "COUNT(*) FROM people WHERE age % 2 = 1"]
)
def test_functions_of_keys_that_are_not_public_have_their_price(people: Dataset, tmp_path: Path, sql: str) -> None:
    """A value that was not shown lies in the row NULL: which group it would be in is not told."""
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    (tmp_path / "private.toml").write_text(text.replace("min = 0, max = 79, ", "", 1), encoding="utf-8")
    with tacit.open(tmp_path / "private.toml") as dataset:
        dataset.tables(AGES, epsilon=10)
        assert dataset.query("SELECT age, COUNT(*) FROM people GROUP BY age").price.free
        with pytest.raises(Refused, match="without a price"):
            dataset.query(f"SELECT {sql}")


def test_they_are_no_wider_than_their_own_price_makes_them(people: Dataset) -> None:
    """Just below the price at which tables are not accurate enough, what is bought is as wide or narrower."""
    for tables, sql in ((SUMS, "SELECT AVG(income) AS v FROM people"), (MEANS, "SELECT SUM(income) AS v FROM people")):
        people.tables(tables, epsilon=20)
        low, high = 1.0, 40.0
        for _ in range(12):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if people.explain(sql, epsilon=middle).is_stored else (low, middle)
        free, bought = (numbers(people.query(sql, epsilon=each), "v") for each in (low, high))
        assert 2 < low < 30
        assert float(bought.high[0] - bought.low[0]) == pytest.approx(float(free.high[0] - free.low[0]), rel=0.03)


def test_where_limits_cut_sums_of_two_measures_have_bounded_intervals_alone(clinic: Clinic) -> None:
    """What limits cut off Σ(x − c), and off n, does not say what they cut off Σx; each by itself is told."""
    with tacit.open(clinic.folder / "clinic.toml") as dataset:
        dataset.tables("SELECT region, AVG(cost) AS a FROM visits GROUP BY CUBE(region)", epsilon=1)
        sql = "SELECT region, SUM(cost) AS s FROM visits GROUP BY region"
        with pytest.raises(Refused, match="without a price"):
            dataset.query(sql)
        found = dataset.query(sql, interval="bounded")
        assert found.price.free
        assert found.intervals.kind == "bounded"
        counts = dataset.query("SELECT region, COUNT(cost) AS n FROM visits GROUP BY region")
        assert counts.price.free
        assert counts.intervals.kind == "usual"


def test_where_limits_cut_means_of_sums_are_as_tables_of_both_have_them(clinic: Clinic) -> None:
    with tacit.open(clinic.folder / "clinic.toml") as dataset:
        dataset.tables("SELECT region, SUM(cost) AS s, COUNT(cost) AS n FROM visits GROUP BY CUBE(region)", epsilon=1)
        found = dataset.query("SELECT region, AVG(cost) AS a FROM visits GROUP BY region")
        assert found.price.free
        assert found.intervals.kind == "usual"
        assert any("One person counts for at most" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["int", "float", "money"])
def test_missing_and_wild_values_count_alike_in_sums_and_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """NULL is left out of both, and values beyond bounds that 0 is not within are cut to them in both."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    x = "CASE WHEN i % 5 = 0 THEN NULL WHEN i % 7 = 0 THEN -1000 WHEN i % 11 = 0 THEN 1000 ELSE 20 + i % 60 END"
    duckdb.sql(f"SELECT ({x})::DOUBLE AS x, i % 2 = 0 AS even FROM range(6000) AS r(i)").write_parquet(
        str(tmp_path / "people.parquet")
    )
    (tmp_path / "people.toml").write_text(
        '[dataset]\nname = "people"\nunit = { row = true, hides = "one person" }\n'
        'budget = { epsilon = 300, delta = 1e-6 }\n[tables.people]\nsource = "people.parquet"\n'
        f'[tables.people.columns]\nx = {{ type = "{kind}", min = 20, max = 90 }}\n'
        'even = { type = "bool", nullable = false }\n',
        encoding="utf-8",
    )
    cut, source = "greatest(least(x, 90), 20)", f"'{tmp_path / 'people.parquet'}' WHERE x IS NOT NULL"
    truth = duckdb.sql(f"SELECT AVG({cut}), SUM({cut}) FROM {source} GROUP BY even ORDER BY even")
    means, totals = zip(*truth.fetchall(), strict=True)
    with tacit.open(tmp_path / "people.toml") as dataset:
        sums = "SELECT even, SUM(x) AS s, COUNT(x) AS n FROM people GROUP BY CUBE(even)"
        dataset.tables(sums, epsilon=100)
        found = dataset.query("SELECT even, AVG(x) AS v FROM people GROUP BY even ORDER BY even")
        assert np.allclose(numbers(found, "v").value, means, atol=0.1)
        assert "entry 2 " in " ".join(found.notes)
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "other"))
    with tacit.open(tmp_path / "people.toml") as dataset:
        dataset.tables("SELECT even, AVG(x) AS a FROM people GROUP BY CUBE(even)", epsilon=100)
        found = dataset.query("SELECT even, SUM(x) AS v FROM people GROUP BY even ORDER BY even")
        assert np.allclose(numbers(found, "v").value, totals, atol=200)


def test_conditions_over_shown_values_of_a_private_key_are_implied(people: Dataset) -> None:
    """A cell of a shown town has its rows and no others; what is true of other towns too lies in no cells."""
    found = people.tables("SELECT sex, town, COUNT(*) AS n FROM people GROUP BY CUBE(sex, town)", epsilon=20)
    towns = numbers(found.table("town")).value
    both = numbers(found.table("sex", "town")).value.reshape(2, -1)
    free = {
        "SELECT COUNT(*) AS n FROM people WHERE town = 'town 2'": towns[2],
        "SELECT COUNT(*) AS n FROM people WHERE 'town 0' = town OR town IN ('town 1', 'town 3')": towns[
            [0, 1, 3]
        ].sum(),
        "SELECT COUNT(*) FILTER (WHERE town = 'town 1') AS n FROM people WHERE sex = 'm'": both[1, 1],
        "SELECT COUNT(*) AS n FROM people WHERE town = 'town 1' OR sex = 'm'": both[1].sum() + both[0, 1],
    }
    for sql, number in free.items():
        answer = people.query(sql)
        assert answer.price.free
        assert numbers(answer).value == pytest.approx([number], abs=1e-6)
    for where in ("town <> 'town 2'", "town IN ('town 2', 'town 9')", "NOT town = 'town 2'", "town IS NULL"):
        with pytest.raises(Refused, match="without a price"):
            people.query(f"SELECT COUNT(*) AS n FROM people WHERE {where}")
