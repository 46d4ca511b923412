"""The notes of counting questions: each line names the measure, its unit, and its number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused

DESCRIPTION = """\
[dataset]
name = "visits"
unit = { id = "who", hides = "one patient" }
budget = { epsilon = 4, delta = 1e-7 }

[tables.visits]
source = "visits.parquet"
at_most = { rows = 200 }

[tables.visits.columns]
age = { type = "int", min = 0, max = 99 }
hour = { type = "int", min = 0, max = 999 }
town = { type = "text" }
"""
ROWS = "SELECT (i % 500)::INTEGER AS who, (i % 90)::INTEGER AS age, 1 AS hour, 'a' AS town FROM range(9000) AS r(i)"
COUNT = "SELECT COUNT(*) FROM visits"


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "visits.parquet"))
    (tmp_path / "visits.toml").write_text(DESCRIPTION, encoding="utf-8")
    with tacit.open(tmp_path / "visits.toml") as dataset:
        yield dataset


def test_a_condition_of_all_questions_is_said_with_each(visits: Dataset) -> None:
    """Only a question without a condition is about all rows."""
    one = visits.workload(f"{COUNT} WHERE town = 'a'", epsilon="0.5")
    assert one.tables[0].release.to_pandas()["question"].tolist() == ["town = 'a'"]
    two = visits.workload(f"{COUNT} WHERE town = 'a'; {COUNT} WHERE town = 'a' AND age < 9", epsilon="0.5")
    assert two.tables[0].release.to_pandas()["question"].tolist() == ["town = 'a'", "town = 'a' AND age < 9"]


def test_sums_are_not_called_counts(visits: Dataset) -> None:
    found = visits.workload("SELECT SUM(age) FROM visits WHERE age < 50; SELECT SUM(age) FROM visits", epsilon="0.5")
    assert [column.name for column in found.tables[0].release.rendered.columns] == ["question", "sum"]
    assert found.notes[0].endswith(" of age in all cells together.")


def test_a_person_counts_for_rows_and_a_declared_limit_is_not_asked_for(visits: Dataset) -> None:
    said = " ".join(str(visits.workload(f"{COUNT} WHERE age < 9; {COUNT}", epsilon="0.3")).split())
    assert " rows in all cells together." in said
    assert "With at_most declared" not in said


def test_one_question_is_not_questions(visits: Dataset) -> None:
    asked = f"{COUNT} WHERE age < 9"
    assert visits.explain_workload(asked).price_words.before(is_stored=False) in str(visits.explain_workload(asked))
    assert "\n1 question over 1 cell; 95% intervals." in str(visits.explain_workload(asked))
    said = str(visits.workload(asked, epsilon="0.3"))
    assert " 1 question over 1 cell. ± " in said
    assert "largest" not in said


@pytest.mark.parametrize("clause", ["ORDER BY age", "ORDER BY age LIMIT 3"])
def test_a_clause_is_refused_by_its_name(visits: Dataset, clause: str) -> None:
    asked = f"SELECT age, COUNT(*) FROM visits GROUP BY age {clause}"
    with pytest.raises(Refused, match="ORDER BY in a workload"):
        visits.workload(asked, epsilon=1)
    with pytest.raises(Refused, match="ORDER BY in tables"):
        visits.tables(asked, epsilon=1)


def test_too_many_questions_are_refused_with_their_number(visits: Dataset) -> None:
    with pytest.raises(Refused, match=r"^Refused: 101,101 questions or more over 101,101 combinations of values\."):
        visits.explain_workload("SELECT age, hour, COUNT(*) FROM visits GROUP BY age, hour")


def test_one_table_has_no_margins(visits: Dataset) -> None:
    said = str(visits.tables("SELECT age // 50 AS half, COUNT(*) FROM visits GROUP BY half", epsilon="0.3"))
    assert " 1 table, 3 cells. ± " in said
    assert "largest" not in said
