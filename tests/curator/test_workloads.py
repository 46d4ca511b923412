"""Counting questions through the door: answered together, near the truth, charged once, and explained for free."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.curator.clinic_command import Clinic

import tacit
from tacit.curator.counts_job import all_counts
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates, Keys
from tacit.release.release import Release
from tacit.workload.linear.noisy_counts import NoisyCounts

PEOPLE = """\
[dataset]
name = "people"
unit = { row = true, hides = "one person" }
budget = { epsilon = 200, delta = 1e-6 }

[tables.people]
source = "people.parquet"

[tables.people.columns]
region = { type = "text", keys = ["north", "south", "east"], nullable = false }
age = { type = "int", min = 0, max = 79 }
day = { type = "date", min = 2024-01-01, max = 2024-03-31, nullable = false }
town = { type = "text" }
income = { type = "int", min = 0, max = 100, nullable = false }
weight = { type = "float", min = 0, max = 200 }
"""
ROWS = """\
SELECT ['north', 'south', 'east'][1 + (i * 5 // 7) % 3] AS region,
    CASE WHEN i % 50 > 0 THEN (i * 7 % 80)::INTEGER END AS age,
    DATE '2024-01-01' + (i * 11 // 3 % 91)::INTEGER AS day, 'town ' || (i % 4) AS town, (i % 101)::INTEGER AS income,
    (i % 90 + 0.5)::DOUBLE AS weight
FROM range(6000) AS r(i)
"""


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "people.parquet"))
    (tmp_path / "people.toml").write_text(PEOPLE, encoding="utf-8")
    with tacit.open(tmp_path / "people.toml") as dataset:
        yield dataset


def plain(sql: str) -> list[tuple[object, ...]]:
    return duckdb.sql(f"WITH people AS ({ROWS}) {sql}").fetchall()


def numbers(release: Release) -> Estimates:
    values = release.rendered.columns[-1].values
    assert isinstance(values, Estimates)
    return values


def rows(release: Release) -> list[tuple[object, ...]]:
    """Keys, and numbers to the nearest whole one."""
    columns = []
    for column in release.rendered.columns:
        values = column.values
        columns.append(map(_named, values.values) if isinstance(values, Keys) else map(int, np.round(values.value)))
    return sorted(zip(*columns, strict=True), key=repr)


def _named(key: object) -> str:
    """A key as text; DuckDB says the start of a month as a timestamp."""
    return str(key).removesuffix(" 00:00:00")


GROUPED = (
    "SELECT age // 5, COUNT(*) FROM people GROUP BY age // 5",
    "SELECT age // 10 AS decade, COUNT(*) FILTER (WHERE region = 'north') AS n FROM people GROUP BY decade",
    "SELECT day, SUM(COUNT(*)) OVER (ORDER BY day) AS total FROM people GROUP BY day",
    "SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM people WHERE age BETWEEN 20 AND 60 GROUP BY m",
    "SELECT month(day) AS m, region, SUM(COUNT(*)) OVER (PARTITION BY region ORDER BY month(day)) AS n "
    "FROM people GROUP BY m, region",
    "SELECT region, COUNT(*) AS n FROM people WHERE age IS NULL OR age % 7 = 3 GROUP BY region",
)


@pytest.mark.parametrize("sql", GROUPED)
def test_answers_are_near_the_truth(people: Dataset, sql: str) -> None:
    """At ε = 100 noise has a deviation of a quarter of a person: 2 persons are 8 of them."""
    found = people.workload(sql, epsilon=100)
    truth = sorted(((*map(_named, row[:-1]), int(str(row[-1]))) for row in plain(sql)), key=repr)
    read = rows(found.tables[0].release)
    assert [row[:-1] for row in read] == [row[:-1] for row in truth]
    assert max(abs(int(str(one[-1])) - other[-1]) for one, other in zip(read, truth, strict=True)) <= 2
    half = (numbers(found.tables[0].release).high - numbers(found.tables[0].release).low) / 2
    assert 0 < half.max() < 1


def test_ranges_are_lines_of_one_table(people: Dataset) -> None:
    tests = ["age BETWEEN 20 AND 40", "age > 33 AND region = 'north'", "day < DATE '2024-02-01'", "region <> 'east'"]
    found = people.workload([f"SELECT COUNT(*) FROM people WHERE {test}" for test in tests], epsilon=100)
    table = found.tables[0].release
    truth = [plain(f"SELECT COUNT(*) FROM people WHERE {test}")[0][0] for test in tests]
    assert np.allclose(numbers(table).value, [int(str(count)) for count in truth], atol=2)
    labels = table.rendered.columns[0].values
    assert isinstance(labels, Keys)
    assert labels.values[:2] == ("age BETWEEN 20 AND 40", "age > 33 AND region = 'north'")


def test_a_sum_is_added_up_by_the_same_regions(people: Dataset) -> None:
    sql = "SELECT age // 20 AS a, SUM(income) AS s FROM people WHERE town <> 'town 0' GROUP BY a"
    found = people.workload(sql, epsilon=100)
    values = numbers(found.tables[0].release).value
    truth = [float(str(row[1])) for row in sorted(plain(sql), key=repr)]
    assert np.allclose(sorted(values), sorted(truth), atol=60)


def test_what_adds_up_agrees(people: Dataset) -> None:
    """Histograms of two widths, and running totals: each is a sum of the same measurements."""
    sql = [GROUPED[0], "SELECT age // 10, COUNT(*) FROM people GROUP BY age // 10"]
    found = people.workload(sql, epsilon=1)
    fives, tens = (numbers(table.release).value[:-1] for table in found.tables)  # the last is NULL
    assert np.allclose(fives.reshape(-1, 2).sum(axis=1), tens, atol=1e-6)


def test_it_is_charged_once_and_written_with_one_certificate(people: Dataset, tmp_path: Path) -> None:
    asked = [GROUPED[2], "SELECT region, COUNT(*) AS n FROM people GROUP BY region"]
    first = people.workload(asked, epsilon=2)
    spent = str(people.budget())
    again = people.workload(asked, epsilon=1)
    assert again.price.free
    assert str(people.budget()) == spent
    assert np.array_equal(numbers(first.tables[1].release).value, numbers(again.tables[1].release).value)
    assert people.workload(asked).price.free
    with pytest.raises(Refused, match="without a price"):
        people.workload(GROUPED[3])
    written = {path.name for path in first.write(tmp_path / "out", forms=("csv",))}
    assert written >= {"01-day.csv", "02-region.csv", "certificate.json"}
    listed = list(csv.DictReader(io.StringIO((tmp_path / "out" / "01-day.csv").read_text(encoding="utf-8"))))
    assert [date.fromisoformat(row["day"]) for row in listed] == sorted(date.fromisoformat(r["day"]) for r in listed)
    assert float(listed[0]["total_low"]) < float(listed[0]["total"]) < float(listed[0]["total_high"])


def test_what_a_workload_implies_is_free_and_true(people: Dataset) -> None:
    """Combinations of running totals by day; nothing finer, nothing of other rows."""
    base = "SELECT day, SUM(COUNT(*)) OVER (ORDER BY day) AS total FROM people WHERE region <> 'east' GROUP BY day"
    people.workload(base, epsilon=100)
    spent = str(people.budget())
    for test in ("day >= DATE '2024-03-01'", "day BETWEEN DATE '2024-01-10' AND DATE '2024-02-10'", "month(day) = 2"):
        sql = f"SELECT COUNT(*) FROM people WHERE region <> 'east' AND {test}"
        asked = [sql, sql.replace(test, "day < DATE '2024-01-20'")]
        for found in (people.workload(asked), people.workload(asked, epsilon=1)):
            assert found.price.free
            assert abs(float(numbers(found.tables[0].release).value[0]) - int(str(plain(sql)[0][0]))) <= 2
    assert str(people.budget()) == spent
    for sql in (
        "SELECT region, COUNT(*) FROM people WHERE region <> 'east' GROUP BY region",
        "SELECT COUNT(*) FROM people WHERE day >= DATE '2024-03-01'",
        "SELECT SUM(income) FROM people WHERE region <> 'east' AND day >= DATE '2024-03-01'",
    ):
        with pytest.raises(Refused, match="without a price"):
            people.workload([sql, sql])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM people WHERE day >= DATE '2024-02-15'",
        "SELECT month(day) AS m, COUNT(*) AS n FROM people GROUP BY m",
        "SELECT COUNT(*) AS n FROM people",
    ],
)
def test_a_query_that_a_workload_implies_is_free(people: Dataset, sql: str) -> None:
    people.workload(GROUPED[2], epsilon=100)
    found = people.query(sql)
    assert found.price.free
    assert found.certificate is not None
    truth = sorted(plain(sql))
    assert np.allclose(numbers(found).value, [int(str(row[-1])) for row in truth], atol=2)
    with pytest.raises(Refused, match="without a price"):
        people.query("SELECT COUNT(*) FROM people WHERE day >= DATE '2024-02-15' AND age = 3")


def test_fewer_questions_than_cells_imply_their_combinations(people: Dataset) -> None:
    """Two overlapping ranges: their sum is implied where it can be said, a part of one is not."""
    low, high = "SELECT COUNT(*) FROM people WHERE age < 40", "SELECT COUNT(*) FROM people WHERE age >= 30"
    both = f"SELECT COUNT(*) FILTER (WHERE age < 40) AS a, COUNT(*) FILTER (WHERE age >= 30) AS b FROM people; {low}"
    people.workload([low, high], epsilon=100)
    assert people.workload(both).price.free
    with pytest.raises(Refused, match="without a price"):
        people.workload("SELECT COUNT(*) FILTER (WHERE age < 30) FROM people")


def test_stored_octets_are_read_back_as_they_were(people: Dataset) -> None:
    people.workload(GROUPED[2], epsilon=1)
    (found,) = all_counts(people._planner)
    octets = found.counts.to_bytes()
    assert NoisyCounts.from_bytes(octets).to_bytes() == octets


def test_what_is_read_again_is_the_stored_strategy(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """No search is made for another one, whose distance from the best would be told of this noise."""
    first = people.workload(GROUPED[2], epsilon=1)

    def search(_: object) -> None:
        raise AssertionError

    with tacit.open(people._opened.description.path) as again:
        monkeypatch.setattr("tacit.workload.linear.counts_plan.optimal_strategy", search)
        assert again.workload(GROUPED[2]).optimality == first.optimality != "No bound is known."
        assert again.query("SELECT COUNT(*) FROM people").price.free


def test_an_explanation_is_free_and_says_what_will_be(people: Dataset) -> None:
    said = people.explain_workload(GROUPED[2], epsilon=1)
    assert said.plan.best.ratio_up <= 1.001
    assert "within 1.01 of the least" in str(said)
    assert said.ratio("each answer") > said.ratio("each cell") > said.ratio("binary tree") > 1.1
    assert not said.is_stored
    found = people.workload(GROUPED[2], epsilon=1)
    half = (numbers(found.tables[0].release).high - numbers(found.tables[0].release).low) / 2
    assert np.allclose(half, said.together, rtol=1e-6)
    assert people.explain_workload(GROUPED[2], epsilon=1).is_stored


def test_under_replace_nothing_is_certified(people: Dataset, tmp_path: Path) -> None:
    """Two columns that differ may be closer to each other than twice the longest: noise on each cell has half of it."""
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    replaced = text.replace('hides = "one person"', 'hides = "one person", relation = "replace"')
    (tmp_path / "replaced.toml").write_text(replaced.replace('name = "people"', 'name = "again"'), encoding="utf-8")
    assert "Certified: at most 1.00" in str(people.explain_workload(GROUPED[0], epsilon=1))
    with tacit.open(tmp_path / "replaced.toml", ledger=str(tmp_path / "replaced.ledger")) as dataset:
        said = str(dataset.explain_workload(GROUPED[0], epsilon=1))
    assert "Certified" not in said
    assert "No bound is known." in said


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT town, COUNT(*) FROM people GROUP BY town",
        "SELECT COUNT(*) FROM people WHERE town = 'town 1'; SELECT COUNT(*) FROM people",
        "SELECT AVG(income) FROM people",
        "SELECT COUNT(*), SUM(income) FROM people",
        "SELECT region, COUNT(*) FROM people GROUP BY CUBE(region)",
        "SELECT region, COUNT(*) FROM people GROUP BY region HAVING COUNT(*) > 3",
        "SELECT day, AVG(COUNT(*)) OVER (ORDER BY day) FROM people GROUP BY day",
        "SELECT income, age, day, COUNT(*) FROM people GROUP BY income, age, day",
        "SELECT COUNT(DISTINCT region) FROM people",
        "SELECT COUNT(*) FROM people WHERE age > 200; SELECT COUNT(*) FROM people",
    ],
)
def test_what_is_no_sum_of_public_cells_is_refused(people: Dataset, sql: str) -> None:
    with pytest.raises(Refused):
        people.workload(sql, epsilon=1)


def test_columns_that_nobody_can_list_are_named(people: Dataset) -> None:
    """Not as a GROUP BY that was not written, with a cure that is refused too."""
    with pytest.raises(Refused, match=r"questions about weight.*floating-point number, whose values cannot be listed"):
        people.workload("SELECT COUNT(*) FROM people WHERE weight > 70; SELECT COUNT(*) FROM people", epsilon=1)
    assert people.explain_workload("SELECT COUNT(*) FROM people WHERE weight > 70") is not None


def test_people_with_several_rows(clinic: Clinic) -> None:
    """Usual where the limit cuts somebody, bounded if asked for; no bound is claimed of either."""
    with tacit.open(clinic.folder / "clinic.toml") as dataset:
        asked = ["SELECT age // 10, COUNT(*) FROM visits GROUP BY 1", "SELECT COUNT(*) FROM visits WHERE age > 50"]
        for kind in ("usual", "bounded"):
            found = dataset.workload(asked, epsilon=1, interval=kind)
            assert found.intervals.kind == kind
            assert found.optimality == "No bound is known."
            total = float(numbers(found.tables[1].release).value.sum())
            assert total == pytest.approx(2000, rel=0.4)
        with pytest.raises(Refused):
            dataset.workload(asked, epsilon=1, interval="guaranteed")


def test_the_command_explains_and_releases(clinic: Clinic) -> None:
    asked = "SELECT age // 30, COUNT(*) FROM visits GROUP BY 1; SELECT COUNT(*) FROM visits WHERE age < 45"
    left = clinic.left()
    said = clinic.tacit("workload", "explain", "clinic.toml", asked, "--epsilon", "1")
    assert said.code == 0
    assert "each cell" in said.out
    assert clinic.left() == left
    done = clinic.tacit(
        "workload", "release", "clinic.toml", asked, "--epsilon", "1", "--out", str(clinic.folder / "o")
    )
    assert done.code == 0, done.err
    assert (clinic.folder / "o" / "certificate.json").exists()
    assert clinic.tacit("verify", str(clinic.folder / "o" / "certificate.json")).code == 0
    assert clinic.tacit("workload", "release", "clinic.toml", "SELECT ward, COUNT(*) FROM visits GROUP BY 1").code == 2
