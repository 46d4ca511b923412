"""What tables show: refused before the charge where it has no meaning, and read when it is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from tests.curator.test_tables import CUBE, people

from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.workload.table_reading import TableReader

__all__ = ["people"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) > 5 AS many FROM people GROUP BY CUBE(region)",
        "SELECT region, upper(region) AS up, COUNT(*) AS n FROM people GROUP BY CUBE(region)",
        "SELECT region, income, COUNT(*) AS n FROM people GROUP BY CUBE(region)",
    ],
)
def test_what_cannot_be_shown_is_refused_before_the_charge(people: Dataset, sql: str) -> None:
    before = str(people.budget())
    with pytest.raises(Refused):
        people.tables(sql, epsilon=1)
    assert str(people.budget()) == before


def test_an_alias_of_a_key_may_be_computed_with(people: Dataset) -> None:
    """It is left out of tables by other keys, as the key is."""
    asked = (
        "SELECT age // 20 AS decade, decade * 20 AS since, sex, COUNT(*) AS n FROM people GROUP BY CUBE(decade, sex)"
    )
    found = people.tables(asked, epsilon=1)
    assert found.table("age // 20").rendered["since"].values.values == (0, 20, 40, 60)
    assert [column.name for column in found.table("sex").rendered.columns] == ["sex", "n", "n_published"]


def test_tables_are_read_when_they_are_asked_for(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first: that tells whether there is a column for publication."""
    read: list[int] = []
    plain_table = TableReader.table
    monkeypatch.setattr(TableReader, "table", lambda *given, **named: read.append(1) or plain_table(*given, **named))
    found = people.tables(CUBE, epsilon=1)
    before = len(read)
    assert before < len(found)
    first = found.table("sex").rendered
    after = len(read)
    assert after > before
    assert found.table("sex").rendered is first
    assert len(read) == after


def test_a_column_for_publication_is_shown_as_numbers_and_explained(people: Dataset) -> None:
    """It ends under one another with thousands set off, in the terminal and in a notebook."""
    found = people.tables("SELECT sex, COUNT(*) AS n FROM people GROUP BY CUBE(sex)", epsilon=1)
    whole = found.table("sex").rendered["n_published"].values.values
    shown, notebook = found.text(), found._repr_html_()
    first, second = (line for line in shown.splitlines() if line.startswith((" f ", " m ")))
    assert [first.split()[-1], second.split()[-1]] == [f"{each:,}" for each in whole]
    assert len(first) == len(second)
    assert "n_published: for print: whole numbers, none negative" in shown
    assert all(f">{each:,}</td>" in notebook for each in whole)
    widths = {row.count("<td ") + row.count("<th ") + row.count("colspan=2") for row in notebook.split("<tr>")[1:]}
    assert len(widths) == 2  # that of the table by sex, and that of the total
    assert found.meaning.startswith("Hidden is whether one person is in the data. ")
    alone = people.tables("SELECT sex, SUM(income) AS s FROM people GROUP BY CUBE(sex)", epsilon=1)
    assert "for print" not in alone.text()


def test_several_selects_may_be_a_list(people: Dataset) -> None:
    """A text of it may end with a comment; what is no text at all is refused."""
    one, two = "SELECT region, COUNT(*) AS n FROM people GROUP BY region -- first", "SELECT COUNT(*) AS n FROM people;"
    found = people.tables([one, two], epsilon=1)
    assert [each.title for each in found] == ["region", "total"]
    assert people.tables(f"{one}\n;{two}").price.free
    assert "2 tables" in str(people.explain_tables((one, two), epsilon=1))
    assert len(people.workload([one, two], epsilon=1)) == 2
    wrong: list[Any] = [None, 3, [3], {"sql": one}]
    for asked in wrong:
        for ask in (people.tables, people.explain_tables, people.workload, people.explain_workload):
            with pytest.raises(Refused, match="It is neither text nor an ibis expression"):
                ask(asked, epsilon=1)
    with pytest.raises(Refused, match="It is neither text nor an ibis expression"):
        people.weights(wrong[0], epsilon=1, updates=1)
