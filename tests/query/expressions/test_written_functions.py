"""Functions that are written with others have DuckDB's own values, and patterns match what Python's engine matches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from random import Random

import duckdb
import pytest
from tests.query.expressions.clinic import create, typed

from tacit.errors import Refused
from tacit.query.sql.values.domains import domain

MOMENTS = [
    *(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), datetime(2024, 2, 29, 0, 0, 1), datetime(2023, 1, 1, 12)),
    *(datetime(2024, 12, 30, 11, 59), datetime(2020, 12, 31, 13), datetime(5, 3, 4, 1, 2, 3), datetime(2026, 1, 4)),
]
WARDS = [
    *("", "a", "N123UA", "N1UA", "N12UAx", "cardiology", "neuro", "a-b-c", "100%", "a_b", "é😀x", "01/06/2025", "x\ny"),
    *("2025-01-31", "2025-02-30", "2025-1-31", "2025-01-3x", "abab", "Ab12 ", "!x", "1st-4th", "-", "--", " 1/06/2025"),
]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(create())
        for place, moment in enumerate(MOMENTS):
            opened.execute("INSERT INTO visits (id, born, moment) VALUES (?, ?, ?)", [place, moment.date(), moment])
        for place, ward in enumerate(WARDS, start=len(MOMENTS)):
            opened.execute("INSERT INTO visits (id, ward) VALUES (?, ?)", [place, ward])
        yield opened


def values(connection: duckdb.DuckDBPyConnection, sql: str) -> list[object]:
    return [found for (found,) in connection.execute(f'SELECT {sql} FROM visits ORDER BY "id"').fetchall()]


@pytest.mark.parametrize(
    "call",
    [
        *("MONTHNAME(moment)", "DAYNAME(born)", "LAST_DAY(born)", "LAST_DAY(moment)", "date_part('isoyear', moment)"),
        *(f"STRFTIME(moment, '%{code}')" for code in [*"YymdjBbAaWUVGuwTHMSIp%", "-d", "-m", "-H"] if code != "%"),
        *("STRFTIME(born, '%Y-%m-%d %H')", "STRFTIME(born, 'in %B, %%')", "STRPTIME('31/12/2025', '%d/%m/%Y')"),
        *("REPLACE(ward, 'a', 'xyz')", "REPLACE(ward, 'ab', '')", "REPLACE(ward, '-', '_')", "ISNAN(dose)"),
        *("SPLIT_PART(ward, '-', 2)", "SPLIT_PART(ward, 'b', 1)", "LPAD(ward, 4, 'xy')", "RPAD(ward, 4, '-')"),
        *("STRPOS(ward, 'a')", "POSITION('' IN ward)", "INSTR(ward, '😀')", "ward || 12", "CONCAT(ward, born)"),
        *("TRY_STRPTIME(ward, '%Y%m%d')", "CBRT(id)"),
    ],
)
def test_values_are_duckdbs(call: str, connection: duckdb.DuckDBPyConnection) -> None:
    assert values(connection, typed(call).sql) == values(connection, call)


def test_a_date_is_made_where_the_calendar_has_it(connection: duckdb.DuckDBPyConnection) -> None:
    for year, month, day in [(2024, 2, 29), (2023, 2, 29), (0, 1, 1), (10000, 1, 1), (5, 3, 4), (2024, 13, 1)]:
        try:
            expected = date(year, month, day)
        except ValueError:
            expected = None
        assert values(connection, typed(f"MAKE_DATE({year}, {month}, {day})").sql)[0] == expected


def test_a_text_is_read_where_each_part_has_all_its_digits(connection: duckdb.DuckDBPyConnection) -> None:
    found = values(connection, typed("TO_DATE(ward, 'DD/MM/YYYY')").sql)[len(MOMENTS) :]
    assert [day for day in found if day is not None] == [date(2025, 6, 1)]
    assert found.index(date(2025, 6, 1)) == WARDS.index("01/06/2025")
    found = values(connection, typed("STRPTIME(ward, '%Y-%m-%d')").sql)[len(MOMENTS) :]
    assert {WARDS[at]: day for at, day in enumerate(found) if day is not None} == {"2025-01-31": datetime(2025, 1, 31)}


def test_formats_of_bounded_days_have_public_keys() -> None:
    """A month is a key like any other: all of them are shown."""
    assert domain(typed("STRFTIME(day, '%Y-%m')")) == ("2023-11", "2023-12", "2024-01", "2024-02")
    assert domain(typed("TO_CHAR(day, 'YYYY')")) == ("2023", "2024")
    assert len(domain(typed("DAYNAME(born)")) or ()) == 7
    assert domain(typed("SPLIT_PART(region, 'o', 1)")) == ("n", "s", "east", "west")


PATTERNS = [
    *(
        "a",
        "^a",
        "a$",
        "^(card|neuro)",
        "^N[0-9]+UA$",
        "a.b",
        "a.*b",
        "^[a-z]+$",
        "[0-9]",
        r"^\d{2}/\d\d/",
        "a|^N",
        "%",
    ),
    *(
        "_",
        "^$",
        "^[A-Z]+[0-9]*$",
        r"^\w+ $",
        "^.[a-z]",
        "b-|x",
        r"\.",
        "^(1st|5th)-.th$",
        "^!",
        "^[-]*$",
        "^[-]+$",
        "é.x",
    ),
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_python_matches(pattern: str, connection: duckdb.DuckDBPyConnection) -> None:
    quoted = pattern.replace("'", "''")
    found = values(connection, typed(f"REGEXP_MATCHES(ward, '{quoted}')").sql)[len(MOMENTS) :]
    plain = re.sub(r"(?<!\\)\$$", r"\\Z", pattern)
    assert found == [re.search(plain, ward, re.DOTALL | re.ASCII) is not None for ward in WARDS]


def test_patterns_at_random(connection: duckdb.DuckDBPyConnection) -> None:
    """Any pattern that is accepted means what it means elsewhere."""
    random, tried = Random(5), 0
    pieces = [
        "a",
        "b",
        "-",
        ".",
        ".*",
        ".+",
        "(a|Ab)",
        "[a-z]",
        "[a-z]+",
        "[0-9]*",
        "^",
        "$",
        "|",
        r"\d",
        "1",
        "N",
        "{2}",
    ]
    for _ in range(400):
        pattern = "".join(random.choice(pieces) for _ in range(random.randint(1, 5)))
        try:
            sql = typed(f"REGEXP_MATCHES(ward, '{pattern}')").sql
        except Refused:
            continue
        tried += 1
        found = values(connection, sql)[len(MOMENTS) :]
        plain = "|".join(re.sub(r"\$$", r"\\Z", each) for each in re.split(r"\|(?![^(]*\))", pattern))
        expected = [re.search(plain, ward, re.DOTALL | re.ASCII) is not None for ward in WARDS]
        assert found == expected, pattern
    assert tried > 60


def test_similar_to_is_the_whole_text(connection: duckdb.DuckDBPyConnection) -> None:
    found = values(connection, typed("ward SIMILAR TO '(card|1st)%'").sql)[len(MOMENTS) :]
    assert [ward for ward, is_like in zip(WARDS, found, strict=True) if is_like] == ["cardiology", "1st-4th"]
    found = values(connection, typed("ward SIMILAR TO '[a-z]+'").sql)[len(MOMENTS) :]
    assert [ward for ward, is_like in zip(WARDS, found, strict=True) if is_like] == ["a", "cardiology", "neuro", "abab"]
