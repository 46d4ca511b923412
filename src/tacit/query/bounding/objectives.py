"""Objectives of a limit: the error of totals, the error of ranks, and many small groups whose keys are private."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.rank_grid import STRETCHES
from tacit.query.bounding.amount_histogram import Tails


class Objective(ABC):
    """A criterion for the best of several limits, given possible distributions of people's amounts."""

    @abstractmethod
    def best(self, limits: NDArray[np.float64], tails: Tails) -> int:
        """The place of the best limit."""


class LeastError(Objective):
    """An objective that is an error: what the limit cuts off the people, and the noise that grows with it."""

    @abstractmethod
    def harm(self, amounts: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each limit does to one person of each amount: a row an amount, a column a limit."""

    @abstractmethod
    def squared_error(self, harm: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        """The squared error at each limit, from the harm to all people together."""

    def best(self, limits: NDArray[np.float64], tails: Tails) -> int:
        """The limit whose squared error, relative to the least possible in each case, is least on average.

        Relative, because how far the people reach is not known: a limit for people who are not there costs little in
        a case where the error is large anyway, and much in a case where it could have been small.
        """
        sure = tails.body @ self.harm(tails.body_amounts, limits)
        unsure = tails.people @ self.harm(tails.amounts, limits)
        errors = self.squared_error(np.maximum(sure + unsure, 0.0), limits)
        return int(np.argmin(tails.weights @ (errors / errors.min(axis=1, keepdims=True))))


EVENNESS = 0.75


@frozen
class TotalError(LeastError):
    """The squared error of a total: what is cut off, squared, plus the noise variance (noise_per_limit · limit)².

    `noise_per_limit` is the standard deviation of the noise, in each cell, when the limit is 1. With several `cells`
    (groups) what is cut off counts as divided by cells^0.75: groups of even size would each bear 1/cells of it, one
    group that holds everything would bear it all, and analysts look at the large groups; 0.75 is a compromise.
    """

    noise_per_limit: float
    cells: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_per_limit", float(positive(self.noise_per_limit, "noise_per_limit")))
        object.__setattr__(self, "cells", whole(self.cells, "cells", 1))

    def harm(self, amounts: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(amounts[:, None] - limits, 0.0)

    def squared_error(self, harm: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((harm * self.cells**-EVENNESS) ** 2 + (self.noise_per_limit * limits) ** 2)


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


@frozen
class ManyKeys(Objective):
    """The limit that a share of the people stay within, half of them unless said otherwise.

    A small group is found, and counted well, only if the noise stays at the scale of one ordinary person; what a few
    people with very much lose does not touch most groups. So the limit is a quantile of the people, not a trade-off.
    Where bins are wide the quantile lies somewhere in one, and the limit `is_below` it: above it would be half as large
    again.
    """

    share: Number = Fraction(1, 2)
    is_below: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", proper(self.share, "share"))

    def best(self, limits: NDArray[np.float64], tails: Tails) -> int:
        amounts = np.concatenate([tails.body_amounts, tails.amounts])
        people = np.concatenate([tails.body, tails.weights @ tails.people])
        within = np.cumsum(people)
        enough = amounts[np.argmax(within >= float(self.share) * within[-1])]
        above = int(np.argmax(limits >= enough))
        is_wide = above > 0 and limits[above] - limits[above - 1] > 1  # else each amount has its own bin
        return above - 1 if self.is_below and is_wide else above
