"""Intervals above the noise: they contain every value that operands permit, and miss at most as often as stated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.query.above.sketches import AGGREGATES, EXPRESSIONS, checked, points, rendered

from tacit.query.post_noise.estimates import Estimates, Groups, Keys
from tacit.query.post_noise.expression import EvaluationFrame, evaluate
from tacit.query.post_noise.interval_arithmetic import divide
from tacit.query.post_noise.operations import OPERATIONS

LAW = {-2: Fraction(1, 64), -1: Fraction(5, 64), 0: Fraction(52, 64), 1: Fraction(5, 64), 2: Fraction(1, 64)}


@dataclass(frozen=True, eq=False)
class Bounded:
    """Given points with given ends, for every confidence."""

    value: list[float]
    low: list[float]
    high: list[float]

    def at(self, confidence: Fraction) -> Estimates:
        return Estimates(*(np.array(part, np.float64) for part in (self.value, self.low, self.high)))


@dataclass(frozen=True, eq=False)
class Shaken:
    """A noisy number whose noise has the law above: its reach at a confidence is the law's exact quantile."""

    value: float

    def at(self, confidence: Fraction) -> Estimates:
        reach = next(r for r in range(3) if sum(mass for x, mass in LAW.items() if abs(x) <= r) >= confidence)
        point = np.array([self.value])
        return Estimates(point, point - reach, point + reach, whole=True)


Spans: TypeAlias = tuple[tuple[float, float, float, float], ...]
ENDS = st.sampled_from([-4.0, -1.5, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 8.0])
SPANS = st.tuples(ENDS, ENDS, st.one_of(ENDS, ENDS, st.just(np.nan)), ENDS)


CASES = given(sql=EXPRESSIONS, spans=st.tuples(SPANS, SPANS, SPANS), age=st.one_of(st.none(), st.integers(-1, 2)))


@settings(max_examples=100)
@CASES
def test_the_interval_holds_every_value_the_operands_may_have(sql: str, spans: Spans, age: int | None) -> None:
    """Inclusion: wherever point and truth lie in the operands' intervals, the result's interval holds the truth."""
    escapes = _escapes(sql, spans, age)
    assume(escapes is not None)
    assert not escapes, (sql, spans, age)


@pytest.mark.long
@settings(max_examples=5000)
@CASES
def test_the_interval_holds_every_value_at_length(sql: str, spans: Spans, age: int | None) -> None:
    """The same, on many more expressions."""
    assert not _escapes(sql, spans, age), (sql, spans, age)


