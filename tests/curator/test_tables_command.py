"""`tacit tables`, `tacit explain` of tables, and `tacit query` beside them, as people type them."""

from __future__ import annotations

import json

import pytest
from tests.curator.clinic_command import DESCRIPTION, Clinic

import tacit

CUBE = "SELECT region, ward, COUNT(*) AS n FROM visits GROUP BY CUBE(region, ward)"
PAIR = "SELECT region, age // 30 AS third, COUNT(*) AS n FROM visits GROUP BY CUBE(region, third)"
PEOPLE = DESCRIPTION.replace('{ id = "patient_id", hides', "{ row = true, hides").replace("limits = { rows = 6 }\n", "")


@pytest.fixture
def people(clinic: Clinic) -> Clinic:
    """The clinic with one row per person, so that no one is scaled."""
    (clinic.folder / "clinic.toml").write_text(PEOPLE)
    return clinic


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_tables_are_shown_with_their_errors_and_one_price(clinic: Clinic) -> None:
    ended = clinic.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1")
    assert (ended.code, ended.err) == (0, "")
    said = one_line(ended.out)
    for title in ("region, ward\n", "\nregion\n", "\nward\n", "\ntotal\n"):
        assert title in ended.out
    assert "4 tables, 16 cells; margins add up exactly. ± " in said
    assert "in the largest table, ± " in said
    assert "Every later question that is a sum of their cells is free." in said
    assert "One person counts for at most 6 rows" in said
    assert "This release alone: ε = 1, δ = 1e-09." in said
    again = clinic.tacit("tables", "clinic.toml", CUBE)
    assert "Answered from an earlier release: free." in one_line(again.out)
    assert again.out.partition(" 4 tables")[0] == ended.out.partition(" 4 tables")[0]
    assert "tables: SELECT region, ward, COUNT(*)" in clinic.tacit("budget", "clinic.toml").out
    (entry,) = json.loads(clinic.left())["entries"]
    assert entry["kind"] == "tables"


def test_a_file_may_hold_several_selects_with_comments(clinic: Clinic) -> None:
    text = """\
    -- what the town hall prints
    SELECT region, COUNT(*) AS n FROM visits GROUP BY region;
    /* and the wards */ SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward;
    """
    (clinic.folder / "publication.sql").write_text(text, encoding="utf-8")
    by_name = clinic.tacit("tables", "clinic.toml", "publication.sql", "--epsilon", "1")
    assert by_name.code == 0
    said = one_line(by_name.out)
    assert "2 tables, 6 cells; margins that two tables share agree." in said
    assert "published" not in said
    for again in (("@publication.sql",), ("-",)):
        found = clinic.tacit("tables", "clinic.toml", *again, stdin=text)
        assert "free." in found.out


REFUSALS = (
    (CUBE, (), "No earlier release holds them.", "epsilon (--epsilon 1)"),
    (CUBE, ("--epsilon", "nan"), "It cannot be read as a finite number.", "a finite number"),
    (CUBE, ("--epsilon", "300"), "every component must fit", "a smaller epsilon or a larger error"),
    (CUBE, ("--epsilon", "1", "--weight", "rows"), "There is no such weighting.", "--weight tables"),
    (CUBE, ("--epsilon", "1", "--format", "csv"), "Several tables are several files.", "--out folder"),
    (CUBE, ("--epsilon", "1", "--interval", "guaranteed"), "Nothing declares the most", "at_most"),
    ("SELECT regoin, COUNT(*) FROM visits GROUP BY CUBE(regoin)", ("--epsilon", "1"), "no such column", "region"),
    (f"{CUBE} HAVING COUNT(*) > 3", ("--epsilon", "1"), "Tables are released whole", "the tables without it"),
    (f"{CUBE}; SELECT COUNT(*) FROM visits WHERE age > 9", ("--epsilon", "1"), "one FROM and one WHERE", "the same"),
    ("SELECT region FROM visits GROUP BY CUBE(region)", ("--epsilon", "1"), "people's own rows", "COUNT(*)"),
    (
        "SELECT region, COUNT(*) / SUM(COUNT(*)) OVER () FROM visits GROUP BY CUBE(region)",
        ("--epsilon", "1"),
        "A window function combines",
        "`tacit workload` for running totals",
    ),
    ("SELECT MEDIAN(cost) FROM visits GROUP BY CUBE(region)", ("--epsilon", "1"), "add up hold counts", "COUNT(*)"),
    ("SELECT COUNT(*) FROM visits GROUP BY CUBE(patient_id)", ("--epsilon", "1"), "one person", "in a sub-query"),
    ("empty.sql", ("--epsilon", "1"), "The file is empty.", "SELECT"),
    ("gone.sql", ("--epsilon", "1"), "There is no such file.", "a file that is there"),
    ("people.sql", ("--epsilon", "1"), "it breaks at visits in line 3, column", "SELECT"),
    ("notes.txt", ("--epsilon", "1"), "It is the name of a file.", "@notes.txt"),
    ("", ("--epsilon", "1"), "asks nothing", "SELECT"),
    (
        f"SELECT COUNT(*) FROM visits GROUP BY CUBE({', '.join(f'age + {i}' for i in range(13))})",
        ("--epsilon", "1"),
        "too many tables",
        "at most 12",
    ),
)


