"""Bounds by interval arithmetic, and the words for a missing one."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sqlglot
from tests.query.expressions.clinic import SCOPE, typed

from tacit.query.sql.expressions import unbounded_reason


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("cost * stay", 0, 600000),
        ("cost / stay", 0, 20000),
        ("cost / GREATEST(stay, 1)", 0, 20000),
        ("cost / GREATEST(stay, 4)", 0, 5000),
        ("stay - age", -110, 30),
        ("(age - 50) * (stay - 10)", -1000, 1200),
        ("-age", -110, 0),
        ("ABS(age - 50)", 0, 60),
        ("age % 7", 0, 6),
        ("(age - 50) // 7", -7, 8),
        ("LEAST(GREATEST(score, 0), 100)", 0, 100),
        ("LEAST(age, 65)", 0, 65),
        ("COALESCE(age, -1)", -1, 110),
        ("CASE WHEN urgent THEN 2 ELSE age END", 0, 110),
        ("dose * dose", 0, 25),
        ("ROUND(cost, -2)", 0, 20000),
        ("SQRT(cost * 2)", 0, 200),
        ("LN(age)", 0, None),
        ("date_diff('day', day, DATE '2024-03-01')", 20, 107),
        ("DATE '2024-03-01' - day", 20, 107),
    ],
)
def test_bounds_follow_the_arithmetic(text: str, low: int, high: int | None) -> None:
    """R16: the bounds of what is aggregated come from the enforced bounds of its columns."""
    found = typed(text)
    assert found.low == low
    if high is not None:
        assert found.high == high


def test_integers_grow_into_the_wider_type() -> None:
    """Products of unbounded integers need 126 bits; what needs more is refused (R05)."""
    assert (typed("id * id").low, typed("id * id").high) == (-(2**63) * (2**63 - 1), 2**126)


@pytest.mark.parametrize(
    ("text", "why", "cure"),
    [
        ("score", "no declared bounds", "declare min and max of score"),
        ("score + age", "score has no declared bounds", "declare"),
        ("cost / dose", "cost / dose has no bound because dose may be 0.", "cost / GREATEST(dose, 1)"),
        ("age + cost / dose", "cost / dose has no bound", "GREATEST(dose, 1)"),
        ("1 / (dose - 1)", "arbitrarily near to 0", "GREATEST"),
        ("1 / (dose - 5)", "may be 0", "LEAST"),
        ("EXP(age * 10)", "larger than any number", "EXP(LEAST("),
        ("POWER(id, 16) * POWER(id, 16)", "larger than any number", "LEAST("),
    ],
)
def test_a_missing_bound_is_explained(text: str, why: str, cure: str) -> None:
    """R15: a missing bound is refused with the part that lacks it, and with what would supply it."""
    found = unbounded_reason(sqlglot.parse_one(text, dialect="duckdb"), SCOPE)
    assert found is not None
    assert why in found.why
    assert cure in found.cure
    assert str(found) == found.why


def test_what_has_bounds_has_no_reason() -> None:
    """Texts and bounded numbers lack nothing."""
    for text in ("cost / stay", "region", "urgent", "date_trunc('month', day)", "LEAST(GREATEST(score, 0), 9)"):
        assert unbounded_reason(sqlglot.parse_one(text, dialect="duckdb"), SCOPE) is None


def test_the_cure_is_a_cure() -> None:
    """What is offered instead of an unbounded quotient has the bounds it lacked."""
    assert typed("cost / GREATEST(dose, 1)").high == Fraction(20000)