@pytest.mark.parametrize("name", ["multiply", "subtract", "absolute"])
def test_careless_arithmetic_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check on a twin that sends each end where the point would go fails."""
    honest = OPERATIONS[name]

    def careless(*columns: Estimates) -> Estimates:
        ends = [
            honest(*(Estimates(end, end, end) for end in ends)).value
            for ends in zip(*map(_parts, columns), strict=True)
        ]
        return Estimates(*ends, whole=all(column.whole for column in columns))

    monkeypatch.setitem(OPERATIONS, name, careless)
    sql = {"multiply": "COUNT(*) * SUM(cost)", "subtract": "COUNT(*) - SUM(cost)", "absolute": "ABS(COUNT(*))"}[name]
    spans = [(-4.0, 3.0, point, truth) for point in (-1.0, 0.5) for truth in (-4.0, 0.0, 3.0)]
    assert any(_escapes(sql, (one, other, one), 1) for one in spans for other in spans)
    monkeypatch.undo()
    assert not any(_escapes(sql, (one, other, one), 1) for one in spans for other in spans)


@pytest.mark.parametrize(
    ("sql", "meaning"),
    [
        ("COUNT(*) + SUM(cost)", lambda n, s, t: n + s),
        ("SUM(cost) / COUNT(*)", lambda n, s, t: s / n),
        ("COUNT(*) * SUM(cost) - AVG(cost)", lambda n, s, t: n * s - t),
        ("CASE WHEN COUNT(*) > 10 THEN SUM(cost) ELSE 0 END", lambda n, s, t: s if n > 10 else 0),
        ("GREATEST(COUNT(*), SUM(cost), AVG(cost))", max),
        ("SQRT(ABS(COUNT(*) - SUM(cost)))", lambda n, s, t: sqrt(abs(n - s))),
        ("3 * COUNT(*) + 1", lambda n, s, t: 3 * n + 1),
    ],
)
@pytest.mark.parametrize("confidence", [Fraction(8, 10), Fraction(9, 10), Fraction(95, 100)])
def test_intervals_miss_no_oftener_than_said(
    sql: str, meaning: Callable[[int, int, int], float], confidence: Fraction
) -> None:
    """By enumeration: over all noise, the interval holds the true value with at least the stated probability."""
    assert _coverage(sql, meaning, confidence) >= confidence


def test_an_unshared_confidence_is_caught() -> None:
    """A twin that takes each of several aggregates at the full confidence misses too often."""
    confidence = Fraction(8, 10)
    twin = _coverage("COUNT(*) + SUM(cost)", lambda n, s, t: n + s, confidence, shared=False)
    assert twin < confidence


def test_one_aggregate_keeps_its_own_interval() -> None:
    groups = Groups({}, {"COUNT(*)": Shaken(50.0)}, 1)
    for sql, low, high in (("COUNT(*)", 49, 51), ("-2 * COUNT(*) + 1", -101, -97), ("COUNT(*) / 2", 24.5, 25.5)):
        column = rendered(f"SELECT {sql}", groups, Fraction(9, 10)).columns[0].values
        assert isinstance(column, Estimates)
        assert (column.low[0], column.high[0]) == (low, high)


@pytest.mark.parametrize(
    ("above", "below", "known"),
    [
        ((1, 2), (-1, 1), (-np.inf, np.inf)),
        ((1, 2), (0, 4), (0.25, np.inf)),
        ((-2, -1), (0, 4), (-np.inf, -0.25)),
        ((1, 2), (-4, 0), (-np.inf, -0.25)),
        ((0, 0), (0, 0), (-np.inf, np.inf)),
        ((0, 3), (0, 1), (0, np.inf)),
    ],
)
def test_a_quotient_by_what_may_be_nothing_says_only_what_is_known(
    above: tuple[float, float], below: tuple[float, float], known: tuple[float, float]
) -> None:
    with np.errstate(all="ignore"):
        column = divide(_spanning(*above), _spanning(*below))
    assert np.isnan(column.value[0])
    assert (column.low[0], column.high[0]) == known


def test_missing_ends_are_read_as_nothing_known() -> None:
    groups = Groups({}, {"COUNT(*)": Bounded([np.nan], [np.nan], [np.nan])}, 1)
    column = rendered("SELECT COUNT(*)", groups).columns[0].values
    assert isinstance(column, Estimates)
    assert (column.low[0], column.high[0]) == (-np.inf, np.inf)


def test_a_choice_that_noise_may_have_turned_spans_both_branches() -> None:
    groups = Groups({}, {"COUNT(*)": Bounded([9, 12, 30], [5, 8, 26], [13, 16, 34])}, 3)
    column = rendered("SELECT CASE WHEN COUNT(*) > 15 THEN 100 WHEN COUNT(*) > 10 THEN 50 ELSE 0 END", groups).columns[
        0
    ]
    assert points(column) == [0, 50, 100]
    assert isinstance(column.values, Estimates)
    assert list(zip(column.values.low, column.values.high, strict=True)) == [(0, 50), (0, 100), (100, 100)]


def _coverage(
    sql: str, meaning: Callable[[int, int, int], float], confidence: Fraction, *, shared: bool = True
) -> Fraction:
    true = (11, 9, 12)
    expression = checked(f"SELECT {sql}").items[0].expression
    held = Fraction(0)
    for noise in product(LAW, repeat=3):
        values = {name: Shaken(t + x) for name, t, x in zip(AGGREGATES, true, noise, strict=True)}
        groups = Groups({}, values, 1)
        at_full = {name: value.at(confidence) for name, value in values.items()}
        column = (
            evaluate(expression, groups, confidence) if shared else expression.over(EvaluationFrame({}, at_full, 1))
        )
        assert isinstance(column, Estimates)
        if column.low[0] - 1e-9 <= meaning(*true) <= column.high[0] + 1e-9:
            held += LAW[noise[0]] * LAW[noise[1]] * LAW[noise[2]]
    return held


def _escapes(sql: str, spans: Spans, age: int | None) -> bool | None:
    """Whether the true value lies outside the interval; None where it is NULL."""
    noisy, exact = {}, {}
    for name, (one, other, a, b) in zip(AGGREGATES, spans, strict=True):
        low, high = min(one, other), max(one, other)
        point, truth = (float(np.clip(x, low, high)) for x in (a, b))  # nan stays, as a missing value
        noisy[name], exact[name] = Bounded([point], [low], [high]), Bounded([truth], [truth], [truth])
    keys, above = {"age": Keys((age,))}, checked(f"SELECT {sql} + 0 * COUNT(*) AS x")
    wanted = points(above.render(Groups(keys, exact, 1), Fraction(1, 2)).columns[0])[0]
    found = above.render(Groups(keys, noisy, 1), Fraction(1, 2)).columns[0].values
    assert isinstance(found, Estimates)
    if wanted is None:
        return None
    slack = 1e-9 * max(1.0, abs(float(str(wanted))))
    return not found.low[0] - slack <= float(str(wanted)) <= found.high[0] + slack


def _parts(column: Estimates) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return column.value, column.low, column.high


def _spanning(low: float, high: float) -> Estimates:
    return Estimates(np.array([(low + high) / 2]), np.array([float(low)]), np.array([float(high)]))
