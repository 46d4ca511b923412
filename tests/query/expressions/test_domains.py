"""Public domains: histograms know all their bars before any data is read (R15, R21)."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from tests.query.expressions.clinic import typed

from tacit.query.sql.expressions import domain

_MONTHS = (date(2023, 11, 1), date(2023, 12, 1), date(2024, 1, 1), date(2024, 2, 1))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("region", {"north", "south", "east", "west"}),
        ("urgent", {False, True}),
        ("age > 40", {False, True}),
        ("stay", set(range(31))),
        ("stay + 1", set(range(1, 32))),
        ("age // 10", set(range(12))),
        ("age // 10 * 10", set(range(0, 111, 10))),
        ("age - age % 10", set(range(-9, 111))),
        ("stay % 7", set(range(7))),
        ("-stay", set(range(-30, 1))),
        ("ROUND(age, -1)", set(range(0, 111, 10))),
        ("FLOOR(cost / 5000)", set(range(5))),
        ("ROUND(cost, -4)", set(range(20001))),
        ("WIDTH_BUCKET(dose, 1, 3, 4)", set(range(6))),
        ("WIDTH_BUCKET(age, 0, 200, 4)", set(range(1, 5))),
        ("CASE WHEN age < 18 THEN 'child' ELSE 'adult' END", {"child", "adult"}),
        ("CASE WHEN urgent THEN region ELSE 'calm' END", {"north", "south", "east", "west", "calm"}),
        ("CASE region WHEN 'north' THEN 1 WHEN 'south' THEN 2 ELSE 0 END", {0, 1, 2}),
        ("COALESCE(region, 'none')", {"north", "south", "east", "west", "none"}),
        ("UPPER(LEFT(region, 1))", {"N", "S", "E", "W"}),
        ("LENGTH(region)", {4, 5}),
        (
            "region || '-' || CAST(urgent AS VARCHAR)",
            {f"{r}-{u}" for r in ("north", "south", "east", "west") for u in ("true", "false")},
        ),
        ("date_trunc('month', day)", set(_MONTHS)),
        ("date_trunc('year', day)", {date(2023, 1, 1), date(2024, 1, 1)}),
        ("date_trunc('quarter', CAST(day AS TIMESTAMP))", {datetime(2023, 10, 1), datetime(2024, 1, 1)}),
        ("date_trunc('week', day)", {date.fromordinal(date(2023, 11, 13).toordinal() + 7 * n) for n in range(13)}),
        ("day", {date.fromordinal(date(2023, 11, 15).toordinal() + n) for n in range(88)}),
        ("YEAR(day)", {2023, 2024}),
        ("EXTRACT(DOW FROM moment)", set(range(7))),
        ("HOUR(moment)", set(range(24))),
        ("7", {7}),
        ("'x'", {"x"}),
        ("NULL", set()),
        ("DATE '2024-01-31'", {date(2024, 1, 31)}),
        ("NULLIF(region, 'north')", {"north", "south", "east", "west"}),
    ],
)
def test_the_domain_is_known_while_planning(text: str, values: set[object]) -> None:
    """From declared keys and bounds through the expression; `ROUND(cost, -4)` shows that it may be a superset."""
    known = domain(typed(text))
    if text == "ROUND(cost, -4)":
        assert known is None  # more than 9,000 values between its bounds
    else:
        assert known is not None
        assert set(known) == values
        assert len(known) == len(values)


@pytest.mark.parametrize(
    "text", ["ward", "id", "cost", "dose", "born", "YEAR(born)", "LOWER(ward)", "moment", "id % 10000"]
)
def test_there_is_no_domain_without_a_declaration(text: str) -> None:
    """Texts without keys, unbounded numbers, dates of ten thousand years: nobody can list them."""
    assert domain(typed(text)) is None
