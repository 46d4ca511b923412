"""COUNT, SUM and AVG of what is computed from keys: read from numbers of rows, free, and true."""

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
AGES = "SELECT age, sex, COUNT(*) AS n FROM people GROUP BY CUBE(age, sex)"
ASKED = (
    ("SUM(age)", 900.0),
    ("AVG(age)", 0.3),
    ("AVG(age) FILTER (WHERE age >= 60)", 0.5),
    ("SUM(age // 10) FILTER (WHERE sex = 'f')", 100.0),
    ("SUM(CASE WHEN sex = 'f' THEN 1 WHEN age > 40 THEN 2 ELSE -1 END)", 100.0),
    ("AVG(CASE WHEN sex = 'f' THEN 1.5 ELSE 0.5 END)", 0.01),
    ("AVG(CASE WHEN sex = 'f' THEN age END)", 0.3),
    ("COUNT(CASE WHEN age > 40 THEN age END)", 30.0),
)


@pytest.mark.parametrize(("call", "near"), ASKED)
def test_what_is_computed_from_keys_is_free_and_near_the_truth(people: Dataset, call: str, near: float) -> None:
    """Against plain SQL, at ε = 100."""
    people.tables(AGES, epsilon=100)
    sql = f"SELECT sex, {call} AS v FROM people GROUP BY sex ORDER BY sex"
    if "FILTER (WHERE sex" in call or "CASE WHEN sex" in call:
        sql = f"SELECT {call} AS v FROM people"
    found = people.query(sql)
    assert found.price.free
    read = numbers(found, "v")
    assert np.allclose(read.value, [float(str(row[-1])) for row in plain(sql)], rtol=0, atol=near)
    assert (read.low < read.value).all()
    assert (read.value < read.high).all()


def test_a_value_with_a_price_is_free_only_if_it_is_as_accurate(people: Dataset) -> None:
    people.tables(AGES, epsilon=1)
    assert people.explain("SELECT AVG(age) FROM people", epsilon=0.02).is_stored
    assert not people.explain("SELECT AVG(age) FROM people", epsilon=2).is_stored


def test_null_counts_nowhere_in_a_mean_and_as_nothing_in_a_sum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that may be NULL, and wild values that are cut to its bounds, as in a query of its own."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rows = (
        "SELECT CASE WHEN i % 5 = 0 THEN NULL WHEN i % 7 = 0 THEN 900 ELSE 3 + i % 9 END AS x FROM range(4000) AS r(i)"
    )
    duckdb.sql(rows).write_parquet(str(tmp_path / "people.parquet"))
    (tmp_path / "people.toml").write_text(
        '[dataset]\nname = "people"\nunit = { row = true, hides = "one person" }\n'
        'budget = { epsilon = 300, delta = 1e-6 }\n[tables.people]\nsource = "people.parquet"\n'
        '[tables.people.columns]\nx = { type = "int", min = 3, max = 20 }\n',
        encoding="utf-8",
    )
    sql = "SELECT SUM(x) AS s, AVG(x) AS a, COUNT(x) AS n FROM people"
    ((s, a, n),) = duckdb.sql(
        sql.replace("FROM people", f"FROM (SELECT CASE WHEN x > 20 THEN 20 ELSE x END AS x FROM ({rows}))")
    ).fetchall()
    with tacit.open(tmp_path / "people.toml") as dataset:
        dataset.tables("SELECT x, COUNT(*) FROM people GROUP BY CUBE(x)", epsilon=100)
        found = dataset.query(sql)
        assert found.price.free
        assert float(numbers(found, "s").value[0]) == pytest.approx(float(s), abs=200)
        assert float(numbers(found, "a").value[0]) == pytest.approx(float(a), abs=0.05)
        assert float(numbers(found, "n").value[0]) == pytest.approx(float(n), abs=20)


def test_values_of_a_private_key_that_are_not_shown_are_not_computed_with(people: Dataset, tmp_path: Path) -> None:
    """The cell NULL holds rows of any value; a condition on a shown one is decided in it."""
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    (tmp_path / "private.toml").write_text(text.replace("min = 0, max = 79, ", "", 1), encoding="utf-8")
    with tacit.open(tmp_path / "private.toml") as dataset:
        found = dataset.tables(AGES, epsilon=10)
        shown = found.table("age").table.column("age").to_pylist()[0]
        share = "SELECT AVG(CASE WHEN age = {} THEN 2 ELSE 1 END) FROM people"
        assert dataset.query(share.format(shown)).price.free
        for call in ("SUM(CASE WHEN age > 40 THEN 2 ELSE 1 END)", "SUM(greatest(least(age, 9), 0))"):
            with pytest.raises(Refused, match="without a price"):
                dataset.query(f"SELECT {call} FROM people")
        with pytest.raises(Refused, match="without a price"):
            dataset.query(share.format(-1))


def test_where_limits_cut_they_have_bounded_intervals_alone(clinic: Clinic) -> None:
    """What limits cut off numbers of rows does not say what they cut off these times a value."""
    with tacit.open(clinic.folder / "clinic.toml") as dataset:
        dataset.tables("SELECT age, COUNT(*) AS n FROM visits GROUP BY CUBE(age)", epsilon=1)
        for call in ("SUM(age)", "AVG(age)"):
            with pytest.raises(Refused, match="without a price"):
                dataset.query(f"SELECT {call} FROM visits")
            assert dataset.query(f"SELECT {call} FROM visits", interval="bounded").price.free
