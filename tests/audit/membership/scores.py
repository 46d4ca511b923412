"""Scores of outputs: by a plain statistic, or by how likely they are in either world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.audit.membership.game import Outputs

from tacit.audit.membership.rounds import Reals

LogDensity = Callable[[Outputs], Reals]


def by_threshold(statistic: Callable[[Outputs], Reals]) -> Callable[[Outputs], Reals]:
    """The attack that compares one number of each output with a threshold: a noisy count, a model's loss negated."""
    return lambda outputs: np.asarray(statistic(outputs), dtype=np.float64)


def by_likelihood(inside: LogDensity, outside: LogDensity) -> Callable[[Outputs], Reals]:
    """The attack by the logarithm of the likelihood ratio: no test does better at any rate of false alarms.

    (Neyman and Pearson.) Where both worlds are impossible the score is 0.
    """

    def score(outputs: Outputs) -> Reals:
        with_person, without = np.asarray(inside(outputs)), np.asarray(outside(outputs))
        nowhere = np.isneginf(with_person) & np.isneginf(without)
        return np.where(nowhere, 0.0, np.where(nowhere, 0.0, with_person) - np.where(nowhere, 0.0, without))

    return score
