"""The groups that an attack asks about: who is in each, and how an analyst says so in SQL."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen

Mask: TypeAlias = NDArray[np.bool_]

_PRIME = 65_537
NUMBER = "number"


@frozen(eq=False)
class Subsets:
    """Groups of people, one a row: a mark for each person, and a condition on their public numbers 0, 1, …

    That the numbers are public is no weakness of the data: an attacker knows who is asked about (a row of a register,
    an address, a birthday), and wants the one thing about them that is not known.
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
