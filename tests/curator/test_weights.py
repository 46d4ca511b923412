"""Sessions of online weights on a data set: charged once, up front; closed for good; one row a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

import tacit
from tacit.curator import weights_job
from tacit.curator.dataset import Dataset
from tacit.errors import Failed, Refused
from tacit.loss.dominance import fits
from tacit.mechanisms.weights.weights_session import WeightsSession

PEOPLE = """\
[dataset]
name = "people"
unit = { row = true, hides = "one person" }
budget = { epsilon = 20, delta = 1e-6 }

[tables.people]
source = "people.parquet"

[tables.people.columns]
region = { type = "text", keys = ["north", "south", "east"], nullable = false }
age = { type = "int", min = 0, max = 79, nullable = false }
sex = { type = "text", keys = ["f", "m"], nullable = false }
town = { type = "text" }
"""
ROWS = """\
SELECT ['north', 'south', 'east'][1 + (i % 10) // 7] AS region, (i * 7 % 80)::INTEGER AS age,
    ['f', 'm'][1 + (i // 3) % 2] AS sex, 'town ' || (i % 4) AS town
FROM range(6000) AS r(i)
"""
TABLE = "SELECT region, age // 20 AS decade, sex, COUNT(*) AS n FROM people GROUP BY region, decade, sex"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "people.parquet"))
    (tmp_path / "people.toml").write_text(PEOPLE, encoding="utf-8")
    with tacit.open(tmp_path / "people.toml") as dataset:
        yield dataset


def test_a_session_answers_near_the_truth_and_is_paid_for_once(people: Dataset) -> None:
    with people.weights(TABLE, epsilon=8, updates=4) as desk:
        reply = desk.ask({"region": "north"})
        assert abs(reply.number - 4200) <= desk.error()
        assert reply.is_surprise
        everybody = desk.ask({"sex": ["f", "m"], "decade": [0, 1, 2, 3]})  # known to the noise of one count
        assert abs(everybody.number - 6000) <= desk.error()
        before = people.budget().used
        for decade in range(4):
            desk.ask({"decade": decade, "region": ("north", "south")})
        assert 0 < before == people.budget().used
        shares = desk.hypothesis.shares
    assert desk.is_closed
    again = people.weights(TABLE, epsilon=8, updates=4)
    assert again.is_closed
    assert np.array_equal(again.hypothesis.shares, shares)
    assert again.ask({"region": "north"}).is_unchecked
    assert people.budget().used == before
    (entry,) = people.budget().entries
    assert fits(desk._mechanism.loss.zcdp(), entry.loss)
    assert desk._mechanism.loss.delta(8) <= 1e-8  # the δ of one release, a hundredth of the budget's


def test_a_fresh_session_is_another_charge(people: Dataset) -> None:
    people.weights(TABLE, epsilon=8, updates=2).close()
    other = people.weights(TABLE, epsilon=8, updates=2, fresh=True)
    assert not other.is_closed
    for _ in range(20):
        try:
            people.weights(TABLE, epsilon=8, updates=2, fresh=True).close()
        except Refused:
            break
    else:
        pytest.fail("the budget never ends")


def test_a_failure_behind_the_charge_is_constant_and_settled(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("canary")

    monkeypatch.setattr(WeightsSession, "start", broken)
    for _ in range(2):
        with pytest.raises(Failed) as failure:
            people.weights(TABLE, epsilon=1, updates=2)
        assert "canary" not in str(failure.value)
    monkeypatch.undo()


def test_one_statement_reads_rows_and_asking_reads_none(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    add_up = weights_job.add_up

    def watched(session: object, sql: str) -> object:
        read.append(sql)
        return add_up(session, sql)  # type: ignore[arg-type]

    monkeypatch.setattr(weights_job, "add_up", watched)
    desk = people.weights(TABLE, epsilon=4, updates=3)
    for region in ("north", "south", "east"):
        desk.ask({"region": region})
    assert len(read) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, AVG(age) FROM people GROUP BY region",
        "SELECT region, sex, COUNT(*) FROM people GROUP BY CUBE(region, sex)",
        "SELECT town, COUNT(*) FROM people GROUP BY town",
        "SELECT region, COUNT(*) FROM people GROUP BY region HAVING COUNT(*) > 3",
    ],
)
def test_what_is_not_one_table_of_people_is_refused(people: Dataset, sql: str) -> None:
    with pytest.raises(Refused):
        people.weights(sql, epsilon=1, updates=2)


@pytest.mark.parametrize(
    "unit", ['{ id = "who", hides = "one person" }', '{ row = true, hides = "one person", relation = "replace" }']
)
def test_several_rows_a_person_and_replace_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(f"SELECT *, (row_number() OVER ()) // 3 AS who FROM ({ROWS})").write_parquet(
        str(tmp_path / "people.parquet")
    )
    text = PEOPLE.replace('{ row = true, hides = "one person" }', unit) + 'who = { type = "int" }\n'
    (tmp_path / "people.toml").write_text(text, encoding="utf-8")
    with tacit.open(tmp_path / "people.toml") as dataset, pytest.raises(Refused):
        dataset.weights(TABLE, epsilon=1, updates=2)


def test_questions_that_cannot_be_asked_are_refused(people: Dataset) -> None:
    desk = people.weights(TABLE, epsilon=4, updates=3)
    for where in ({"town": "a"}, {"region": "west"}, {"region": ["north", None]}, {"decade": 9}):
        with pytest.raises(Refused):
            desk.ask(where)
    for shape in ("region = 'north'", None, 3):
        with pytest.raises(Refused, match=r"It names no key.*region"):
            desk.ask(shape)  # type: ignore[arg-type]
    assert not desk.is_closed


def test_a_session_says_what_it_is_and_what_is_left(people: Dataset) -> None:
    with people.weights(TABLE, epsilon=8, updates=4) as desk:
        assert "weights: SELECT region" in str(people.budget())
        over = "A session over region, decade, sex (24 cells); "
        assert str(desk) == f"{over}4 of 4 answers from the data left; each reply ± {desk.error():,} (95%)."
        reply = desk.ask({"region": "north"})
        assert str(reply) == f"{reply.number:,} (from the data)"
    assert repr(desk).startswith(f"{over}3 of 4 answers from the data left; closed: ")
    assert str(desk.ask({})).endswith(" (compared with nothing: no error is known)")


def test_the_file_of_a_session_holds_no_row_and_is_the_owners_alone(people: Dataset, tmp_path: Path) -> None:
    people.weights(TABLE, epsilon=4, updates=3).ask({"region": "south"})
    (file,) = (tmp_path / "home" / "weights").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert [sorted(json.loads(line)) for line in file.read_bytes().splitlines()] == [
        ["mechanism", "version"],
        ["people"],
        ["asked"],
        ["answer", "surprise"],
    ]
