"""Whether what SQL says of public values, in types of its own, is what doubles say of them.

Below the noise whole numbers and decimals are exact and casts have ranges; above it every number is a double. Questions
that released numbers imply are read above it, cell by cell, and must be the same there: a cell on the wrong side of a
condition is an error that no interval speaks of.

Claim: an expression that `is_alike` has the same value in both, for all values of its keys that are given. Proof: sums
and products of whole numbers below 2^53 are exact in doubles; quotients, roots and roundings of doubles are those of
IEEE in both; a decimal below 2^22 of at most nine digits after the point is told from all others by its double, and is
only chosen, compared, and rounded to a whole number. All else is not alike: 0.1 times 3, the 0.5 that a cast rounds
away from zero as a decimal and to the even number as a double, logarithms, ranges of narrow integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from math import inf
from typing import NamedTuple

from tacit.query.post_noise.conditions import Comparison
from tacit.query.post_noise.expression import Constant, Expression, KeyReference
from tacit.query.post_noise.operations import Case, Coalesce, NullIf, Operation, Rounded
from tacit.schema.kind import Key, Kind

Values = Mapping[str, Iterable[Key | float | None]]

_WHOLE_MOST = 2**53
_DECIMAL_MOST = 2**22
_NARROWEST = 127  # that every type of whole numbers holds
_COARSEST = 9  # digits before the point that ROUND takes off


class _Form(Enum):
    """What a number is below the noise."""

    WHOLE = auto()
    DECIMAL = auto()
    FLOAT = auto()


class _Reach(NamedTuple):
    """A number's form, and how far from zero it may be."""

    form: _Form
    most: float


def is_alike(expression: Expression, values: Values) -> bool:
    """Whether doubles give the same value, or truth, for all values of its keys."""
    if isinstance(expression, KeyReference | Constant):
        return True
    if isinstance(expression, Comparison):
        return _is_compared(expression, values)
    if _is_number(expression):
        return _reach(expression, values) is not None
    return all(is_alike(part, values) for part in expression.parts)


def _is_compared(comparison: Comparison, values: Values) -> bool:
    sides = comparison.parts
    if not all(map(_is_number, sides)):
        return all(is_alike(side, values) for side in sides)
    if all(isinstance(side, KeyReference) or _is_exact(side) for side in sides):
        return True  # they are compared as they are
    return all(_reach(side, values) is not None for side in sides)


def _is_exact(side: Expression) -> bool:
    return isinstance(side, Constant) and not isinstance(side.value, float)


def _is_number(expression: Expression) -> bool:
    is_nothing = isinstance(expression, Constant) and expression.value is None
    return is_nothing or (expression.kind is not None and expression.kind.is_number)


def _reach(expression: Expression, values: Values) -> _Reach | None:
    """The form of a number; None where doubles may have another value."""
    found = _reach_of(expression, values)
    if found is None or found.form is _Form.FLOAT:
        return found
    return found if found.most < (_WHOLE_MOST if found.form is _Form.WHOLE else _DECIMAL_MOST) else None


def _reach_of(expression: Expression, values: Values) -> _Reach | None:
    if isinstance(expression, KeyReference):
        return _listed([value for value in values[expression.name] if isinstance(value, int | float)])
    if isinstance(expression, Constant):
        return _listed([expression.value] if isinstance(expression.value, int | float) else [])
    if expression.kind is Kind.BOOLEAN:  # as 1 and 0
        return _Reach(_Form.WHOLE, 1) if is_alike(expression, values) else None
    operands = expression.parts
    if isinstance(expression, Case):
        if not all(is_alike(test, values) for test, _ in expression.branches):
            return None
        operands = (*(value for _, value in expression.branches), expression.otherwise)
    known = [reach for each in operands if (reach := _reach(each, values)) is not None]
    if len(known) < len(operands):
        return None
    if isinstance(expression, Case | Coalesce | NullIf):
        return _chosen(known)
    if isinstance(expression, Rounded):
        return _rounded(expression, known[0])
    return _computed(expression.name, known) if isinstance(expression, Operation) else None


def _listed(numbers: Sequence[int | float]) -> _Reach:
    form = _Form.DECIMAL if any(isinstance(number, float) for number in numbers) else _Form.WHOLE
    return _Reach(form, max(map(abs, numbers), default=0))


def _chosen(known: Sequence[_Reach]) -> _Reach:
    """One of these numbers, in the form that holds all."""
    forms = {reach.form for reach in known}
    form = next(form for form in (_Form.FLOAT, _Form.DECIMAL, _Form.WHOLE) if form in forms)
    return _Reach(form, max(reach.most for reach in known))


def _computed(name: str, known: Sequence[_Reach]) -> _Reach | None:
    first, most = known[0], [reach.most for reach in known]
    joined = _chosen(known)
    if name in ("negate", "absolute"):
        return first
    if name in ("greatest", "least"):
        return joined
    if name in ("floor", "ceiling"):
        return _Reach(_Form.WHOLE if first.form is _Form.DECIMAL else first.form, first.most + 1)
    if name == "to float":
        return _Reach(_Form.FLOAT, first.most)
    if any(reach.form is _Form.DECIMAL for reach in known):
        return None
    if name == "to whole":
        return _Reach(_Form.WHOLE, first.most) if first.most <= _NARROWEST else None
    if name in ("add", "subtract", "multiply"):
        return _Reach(joined.form, most[0] * most[1] if name == "multiply" else most[0] + most[1])
    if name == "root":
        return _Reach(_Form.FLOAT, max(1, first.most))
    if name == "divide":  # by a whole number: by 1 at least
        return _Reach(_Form.FLOAT, first.most if known[1].form is _Form.WHOLE else inf)
    return None


def _rounded(expression: Rounded, number: _Reach) -> _Reach | None:
    """ROUND to whole numbers, or a cast to decimals that have room for them."""
    digits, form = expression.digits, number.form
    if expression.room is not None and not number.most + 1 < 10**expression.room:
        return None
    if digits == 0:
        return _Reach(_Form.FLOAT if form is _Form.FLOAT else _Form.WHOLE, number.most + 1)
    if form is _Form.WHOLE and -_COARSEST <= digits < 0 and number.most < 2**31:
        return _Reach(form, number.most + 10**-digits)
    return None
