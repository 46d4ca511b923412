"""Counting queries: groups of people, as masks and in SQL, and counts of the secret in a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen

Mask: TypeAlias = NDArray[np.bool_]

_PRIME = 65_537
NUMBER = "number"


@frozen(eq=False)
class Subsets:
    """Groups of people, one per row: a mark for each person, and a condition on their public numbers 0, 1, …

    Public numbers are a realistic assumption: an attacker knows the people (a row of a register, an address, a
    birthday) and wants their secret.
    """

    masks: Mask
    said: tuple[str, ...] = ()
    """Shorter conditions than a list of people, where there are some."""

    @property
    def conditions(self) -> tuple[str, ...]:
        return self.said or tuple(map(_listed, self.masks))

    def __len__(self) -> int:
        return len(self.masks)

    @property
    def people(self) -> int:
        return int(self.masks.shape[1])

    @classmethod
    def listed(cls, masks: Mask) -> Subsets:
        """Any groups at all, each by the list of its people."""
        marks = np.asarray(masks, dtype=np.bool_)
        if not (marks.ndim == 2 and marks.size):
            raise Refused("groups that are no table of marks", "Each is a row of one mark a person.", "a 2-d array.")
        return cls(marks)

    @classmethod
    def random(cls, people: int, count: int, seed: int = 0) -> Subsets:
        """Each person is in each group with probability one half."""
        size = whole(count, "count", least=1), whole(people, "people", least=1)
        return cls.listed(np.random.default_rng(seed).integers(0, 2, size).astype(np.bool_))

    @classmethod
    def hashed(cls, people: int, count: int, seed: int = 0) -> Subsets:
        """Groups (a·number + b) mod 65537 < 32768 with random a and b: halves that take a line of SQL, not a list.

        Two people are together in such a group about as often as in a random half (the hash is pairwise independent),
        and that is all that decoding needs.
        """
        rows, columns = whole(count, "count", least=1), whole(people, "people", least=1)
        if not columns < _PRIME:
            raise Refused(f"{columns:,} people", "Their numbers would collide.", f"fewer than {_PRIME:,}.")
        generator = np.random.default_rng(seed)
        slopes, shifts = generator.integers(1, _PRIME, rows), generator.integers(0, _PRIME, rows)
        places = (slopes[:, None] * np.arange(columns) + shifts[:, None]) % _PRIME
        half = _PRIME // 2
        said = (
            f"({slope} * {NUMBER} + {shift}) % {_PRIME} < {half}" for slope, shift in zip(slopes, shifts, strict=True)
        )
        return cls(places < half, tuple(said))


def _listed(mask: Mask) -> str:
    people = np.flatnonzero(mask)
    return f"{NUMBER} IN ({', '.join(map(str, people))})" if people.size else "FALSE"


Reals: TypeAlias = NDArray[np.float64]
AnswerFunction: TypeAlias = Callable[[Mask], float]
Noise: TypeAlias = Callable[[int], Reals]


def ask_all(answer: AnswerFunction, subsets: Subsets) -> Reals:
    """An answer for each group; NaN where there was none. An answer function with `many` gets all groups at once."""
    many: Any = getattr(answer, "many", None)
    told = many(subsets) if many is not None else [answer(mask) for mask in subsets.masks]
    answers = np.asarray(told, dtype=np.float64)
    if not answers.shape == (len(subsets),):
        raise Refused("an answer function", "It does not give one number a group.", "a function of a mask to a number.")
    return answers


class Counts:
    """Counts of those in a group who have the secret, exact or with noise of its own for each answer.

    This is the release under attack, without any ledger: the answers' costs are not added up.
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
    """Noise uniform in ±reach: every answer is within this distance."""
    generator = np.random.default_rng(seed)
    return lambda size: generator.uniform(-reach, reach, size)


def secret_bits(secrets: ArrayLike) -> Mask:
    """One bit per person, checked; a value that is not a bit is refused without being named."""
    bits = np.asarray(secrets)
    if not (bits.ndim == 1 and bits.size and np.isin(bits, (0, 1)).all()):
        raise Refused("secrets that are not bits", "The attack is on one yes or no a person.", "a list of 0 and 1.")
    return bits.astype(np.bool_)