@pytest.mark.parametrize(("sql", "options", "why", "accepted"), REFUSALS, ids=lambda each: str(each)[:30])
def test_what_cannot_be_answered_says_why_and_what_can(
    clinic: Clinic, sql: str, options: tuple[str, ...], why: str, accepted: str
) -> None:
    (clinic.folder / "empty.sql").write_text("  \n")
    (clinic.folder / "notes.txt").write_text(CUBE)
    (clinic.folder / "people.sql").write_bytes(f"{CUBE};\r\n-- année\r\nSELECT COUNT(*) FORM visits;\r\n".encode())
    ended = clinic.tacit("tables", "clinic.toml", sql, *options)
    refused, _, instead = one_line(ended.err).partition("Accepted instead: ")
    assert (ended.code, ended.out) == (2, "")
    assert refused.startswith("Refused, nothing spent: ")
    assert why in refused
    assert accepted in instead
    assert clinic.entries() == []


@pytest.mark.parametrize("group", ["CUBE(region)", "ROLLUP(region)", "GROUPING SETS ((region), ())"])
def test_a_query_by_several_groupings_is_sent_to_tables(clinic: Clinic, group: str) -> None:
    for command in (("query", "--epsilon", "1"), ("query",)):
        sql = f"SELECT region, COUNT(*) FROM visits GROUP BY {group}"
        ended = clinic.tacit(command[0], "clinic.toml", sql, *command[1:])
        assert ended.code == 2
        assert "`tacit tables`, which releases them together" in one_line(ended.err)
    assert clinic.entries() == []


def test_a_query_of_several_selects_is_sent_to_tables(clinic: Clinic) -> None:
    ended = clinic.tacit("query", "clinic.toml", "SELECT COUNT(*) FROM visits; SELECT 1", "--epsilon", "1")
    assert ended.code == 2
    assert "2 SELECTs in one query. A query is one table." in one_line(ended.err)
    assert "`tacit tables`" in ended.err


def test_explain_says_the_price_and_the_errors_beforehand(people: Clinic) -> None:
    """One row per person: the expected errors are those of the intervals."""
    ended = people.tacit("explain", "clinic.toml", PAIR, "--epsilon", "1")
    said = one_line(ended.out)
    assert ended.code == 0
    assert "4 tables at one price, 24 cells; their margins agree." in said
    assert " is within 1.0" in said
    assert "they would be 1." in said
    assert people.entries() == []
    found = people.tacit("tables", "clinic.toml", PAIR, "--epsilon", "1")
    for title in ("region, third (15 cells)", "total (1 cell)"):
        expected = said.partition(f"{title}: COUNT(*) ")[2].split(" ")[1]
        assert f"± {expected}" in found.out
    again = one_line(people.tacit("explain", "clinic.toml", PAIR, "--epsilon", "1").out)
    assert "An earlier release answers this: asking is free." in again
    cells = people.tacit("explain", "clinic.toml", PAIR, "--epsilon", "1", "--weight", "cells")
    assert one_line(cells.out) != said


