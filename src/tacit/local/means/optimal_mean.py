"""The best unbiased report of a number for any ε: from a certified table in the package, or from a linear program.

For a small ε it is the one-bit report: two values, with the distance that ε requires. Tables hold whole weights. The
variances of other reports are formulas to compare with: the piecewise and the hybrid report (Wang and others 2019) draw
real numbers, which a device cannot do without rounding.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from itertools import chain, groupby, repeat
from math import expm1, tanh
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, exact, positive
from tacit.local.means.linear_program import SLACK, ProgramShape, solve, whole_weights
from tacit.local.means.mean_response import MeanResponse
from tacit.local.randomizers.randomizer import WeightTable, odds_within


def one_bit(epsilon: Number) -> MeanResponse:
    """Reports (r+1)/(r−1) or its opposite, with odds r : 1 at x = ±1 and evenly at x = 0 (Duchi, Jordan, Wainwright).

    The variance is coth²(ε/2) − x². No report is better for ε → 0, and none is shorter.
    """
    asked = positive(epsilon, "epsilon")
    odds = odds_within(asked)
    high, low = 2 * odds.numerator, 2 * odds.denominator
    rows = ((high, low), ((high + low) // 2,) * 2, (low, high))
    reach, unit = odds.numerator + odds.denominator, odds.numerator - odds.denominator
    return MeanResponse(asked, 1, unit, (-reach, reach), WeightTable(rows))


def kept_epsilons() -> tuple[Fraction, ...]:
    """The ε whose tables are part of the package."""
    return tuple(sorted(map(Fraction, _tables())))


@lru_cache
def read_table(epsilon: Fraction) -> MeanResponse:
    """The response of a kept ε; its claims are checked in whole numbers as those of any other."""
    table = _tables()[str(epsilon)]
    columns: dict[int, list[int]] = {}
    for name, runs in table["columns"].items():
        column = list(chain.from_iterable(repeat(int(weight), count) for count, weight in runs))
        columns[int(name)], columns[-int(name)] = column, column[::-1]
    return assembled_response(epsilon, table["steps"], table["per_unit"], columns)


def assembled_response(epsilon: Fraction, steps: int, per_unit: int, columns: dict[int, list[int]]) -> MeanResponse:
    """The response with these columns of weights, one for each output."""
    outputs = tuple(sorted(columns))
    rows = tuple(zip(*(columns[out] for out in outputs), strict=True))
    return MeanResponse(epsilon, steps, per_unit, outputs, WeightTable(rows))


def tables_text(responses: Iterable[MeanResponse]) -> str:
    """The file format of tables, one line per ε: for each output ≥ 0 runs of equal weights; −out is its reverse."""
    lines = (
        f"{json.dumps(str(each.epsilon))}: {json.dumps(_written(each), separators=(',', ':'))}" for each in responses
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _written(response: MeanResponse) -> dict[str, Any]:
    columns = dict(zip(response.outputs, zip(*response.table.weights, strict=True), strict=True))
    runs = {
        str(out): [[len(list(run)), str(weight)] for weight, run in groupby(column)]
        for out, column in columns.items()
        if out >= 0
    }
    return {"steps": response.steps, "per_unit": response.per_unit, "columns": runs}


@lru_cache
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("tacit.local.means").joinpath("tables.json").read_text("utf-8"))
    return found


_ONE_BIT, _MOST = Fraction(1, 10), Fraction(8)
_WIDEST = 64


def best_mean(epsilon: Number) -> MeanResponse:
    """The response with the least known worst variance for this ε.

    At the ε that were tried (1/4 to 4) it is within 1% of the least that any unbiased ε-local report can have: a dual
    bound holds it. For the ε in `tables.kept()` it is read, else solved for, in seconds; below 1/10 it is the one-bit
    report. In every case its claims are checked in whole numbers.
    """
    asked = positive(epsilon, "epsilon")
    if not asked <= _MOST:
        raise Refused(
            f"a mean at a local ε of {float(asked):g}",
            "The program is not well scaled there.",
            f"ε ≤ {_MOST}: at 8 the standard deviation of a report is 0.08, hardly more than its grid's step.",
        )
    if asked < _ONE_BIT:
        return one_bit(asked)
    return read_table(asked) if asked in kept_epsilons() else solved(asked)


@lru_cache
def solved(epsilon: Fraction) -> MeanResponse:
    """The best table of the shape that suits this ε, solved for and certified."""
    odds, shape = odds_within(epsilon) * (1 - SLACK), shape_for(epsilon)
    return assembled_response(epsilon, shape.steps, shape.per_unit, whole_weights(solve(odds, shape).rows, odds, shape))


def shape_for(epsilon: Fraction) -> ProgramShape:
    """Inputs fine enough that rounding to them costs less than 1%, and outputs as wide as the best table needs.

    The best outputs reach less than 1.4 times as far as those of one bit, coth(ε/2), and hardly farther than those of
    the piecewise report, coth(ε/4).
    """
    steps = 8 if epsilon <= 1 else 16 if epsilon <= 3 else 32 if epsilon <= 6 else 64
    widest = min(1.4 / tanh(float(epsilon) / 2), 1.05 / tanh(float(epsilon) / 4))
    return ProgramShape(steps, max(1, int(_WIDEST / widest)), _WIDEST)


_SWITCH = 0.610986  # below this ε the hybrid is the one-bit report alone


def one_bit_variance(epsilon: Number, value: Number) -> float:
    """coth²(ε/2) − x²; largest at 0."""
    return 1 / tanh(_epsilon(epsilon) / 2) ** 2 - _within(value) ** 2


def piecewise_variance(epsilon: Number, value: Number) -> float:
    """x²/(s−1) + (s+3)/3(s−1)² with s = e^{ε/2}; largest at ±1."""
    less = expm1(_epsilon(epsilon) / 2)
    return _within(value) ** 2 / less + (less + 4) / (3 * less**2)


def hybrid_variance(epsilon: Number, value: Number) -> float:
    """That of the piecewise report with probability 1 − e^{−ε/2}, else of the one-bit report: the same for every x.

    The probability is the best there is for ε > 0.611, and 0 below. Both parts are unbiased, so the variances average.
    """
    share = -expm1(-_epsilon(epsilon) / 2) if _epsilon(epsilon) > _SWITCH else 0.0
    return share * piecewise_variance(epsilon, value) + (1 - share) * one_bit_variance(epsilon, value)


def laplace_variance(epsilon: Number, value: Number) -> float:
    """8/ε², wherever the number lies: Laplace noise on a range of 2."""
    _within(value)
    return 8 / _epsilon(epsilon) ** 2


def _epsilon(epsilon: Number) -> float:
    return float(positive(epsilon, "epsilon"))


def _within(value: Number) -> float:
    read = exact(value, "value")
    if not -1 <= read <= 1:
        raise Refused("a value beyond [−1, 1]", "The formulas do not hold there.", "−1 ≤ value ≤ 1.")
    return float(read)
