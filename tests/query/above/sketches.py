"""Noisy columns with given values, and random SQL above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from tacit.query.post_noise.estimates import Estimates, Groups, Keys, OutputColumn, Rendered
from tacit.query.post_noise.post_processing import PostProcessing, read_post_processing
from tacit.schema.kind import Kind

HALF = Fraction(1, 2)
KINDS = {"region": Kind.TEXT, "age": Kind.INTEGER, "day": Kind.DATE, "smoker": Kind.BOOLEAN}
AGGREGATES = ("COUNT(*)", "SUM(cost)", "AVG(cost)")
NUMBERS = st.sampled_from([-7.5, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 10.0, 100.0])


@dataclass(frozen=True, eq=False)
class Known:
    """Values with intervals of a fixed reach on each side, for every confidence."""

    value: Sequence[float | None]
    below: float = 0.0
    above: float = 0.0
    whole: bool = False

    def at(self, confidence: Fraction) -> Estimates:
        value = np.array([np.nan if one is None else one for one in self.value], np.float64)
        missing = np.isnan(value)
        low, high = np.where(missing, -np.inf, value - self.below), np.where(missing, np.inf, value + self.above)
        return Estimates(value, low, high, self.whole)


def select(sql: str) -> exp.Select:
    parsed = parse_one(sql, dialect="duckdb")
    assert isinstance(parsed, exp.Select)
    return parsed


def checked(sql: str, keys: Mapping[str, Kind] = KINDS, aggregates: Sequence[str] = AGGREGATES) -> PostProcessing:
    return read_post_processing(select(sql), keys, aggregates)


def rendered(sql: str, groups: Groups, confidence: Fraction = Fraction(95, 100)) -> Rendered:
    kinds = {name: KINDS[name] for name in groups.keys}
    return checked(sql, kinds, tuple(groups.aggregates)).render(groups, confidence)


def points(column: OutputColumn) -> list[object]:
    """The column's points, None for NULL."""
    if isinstance(column.values, Keys):
        return list(column.values.values)
    return [None if np.isnan(one) else float(one) for one in column.values.value]


def table(keys: Mapping[str, Sequence[object]], aggregates: Mapping[str, Sequence[float | None]]) -> Groups:
    sizes = {len(values) for values in [*keys.values(), *aggregates.values()]}
    exact = {name: Known(values) for name, values in aggregates.items()}
    return Groups({name: Keys(tuple(values)) for name, values in keys.items()}, exact, sizes.pop())


_LEAVES = st.sampled_from([*AGGREGATES, "age", "2", "5e-1", "-15e-1", "3"])


def _numbers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner)
    unary = st.builds("{}({})".format, st.sampled_from(["-", "ABS", "FLOOR", "CEIL", "ROUND"]), inner)
    many = st.builds("{}({}, {})".format, st.sampled_from(["GREATEST", "LEAST", "COALESCE", "NULLIF"]), inner, inner)
    quotient = st.builds("({} / NULLIF({}, 0))".format, inner, inner)
    root = st.builds("SQRT(CASE WHEN {0} >= 0 THEN {0} END)".format, inner)
    rounded = st.builds("ROUND({}, {})".format, inner, st.sampled_from(["1", "-1"]))
    whole = st.builds("CAST({} AS BIGINT)".format, inner)
    case = st.builds("CASE WHEN {} THEN {} WHEN {} THEN {} ELSE {} END".format, *_args(inner))
    bare = st.builds("IF({}, {}, NULL)".format, conditions(inner), inner)
    return st.one_of(binary, binary, quotient, unary, many, root, rounded, whole, case, bare)


def _args(inner: st.SearchStrategy[str]) -> tuple[st.SearchStrategy[str], ...]:
    return conditions(inner), inner, conditions(inner), inner, inner


def conditions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """SQL conditions on numbers."""
    compared = st.builds("({} {} {})".format, inner, st.sampled_from(["<", "<=", "=", "<>", ">", ">="]), inner)
    between = st.builds("({} BETWEEN {} AND {})".format, inner, inner, inner)
    listed = st.builds("({} NOT IN ({}, {}))".format, inner, inner, inner)
    missing = st.builds("({} IS {})".format, inner, st.sampled_from(["NULL", "NOT NULL"]))
    one = st.one_of(compared, compared, between, listed, missing)
    return st.one_of(
        one, st.builds("NOT {}".format, one), st.builds("({} {} {})".format, one, st.sampled_from(["AND", "OR"]), one)
    )


EXPRESSIONS = st.recursive(_LEAVES, _numbers, max_leaves=6)
CONDITIONS = conditions(EXPRESSIONS)
