"""Conditions and numbers over released keys, by cell: where they are the same for every row in it.

A cell of a public key holds the rows of one value. The cell NULL of a private key also holds the rows of all values
that are not shown, so that what depends on these is not known of a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.query.aggregates.aggregate import Aggregate, Measure
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.post_noise.conditions import Both, Comparison, Not
from tacit.query.post_noise.expression import Constant, Expression, KeyReference
from tacit.query.post_noise.operations import Case
from tacit.workload.public_functions import Shown

_WHOLE = 64  # letters of a text that are never cut
_MOST = 2**53  # steps, on which doubles are exact

Hidden = Mapping[str, set[Shown]]
"""The values that are shown of each private key, and none of what is computed from one."""


def is_of_shown(condition: Expression, private: Hidden) -> bool:
    """Whether a condition over private keys is true of a cell as of each row in it.

    Claim: so it is of AND and OR over comparisons of such a key, by =, with a value that is shown. Proof: the rows in
    the cell NULL have other values, or none. Each comparison is then false, or NULL; on the cell it is NULL. AND and OR
    are least and greatest in the order false, NULL, true, so that what is not true may be either without changing
    whether they are true. (Shown texts may be cut: a short one is not.)
    """
    if not private.keys() & condition.keys:
        return True
    match condition:
        case Both(left, right) | Not(Both(Not(left), Not(right))):
            return is_of_shown(left, private) and is_of_shown(right, private)
        case Comparison("=", KeyReference(name), Constant(value)) | Comparison(
            "=", Constant(value), KeyReference(name)
        ):
            return value in private[name] and len(str(value)) < _WHOLE
    return False


def is_number_of_shown(value: Expression, private: Hidden) -> bool:
    """Whether a number over private keys is that of each row in a cell: a CASE whose conditions are `is_of_shown`.

    A branch is taken where its condition is true, so that false and NULL are the same to it.
    """
    if not private.keys() & value.keys:
        return True
    if not isinstance(value, Case):
        return False
    chosen = (*(each for _, each in value.branches), value.otherwise)
    return all(is_of_shown(test, private) for test, _ in value.branches) and all(
        is_number_of_shown(each, private) for each in chosen
    )


def in_steps(aggregate: Aggregate, values: Sequence[Shown]) -> NDArray[np.float64] | None:
    """What each cell's rows add to an aggregate of this value, in its steps, NaN for NULL; None where it is not known.

    Claim: a value is added below the noise as it is here. Proof: it is a whole number of steps within the bounds that
    the emitted SQL cuts to, so that neither cutting nor rounding changes it; its shortest decimals are the number that
    SQL has (`alike_in_doubles`).
    """
    match aggregate:
        case Mean(total=Measure(step=step), low=low, high=high) if low < high:
            pass
        case Total(part=Measure(value=cut, step=step)):
            low, high = cut.low, cut.high
        case _:
            return None
    numbers = [value for value in values if isinstance(value, int | float) or value is None]
    exact = [None if number is None else Fraction(str(number)) / step for number in numbers]
    if len(numbers) < len(values) or not all(
        each is None or (each.denominator == 1 and low <= each <= high and abs(each) < _MOST) for each in exact
    ):
        return None
    return np.array([np.nan if each is None else float(each) for each in exact], np.float64)
