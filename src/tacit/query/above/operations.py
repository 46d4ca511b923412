"""Operations on numbers, by the name under which an expression holds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from tacit.frozen import frozen
from tacit.query.above import intervals
from tacit.query.above.estimates import Estimates
from tacit.query.above.expression import Expression, Frame
from tacit.schema.kind import Kind

OPERATIONS: Final[Mapping[str, Callable[..., Estimates]]] = {
    "add": intervals.add,
    "subtract": intervals.subtract,
    "multiply": intervals.multiply,
    "divide": intervals.divide,
    "negate": intervals.negate,
    "absolute": intervals.absolute,
    "root": intervals.root,
    "logarithm": intervals.logarithm,
    "exponential": intervals.rising(np.exp),
    "floor": intervals.rising(np.floor, whole=True),
    "ceiling": intervals.rising(np.ceil, whole=True),
    "to whole": intervals.rising(np.rint, whole=True),  # CAST to an integer: halves go to the even one
    "to float": lambda a: Estimates(a.value, a.low, a.high),
    "greatest": intervals.greatest,
    "least": intervals.least,
}


@frozen
class Operation(Expression):
    """One of OPERATIONS on numbers."""

    name: str
    operands: tuple[Expression, ...]
    kind: Kind | None = Kind.FLOAT

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands

    def over(self, frame: Frame) -> Estimates:
        return OPERATIONS[self.name](*(operand.numbers(frame) for operand in self.operands))


@frozen
class Rounded(Expression):
    """A number rounded to so many digits after the point, halves away from zero."""

    operand: Expression
    digits: int = 0
    kind: Kind | None = Kind.FLOAT

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)

    def over(self, frame: Frame) -> Estimates:
        column = self.operand.numbers(frame)
        value, low, high = (intervals.rounded(end, self.digits) for end in (column.value, column.low, column.high))
        return Estimates(value, low, high, column.whole or self.digits <= 0)
