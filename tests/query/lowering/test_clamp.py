"""Summed values: within their bounds for every input, and created in one place."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit.query
from tacit.query.sql.clamp import Cut, cut, cut_float, one_where, total, word_sum

_WIDE = st.one_of(st.integers(-(2**127), 2**127 - 1), st.sampled_from([0, 1, -1, 2**63, -(2**63), 2**62, -(2**127)]))
_BOUND = st.one_of(st.integers(-(2**60), 2**60), st.integers(-9, 9))
_STEPS = st.integers(-(2**51), 2**51)
_CONNECTION = duckdb.connect()
_SOURCES = Path(tacit.query.__file__).parent


def evaluated(value: Cut, of: str) -> object:
    """The value, where x is a column and where it is an expression."""
    (found,) = _CONNECTION.execute(f"SELECT {value} FROM (SELECT {of} AS x)").fetchone() or (None,)
    return found


@pytest.mark.parametrize("name", ["x", "(x + 0)"])
@given(value=st.none() | _WIDE, ends=st.tuples(_BOUND, _BOUND), neutral=_BOUND)
def test_an_integer_is_cut(name: str, value: int | None, ends: tuple[int, int], neutral: int) -> None:
    """R16: NULL is neutral, the rest is the nearest within bounds; every operation stays within what it says."""
    low, high = sorted(ends)
    made = cut(name, low, high, neutral)
    of = "CAST(NULL AS HUGEINT)" if value is None else f"CAST('{value}' AS HUGEINT)"
    expected = neutral if value is None else min(max(value, made.low), made.high)
    assert evaluated(made, of) == expected
    assert made.low == min(low, neutral)
    assert made.high == max(high, neutral)
    centre = (low + high) // 2
    for each in (
        made.minus(centre),
        made.absolute(),
        made.squared(),
        made.squared(2**61),
        made.multiplied(cut("x", -7, 4)),
        made.multiplied(cut("(x // 2)", -7, 2), 5),
        made.where("x > 0"),
        made.where("x > 0", cut("x", 3, 4, 3)),
        made.scaled(1, 3),
        made.within(5),
        made.shrunk("CAST(0.3 AS DOUBLE)"),
    ):
        found = evaluated(each, of)
        assert isinstance(found, int)
        assert each.low <= found <= each.high


@pytest.mark.parametrize("name", ["x", "(x + 0e0)"])
@given(
    value=st.none() | st.floats(allow_nan=True, allow_infinity=True),
    ends=st.tuples(_STEPS, _STEPS),
    neutral=_STEPS,
    power=st.integers(-100, 900),
)
def test_a_double_is_cut(name: str, value: float | None, ends: tuple[int, int], neutral: int, power: int) -> None:
    """R16: the cast to steps never fails, and is the nearest step, a half up."""
    low, high = sorted(ends)
    step = Fraction(2) ** power
    made = cut_float(name, step, low, high, neutral)
    of = "CAST(NULL AS DOUBLE)" if value is None else f"CAST('{value!r}' AS DOUBLE)"
    found = evaluated(made, of)
    assert isinstance(found, int)
    assert made.low <= found <= made.high
    if value is None:
        assert found == neutral
    elif abs(value) < 1e300 and made.low < Fraction(value) / step < made.high:
        assert abs(Fraction(value) / step - found) <= Fraction(1, 2)


def test_sums_of_wide_values_do_not_overflow() -> None:
    """R05: several words in one sum are added in 128 bits."""
    word = cut("x", -(2**62), 2**62)
    (found,) = _CONNECTION.execute(
        f"SELECT {total(word, word, word)} FROM (SELECT {2**62} AS x FROM range(1000))"
    ).fetchone() or (None,)
    assert found == 3000 * 2**62
    with pytest.raises(OverflowError):
        total(word.squared())
    (found,) = _CONNECTION.execute(f"SELECT {word_sum(one_where('x'))} FROM (SELECT TRUE AS x LIMIT 0)").fetchone() or (
        None,
    )
    assert found == 0


def written_in(pattern: str) -> set[str]:
    """The files of queries whose text matches, but for what analysts write and what translates."""
    left_out = {"post_noise", "simplification", "engines/postgres/dialect.py"}
    files = [path for path in _SOURCES.rglob("*.py") if not any(name in path.as_posix() for name in left_out)]
    return {path.relative_to(_SOURCES).as_posix() for path in files if re.search(pattern, path.read_text("utf-8"))}


def test_sums_are_written_in_one_place() -> None:
    """No other file writes a sum of something, or says of a text that it was cut."""
    assert written_in(r"SUM\(\{") == {"sql/clamp.py"}
    assert written_in(r"\bCut\(") == {"sql/clamp.py"}
    assert "lowering/tally.py" in written_in(r"\bCut\b")
