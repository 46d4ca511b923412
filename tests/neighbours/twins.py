"""Broken twins: each line of defence removed alone, and earlier faults reinserted."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tacit.query.aggregates import aggregate_calls as reading
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.plans.group_keys import KeyRule
from tacit.query.plans.limit import Scaling
from tacit.query.sql import clamp, scan
from tacit.query.sql import fixed_point as steps
from tacit.query.sql.expressions import date_shifts as shifting
from tacit.query.sql.expressions import number_casts as casting_numbers
from tacit.query.sql.expressions import second_line
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.typed import Typed

Patch = pytest.MonkeyPatch


def no_clamp(patch: Patch) -> None:
    """Values are added without the cut to their priced bounds."""

    def loose(sql: str, low: int, high: int, neutral: int = 0) -> clamp.Cut:
        return clamp.Cut(f"CAST(coalesce({sql}, {neutral}) AS HUGEINT)", low, high)

    def loose_float(sql: str, step: Fraction, low: int, high: int, neutral: int = 0) -> clamp.Cut:
        return loose(f"TRY_CAST(floor(({sql}) * {float(1 / step)!r} + 0.5) AS HUGEINT)", low, high, neutral)

    patch.setattr(steps, "cut", loose)
    patch.setattr(steps, "cut_float", loose_float)


def no_second_line(patch: Patch) -> None:
    """No TRY."""
    patch.setattr(second_line, "IS_ON", False)


def wrong_bounds(patch: Patch) -> None:
    """The planner takes every aggregated expression to be within the lowest quarter of its range."""
    real = reading.type_expression

    def believed(node: Any, scope: Any) -> Typed:
        typed = real(node, scope)
        if typed.low is None or typed.high is None or typed.is_constant or typed.keys is not None:
            return typed
        return replace(typed, high=typed.low + Fraction(math.floor((typed.high - typed.low) / 4)))

    patch.setattr(reading, "type_expression", believed)


def months_in_order(patch: Patch) -> None:
    """A shift by months is believed to keep the order of moments."""
    patch.setattr(shifting, "_turns", lambda value: (value.low, value.high))


def decimals_of_floats(patch: Patch) -> None:
    """A float cast to a decimal is believed to be the decimal next to it."""

    def cut(low: Fraction, high: Fraction, scale: int) -> Interval:
        return Interval(
            Fraction(math.floor(low * 10**scale), 10**scale), Fraction(math.ceil(high * 10**scale), 10**scale)
        )

    patch.setattr(casting_numbers, "_cut", cut)


def narrow_decimals(patch: Patch) -> None:
    """A decimal of 18 digits is multiplied in 64 bits, which raises."""
    patch.setattr(casting_numbers, "_WORD_DIGITS", 99)


def names_by_collation(patch: Patch) -> None:
    """People are compared by the collations of their identifiers' columns."""
    patch.setattr(scan, "in_type", lambda reference, kind, common: f"CAST({reference} AS {common})")


def one_row_more(patch: Patch) -> None:
    """A person with one row too many is not scaled: ≥ for > in the other direction."""
    real = RanksBlock.few.fget
    patch.setattr(RanksBlock, "few", property(lambda block: real(block) + 1))


def full_weights(patch: Patch) -> None:
    """A person's weight is not shared among the keys they hold."""
    real = KeyRule.weight
    patch.setattr(KeyRule, "weight", lambda rule, keys: real(rule, "1"))


def loose_totals(patch: Patch) -> None:
    """A person's total is not cut at its limit."""
    patch.setattr(Scaling, "near", Scaling.far)
