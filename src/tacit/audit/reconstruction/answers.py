"""Answer functions: whatever tells, for a group of people, how many of them have the secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.audit.reconstruction.subsets import Mask, Subsets
from tacit.errors import Refused

Reals: TypeAlias = NDArray[np.float64]
AnswerFunction: TypeAlias = Callable[[Mask], float]
Noise: TypeAlias = Callable[[int], Reals]


def ask_all(answer: AnswerFunction, subsets: Subsets) -> Reals:
    """An answer for each group; NaN where there was none. What can answer many at once (`many`) is asked so."""
    many: Any = getattr(answer, "many", None)
    told = many(subsets) if many is not None else [answer(mask) for mask in subsets.masks]
    answers = np.asarray(told, dtype=np.float64)
    if not answers.shape == (len(subsets),):
        raise Refused("an answer function", "It does not give one number a group.", "a function of a mask to a number.")
    return answers


class Counts:
    """Counts of those in a group who have the secret, exact or with noise of its own for each answer.

    This is the release under attack, without any ledger: nobody adds up what the answers cost together.
    """

    def __init__(self, secrets: ArrayLike, noise: Noise | None = None) -> None:
        self.secrets = secret_bits(secrets)
        self.noise = noise

    def __call__(self, mask: Mask) -> float:
        return float(self._noised(np.array([np.count_nonzero(self.secrets[mask])], dtype=np.float64))[0])

    def many(self, subsets: Subsets) -> Reals:
        return self._noised(subsets.masks.astype(np.float64) @ self.secrets)

    def _noised(self, counts: Reals) -> Reals:
        return counts if self.noise is None else counts + self.noise(counts.size)


def laplace_noise(deviation: float, seed: int = 0) -> Noise:
    """Laplace noise of this standard deviation, √2 times its scale; to attack with, not to release with."""
    generator = np.random.default_rng(seed)
    return lambda size: generator.laplace(0.0, deviation / np.sqrt(2), size)


def gaussian_noise(deviation: float, seed: int = 0) -> Noise:
    """Gaussian noise of this standard deviation; to attack with, not to release with."""
    generator = np.random.default_rng(seed)
    return lambda size: generator.normal(0.0, deviation, size)


def uniform_noise(reach: float, seed: int = 0) -> Noise:
    """Noise uniform in ±reach: every answer is promised to be this close."""
    generator = np.random.default_rng(seed)
    return lambda size: generator.uniform(-reach, reach, size)


def secret_bits(secrets: ArrayLike) -> Mask:
    """One bit a person, checked; a value that is no bit is refused without being named."""
    bits = np.asarray(secrets)
    if not (bits.ndim == 1 and bits.size and np.isin(bits, (0, 1)).all()):
        raise Refused("secrets that are not bits", "The attack is on one yes or no a person.", "a list of 0 and 1.")
    return bits.astype(np.bool_)
