"""A limit for many small groups whose keys are private."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.query.limits.objective import Objective
from tacit.query.limits.tails import Tails


@frozen
class ManyKeys(Objective):
    """The limit that a share of the people stay within, half of them unless said otherwise.

    A small group is found, and counted well, only if the noise stays at the scale of one ordinary person; what a few
    people with very much lose does not touch most groups. So the limit is a quantile of the people, not a trade-off.
    """

    share: Number = Fraction(1, 2)

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", proper(self.share, "share"))

    def best(self, limits: NDArray[np.float64], tails: Tails) -> int:
        amounts = np.concatenate([tails.body_amounts, tails.amounts])
        people = np.concatenate([tails.body, tails.weights @ tails.people])
        within = np.cumsum(people)
        enough = amounts[np.argmax(within >= float(self.share) * within[-1])]
        return int(np.argmax(limits >= enough))
