"""The largest privacy loss of a release, exactly where it is known exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol, runtime_checkable

from tacit.loss.families.approx import Approx
from tacit.loss.loss import Loss


@runtime_checkable
class Bounded(Protocol):
    """A loss that states its largest privacy loss as a fraction, or None where it is unbounded."""

    @property
    def pure_epsilon(self) -> Fraction | None: ...


def pure_epsilon_of(loss: Loss) -> Fraction | None:
    """The least pure ε known for a loss; None where there is none.

    A family that knows it as a fraction is asked for that: `epsilon(0)` is a float, and ten times one tenth, each
    rounded up, would be more than one.
    """
    if isinstance(loss, Approx):
        return None if loss.exact_delta else loss.exact_epsilon
    if isinstance(loss, Bounded):
        return loss.pure_epsilon
    most = loss.epsilon(0)
    return Fraction(most) if most < math.inf else None