def test_explain_says_what_is_known_with_the_answer(clinic: Clinic) -> None:
    said = one_line(clinic.tacit("explain", "clinic.toml", CUBE, "--epsilon", "1").out)
    assert "4 tables at one price; how many cells is known with the answer, since values of ward are private" in said
    assert "Expected ±: known with the answer, since a person may have several rows" in said
    assert clinic.tacit("explain", "clinic.toml", CUBE, "--error", "5").code == 2
    assert clinic.entries() == []


def test_what_tables_imply_says_so(clinic: Clinic) -> None:
    clinic.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1")
    sql = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
    before = clinic.left()
    said = one_line(clinic.tacit("query", "clinic.toml", sql).out)
    assert "Added up from cells of the tables released together as entry 2 of the ledger" in said
    assert "each interval is from the covariance of their noise." in said
    assert "One person counts for at most 6 rows" in said
    assert "ward" not in said
    assert "Answered from an earlier release: free." in said
    assert "Noise helped" not in said
    first = clinic.tacit("query", "clinic.toml", f"{sql} ORDER BY n DESC LIMIT 1").out
    assert "Noise helped to choose which groups are shown" in one_line(first)
    told = one_line(clinic.tacit("explain", "clinic.toml", sql, "--epsilon", "0.1").out)
    assert "An earlier release answers this: asking is free." in told
    assert "entry 2 of the ledger" in told
    assert "The noise alone, 95%, at most: COUNT(*) ± " in told
    assert told.endswith("No SQL is sent to the engine.")
    assert clinic.left() == before


def test_many_tables_are_a_summary(people: Clinic) -> None:
    """Sixteen tables: the terminal lists the first twelve, and fits 80 columns."""
    sql = "SELECT region, age // 30 AS a, age // 45 AS b, age // 60 AS c, COUNT(*) AS n FROM visits GROUP BY ALL"
    sql = sql.replace("GROUP BY ALL", "GROUP BY CUBE(region, a, b, c)")
    with tacit.open(people.folder / "clinic.toml") as dataset:
        found = dataset.tables(sql, epsilon=1)
    lines = found.text(80).split("\n")
    assert lines[0].startswith(" region, a, b, c: ")
    assert lines[12] == " … and 4 more tables"
    assert max(map(len, lines)) <= 80
    assert found["c, region"].rendered.size == found.table("region", "c").rendered.size == 9
    assert "<h4>" not in found._repr_html_()
    with pytest.raises(tacit.Refused, match="It was not asked for"):
        found["ward"]


def test_tables_show_keys_that_their_select_left_out(people: Clinic) -> None:
    with tacit.open(people.folder / "clinic.toml") as dataset:
        found = dataset.tables("SELECT COUNT(*) AS n, region FROM visits GROUP BY CUBE(region, age // 60)", epsilon=1)
    names = [[column.name for column in each.release.rendered.columns] for each in found]
    assert names[0] == ["region", "age // 60", "n", "n_published"]
    assert names[1] == ["n", "n_published", "region"]


def test_names_of_columns_and_files_stay_apart(people: Clinic) -> None:
    """A column that is called as the one for publication would be; two tables whose titles are one file name."""
    sql = "SELECT age // 60 AS k, COUNT(*) AS n, SUM(age) AS n_published FROM visits GROUP BY ROLLUP(k)"
    other = 'SELECT region AS "a 2", age // 60 AS a, COUNT(*) FROM visits GROUP BY GROUPING SETS ((a), ("a 2"), (a))'
    with tacit.open(people.folder / "clinic.toml") as dataset:
        columns = [column.name for column in dataset.tables(sql, epsilon=1)["k"].rendered.columns]
        files = [each.name for each in dataset.tables(other, epsilon=1)]
    assert columns == ["k", "n", "n_published"]
    assert files == ["a", "a-2", "a-3"]


def test_the_help_has_an_example(clinic: Clinic) -> None:
    ended = clinic.tacit("tables", "--help")
    assert ended.code == 0
    assert "GROUP BY CUBE(region, ward)" in one_line(ended.out)
    assert "several tables together" in clinic.tacit("--help").out.lower()
