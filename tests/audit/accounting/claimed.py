"""Claims of accountants: the curve of a loss, the upper end of the numeric accountant, many coins."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.audit.worlds import Worlds, coin
from tacit.exact import Number
from tacit.loss.accountant.account import account
from tacit.loss.families.loss import Loss

SEEN = tuple(Fraction(1, 10**n) for n in (1, 2, 3, 4))


def claim(loss: Loss) -> Callable[[Fraction], float]:
    """The claim of a loss about itself."""
    return lambda delta: loss.epsilon(delta)


def upper_end(loss: Loss, times: int) -> Callable[[Fraction], float]:
    """The upper end of the numeric accountant."""
    return lambda delta: account([(loss, times)]).upper(delta)


def coins(epsilon: Number, times: int) -> Worlds:
    """Many answers of a coin that costs ε each."""
    return coin(epsilon).repeated(times)
