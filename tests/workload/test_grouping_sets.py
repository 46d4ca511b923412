"""CUBE, ROLLUP, GROUPING SETS and several SELECTs: which tables they are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.query.fixtures.rendering import FOLDER, PHYSICAL

from tacit.errors import Refused
from tacit.schema.catalogue import Catalogue
from tacit.schema.reader import read_description
from tacit.workload.grouping_sets import TablesQuestion, read_tables


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue(read_description(FOLDER / "clinic.toml", lambda source, column: []), PHYSICAL)


def sets_of(asked: TablesQuestion) -> list[tuple[str, ...]]:
    return [tuple(asked.question.keys[place].name for place in table.attributes) for table in asked.tables]


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        ("CUBE(region, urgent)", [("region", "urgent"), ("region",), ("urgent",), ()]),
        ("ROLLUP(region, urgent)", [("region", "urgent"), ("region",), ()]),
        ("GROUPING SETS ((region, urgent), icd, ())", [("region", "urgent"), ("icd",), ()]),
        ("icd, ROLLUP(region, urgent)", [("icd", "region", "urgent"), ("icd", "region"), ("icd",)]),
        ("CUBE((region, urgent), icd)", [("region", "urgent", "icd"), ("region", "urgent"), ("icd",), ()]),
        ("ROLLUP(1, 2)", [("region", "urgent"), ("region",), ()]),
        ("region, urgent, region", [("region", "urgent")]),
        ("region, urgent", [("region", "urgent")]),
        ("ALL", [("region", "urgent")]),
    ],
)
def test_sets_are_those_of_sql(catalogue: Catalogue, grouping: str, expected: list[tuple[str, ...]]) -> None:
    asked = read_tables(f"SELECT region, urgent, COUNT(*) FROM visits GROUP BY {grouping}", catalogue)
    assert sets_of(asked) == expected


def test_without_group_by_it_is_the_total(catalogue: Catalogue) -> None:
    assert sets_of(read_tables("SELECT COUNT(*) FROM visits", catalogue)) == [()]


def test_several_selects_are_one_workload(catalogue: Catalogue) -> None:
    asked = read_tables(
        "SELECT region, COUNT(*) FROM visits GROUP BY region; "
        "SELECT urgent, SUM(days) FROM visits GROUP BY CUBE(urgent);",
        catalogue,
    )
    assert sets_of(asked) == [("region",), ("urgent",), ()]
    measured = {part.sql: tables for part, tables in asked.measured().items()}
    assert sorted(measured.values()) == [((0,),), ((1,), ())]


@pytest.mark.parametrize(
    "text",
    [
        "-- first\n{0}; -- by region\n/* all */ {1};",
        "{0}; -- by region\n-- and all\n{1}; -- the end",
        "{0};;{1}; /* the end */",
    ],
)
def test_comments_stand_anywhere(catalogue: Catalogue, text: str) -> None:
    """A comment behind a semicolon is no statement of its own."""
    parts = "SELECT region, COUNT(*) FROM visits GROUP BY region", "SELECT COUNT(*) FROM visits"
    assert sets_of(read_tables(text.format(*parts), catalogue)) == [("region",), ()]


def test_comments_alone_ask_nothing(catalogue: Catalogue) -> None:
    with pytest.raises(Refused, match="an empty text"):
        read_tables("-- SELECT 1;\n/* nothing */ ;", catalogue)


def test_what_is_shown_of_other_keys_is_left_out(catalogue: Catalogue) -> None:
    asked = read_tables(
        "SELECT COALESCE(region, region) AS r, region, urgent, COUNT(*) AS n FROM visits GROUP BY CUBE(region, urgent)",
        catalogue,
    )
    shown = {
        sets: [item.name for item in each.above(asked.question).items]
        for sets, each in zip(sets_of(asked), asked.tables, strict=True)
    }
    assert shown[("region",)] == ["r", "region", "n"]
    assert shown[("urgent",)] == ["urgent", "n"]
    assert shown[()] == ["n"]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT region, COUNT(*) FROM visits GROUP BY CUBE(region) HAVING COUNT(*) > 5", "released whole"),
        ("SELECT region, COUNT(*) FROM visits GROUP BY CUBE(region) ORDER BY 2", "released whole"),
        ("SELECT region, MEDIAN(days) FROM visits GROUP BY CUBE(region)", "counts, sums and means"),
        ("SELECT region, COUNT(DISTINCT patient) FROM visits GROUP BY CUBE(region)", "counts, sums and means"),
        ("SELECT region, VAR_POP(days) FROM visits GROUP BY CUBE(region)", "counts, sums and means"),
        ("SELECT GROUPING(region), COUNT(*) FROM visits GROUP BY CUBE(region)", "a table of its own"),
        ("SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits WHERE urgent", "one FROM and one WHERE"),
        ("SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM calls", "one FROM and one WHERE"),
        ("SELECT patient, COUNT(*) FROM visits GROUP BY CUBE(patient)", "one person"),
        ("SELECT region FROM visits GROUP BY CUBE(region)", ""),
        ("SELECT region, COUNT(*) > 5 AS many FROM visits GROUP BY CUBE(region)", "no interval"),
        ("SELECT region, upper(region) AS up, COUNT(*) FROM visits GROUP BY CUBE(region)", "above the noise"),
        ("DROP TABLE visits", "Only questions"),
        ("", "asks nothing"),
        (
            f"SELECT COUNT(*) FROM visits GROUP BY CUBE({', '.join(f'days % {n}' for n in range(2, 16))})",
            "too many tables",
        ),
    ],
)
def test_what_has_no_joint_release_is_refused(catalogue: Catalogue, sql: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_tables(sql, catalogue)
    assert why in refused.value.why
    assert refused.value.accepted


def test_a_query_says_where_cubes_are_answered(catalogue: Catalogue, tmp_path: Path) -> None:
    from tacit.query.plans.question import read_question

    for grouping in ("CUBE(region)", "ROLLUP(region)", "GROUPING SETS ((region), ())"):
        with pytest.raises(Refused, match="tacit tables"):
            read_question(f"SELECT region, COUNT(*) FROM visits GROUP BY {grouping}", catalogue)
