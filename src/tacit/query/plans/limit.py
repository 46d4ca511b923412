"""Limits: how much of one person counts in one part, the origin of the limit, and its kind of interval.

A scaling turns a person's total within its limit into units of the noise's law.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.clamp import WORD, Cut, cut

_FAR = 2**45


class IntervalKind(Enum):
    """The kind of an interval: the choice of limits depends on it, so it is a part of the release's identity."""

    USUAL = "usual"  # it covers the answer on all rows, if no person has far more than those visible above the noise
    GUARANTEED = "guaranteed"  # it covers the answer on all rows cut to at_most, for all data
    BOUNDED = "bounded"  # it covers the answer on rows cut to the limits: the noise alone

    @classmethod
    def named(cls, name: str) -> IntervalKind:
        """The kind of this name."""
        for kind in cls:
            if kind.value == name:
                return kind
        listed = " or ".join(kind.value for kind in cls)
        raise Refused(f"--interval {name}", "There is no such interval.", f"--interval {listed}.")


class Origin(Enum):
    """The origin of a limit. None of them reads data for free."""

    CONSTRUCTION = "by construction"
    DECLARED = "declared by the steward"
    PROFILE = "chosen from the private profile"
    FOUND = "found with a share of this query's price"
    AT_MOST = "declared as the most that one person can have"


CUTTING_NOBODY = (Origin.CONSTRUCTION, Origin.AT_MOST)


@frozen(eq=False)
class AmountCounts:
    """Noisy numbers of people by bin of `WIDE_BINS`, from an earlier release; `deviation` is that of the noise."""

    people: NDArray[np.float64]
    deviation: float


@frozen
class Limit:
    """The largest norm, over all groups, of what one person adds to a part, in its steps; None until it is found."""

    norm: Fraction | None
    origin: Origin


@frozen
class Scaling:
    """A person's total in one group, cut to ±cap, in units of the noise's law: times `times`, divided by `over`.

    Claim: for every total the result is an integer within ±room of `scaling`.
    """

    cap: int
    times: int
    over: int

    @property
    def scale(self) -> Fraction:
        """Units of the law for one step."""
        return Fraction(self.times, self.over)

    def near(self, total: str) -> Cut:
        """The scaled total of one person and group."""
        return self.of(cut(total, -self.cap, self.cap))

    def far(self, total: str) -> Cut:
        """The scaled total, cut only far beyond the limit: squares of ±2^45 add up in 128 bits over 2^36 groups."""
        far = min(_FAR * self.over // self.times, WORD)
        return cut(total, -far, far).scaled(self.times, self.over)

    def of(self, value: Cut) -> Cut:
        """The scaled value, for a value with bounds of its own: cut to ±cap where these are wider."""
        return value.within(self.cap).scaled(self.times, self.over)


def scaling(norm: Fraction, room: int) -> Scaling:
    """The finest whole scaling under which a total of up to `norm` steps fits into ±room (room ≥ 2)."""
    cap = min(max(1, floor(norm)), WORD)  # a larger total is always cut, because it must fit 64 bits
    if room >= norm:
        return Scaling(cap, max(1, floor(room / max(norm, Fraction(1)))), 1)
    return Scaling(cap, 1, ceil(norm / (room - 1)))
