"""The error of ranks: medians and other quantiles over rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.even_grid import STRETCHES
from tacit.query.limits.objective import Objective
from tacit.query.limits.tails import Tails

Floats = NDArray[np.float64]


@frozen
class RankError(Objective):
    """The squared error of quantiles, as a share of the rows.

    A person beyond the limit counts with the weight s = limit/amount. If the rows that weigh less are like the others,
    a quantile stays where it was, to first order; what remains is chance and noise. Of N rows W = Σns is left of their
    weight. The rank of the p-quantile among the weighted rows differs from that among all by a variance of
    p(1−p)·(Σns²/W² − 1/N), as a share; noise adds (noise_per_limit · limit/W)², for it too is measured by what is left.
    Of several groups each has its part of W.

    An amount is a person's rows; or, where `steps` is given, so many times the norm of a tree of so many `levels`.
    Then the rows are taken to be n where norm² is what `usual_squares` says of n.
    """

    noise_per_limit: float
    shares: tuple[Number, ...] = (Fraction(1, 2),)
    groups: int = 1
    levels: int = 1
    steps: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_per_limit", float(positive(self.noise_per_limit, "noise_per_limit")))
        object.__setattr__(self, "shares", tuple(proper(share, "share") for share in self.shares))
        object.__setattr__(self, "groups", whole(self.groups, "groups", 1))
        object.__setattr__(self, "levels", whole(self.levels, "levels", 1))

    def best(self, limits: Floats, tails: Tails) -> int:
        """The limit whose squared error, relative to the least possible in each case and of each quantile, is least."""
        amounts, people = self._people(tails)
        kept = np.minimum(limits / amounts[:, None], 1.0)
        rows = people * self.rows(amounts)
        left = np.maximum(rows @ kept, 1.0)
        uneven = np.maximum((rows @ kept**2) / left**2 - 1 / np.maximum(rows.sum(axis=1, keepdims=True), 1.0), 0.0)
        noise = self.groups * (self.noise_per_limit * limits / left) ** 2
        regret = np.zeros(len(limits))
        for share in map(float, self.shares):
            errors = share * (1 - share) * uneven + noise
            regret += tails.weights @ (errors / errors.min(axis=1, keepdims=True))
        return int(np.argmin(regret))

    def rows(self, amounts: Floats) -> Floats:
        """How many rows a person of each amount is taken to have."""
        if self.steps is None:
            return amounts
        squares = (amounts / self.steps) ** 2
        shared = (STRETCHES // FAN + self.levels - 1) / STRETCHES
        usual = (np.sqrt(self.levels**2 + 3 * shared * squares) - self.levels) / (2 * shared)
        return np.maximum(usual, np.sqrt(squares / self.levels))

    def _people(self, tails: Tails) -> tuple[Floats, Floats]:
        """All amounts, and how many people have each, a row a case."""
        seen = np.broadcast_to(tails.body, (len(tails.people), len(tails.body)))
        return np.concatenate([tails.body_amounts, tails.amounts]), np.concatenate([seen, tails.people], axis=1)
