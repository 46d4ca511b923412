"""What a limit is to be good for."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from tacit.query.limits.tails import Tails


class Objective(ABC):
    """A way to say which of several limits is best, given the people as they may be."""

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
