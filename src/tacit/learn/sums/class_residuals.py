"""The SQL of residuals of several classes: 1 for the class of a row, 0 for others, less their probabilities.

Claim: a row's residuals, whole numbers of 1/`RESIDUAL`, have a squared norm of `row_squared` at most. Proof: their
squares are added up in the SQL itself, as exact integers, and where the sum is larger, all residuals of the row are 0.
Of true probabilities no row is lost: the residual of the row's class is q = 1 − p, those of the others add up to
−q, and so their squares to q² at most; rounding K numbers r to whole steps adds Σ|r| + K/4 ≤ 2·`RESIDUAL` + K at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from tacit.learn.coded_rows import SCORE, level_score_sql
from tacit.learn.sums.bounded_sums import SOURCE
from tacit.query.sql.clamp import Cut, cut, cut_float
from tacit.query.sql.values.storage import double_sql

RESIDUAL: Final = 2**10  # steps of a residual of 1
_FARTHEST: Final = 32 * SCORE  # below the largest score: an exponential of no weight


def row_squared(classes: int) -> int:
    """The largest squared norm of one row's residuals, in steps."""
    return 2 * RESIDUAL**2 + 2 * RESIDUAL + classes


def residual_cuts(classes: int) -> tuple[Cut, ...]:
    """The residuals of a row of `class_residuals_sql`."""
    return tuple(cut(f"r{place}", -RESIDUAL, RESIDUAL).named(f"r{place}") for place in range(classes))


def class_residuals_sql(scores: Sequence[Sequence[Sequence[int]]], classes: int) -> str:
    """One SELECT with columns c0 …, w and r0 …, where each level has a score for each class, in steps of 1/`SCORE`."""
    columns = ", ".join([*(f"c{place}" for place in range(len(scores))), "w"])
    numbers = range(classes)
    summed = [f"{level_score_sql([[level[each] for level in part] for part in scores])} AS z{each}" for each in numbers]
    scored = f'SELECT {columns}, t, {", ".join(summed)} FROM "{SOURCE}"'
    largest = f"greatest({', '.join(f'z{each}' for each in numbers)})"
    zs = ", ".join(f"z{each}" for each in numbers)
    topped = f'SELECT {columns}, t, {zs}, {largest} AS top FROM ({scored}) AS "__scored"'
    exps = ", ".join(f"{_exponential(f'z{each} - top')} AS e{each}" for each in numbers)
    raised = f'SELECT {columns}, t, {exps} FROM ({topped}) AS "__topped"'
    es, whole = ", ".join(f"e{each}" for each in numbers), " + ".join(f"e{each}" for each in numbers)
    shared = f'SELECT {columns}, t, {es}, {whole} AS whole FROM ({raised}) AS "__raised"'
    step = Fraction(1, RESIDUAL)
    residuals = [
        cut_float(f"(CASE WHEN t = {each} THEN 1e0 ELSE 0e0 END - e{each} / whole)", step, -RESIDUAL, RESIDUAL)
        for each in numbers
    ]
    listed = ", ".join(f"{residual} AS r{each}" for each, residual in enumerate(residuals))
    rounded = f'SELECT {columns}, {listed} FROM ({shared}) AS "__shared"'
    names = residual_cuts(classes)
    norm = " + ".join(str(name.squared()) for name in names)
    kept = ", ".join(f"{name.where(f'{norm} <= {row_squared(classes)}')} AS {name}" for name in names)
    return f'SELECT {columns}, {kept} FROM ({rounded}) AS "__rounded"'


def _exponential(steps: str) -> str:
    """The exponential of a score of at most 0, at least e^−32."""
    return f"exp({double_sql(1 / SCORE)} * CAST({cut(steps, -_FARTHEST, 0)} AS DOUBLE))"
