"""Holes that were closed, put back one at a time: the fuzzer finds each, and no expression of theirs is listed.

Each is looked for in the campaign that every long run of the tests makes, until the first finding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from tests.engines.engines import DuckDBUnderTest
from tests.fuzz.hunting import hunted
from tests.fuzz.lines import first_line_alone

from tacit.query.sql.expressions import conditional
from tacit.query.sql.expressions import date_shifts as shifting
from tacit.query.sql.expressions import leaves as literals
from tacit.query.sql.expressions import number_casts as casting_numbers
from tacit.query.sql.expressions import text_functions as texts
from tacit.query.sql.values import storage
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.typed import Typed


def _old_turns(value: Typed) -> tuple[Fraction, ...]:
    assert value.low is not None
    assert value.high is not None
    return value.low, value.high


def _old_cut(low: Fraction, high: Fraction, scale: int) -> Interval:
    ends = math.floor(low * 10**scale), math.ceil(high * 10**scale)
    return Interval(Fraction(ends[0], 10**scale), Fraction(ends[1], 10**scale))


def _not_cut(sql: str, longest: int) -> str:
    return sql


def _through_decimal(value: Fraction | float) -> str:
    """The double of a literal without exponent as older engines had it: its whole part and the rest, added up."""
    written = repr(float(value))
    if "e" in written:
        return storage.double_sql(value)
    whole, _, rest = written.lstrip("-").partition(".")
    number = float(whole) + float(rest) / 10.0 ** len(rest)
    return storage.double_sql(-number if written.startswith("-") else number)


def _proven(result: Typed, sql: str) -> Typed:
    return Typed(result.kind, sql, result.low, result.high, result.nullable, result.scale, result.keys)


HOLES: Mapping[str, tuple[object, str, object, str]] = {
    "a month shift is monotone": (shifting, "_turns", _old_turns, "INTERVAL"),
    "a float is exact as a decimal": (casting_numbers, "_cut", _old_cut, "AS DECIMAL"),
    "a decimal is multiplied in 64 bits": (casting_numbers, "_WORD_DIGITS", 99, "AS DECIMAL"),
    "a double passes through a decimal": (literals, "double_sql", _through_decimal, "e"),
    "a text grows": (texts, "cut", _not_cut, ""),
    "statistics prove a text to be NULL": (conditional, "_chosen", _proven, "CASE"),
}


@pytest.mark.long
@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_that_is_put_back_is_found(hole: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """R46: at the size of the long tests, by the first line alone."""
    module, name, old, word = HOLES[hole]
    monkeypatch.setattr(module, name, old)
    with first_line_alone():
        assert word in hunted([DuckDBUnderTest()], tmp_path).text
