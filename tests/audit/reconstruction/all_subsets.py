"""Dinur and Nissim's first attack: any candidate that fits the answers for all groups is close to the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.counting_queries import AnswerFunction, Mask, Reals, Subsets, ask_all, secret_bits
from tacit.errors import Refused
from tacit.frozen import frozen

_MOST = 14  # people: 2^14 candidates against 2^14 answers
_AT_ONCE = 256


@frozen(eq=False)
class Exhaustive:
    """The candidate that fits all 2ⁿ answers best, and what the theorem promises of it."""

    guesses: Mask
    truth: Mask
    error: float
    """E: how far off the worst answer was, as a fraction of all people."""

    @property
    def wrong(self) -> int:
        """The number of wrong bits."""
        return int(np.count_nonzero(self.guesses != self.truth))

    @property
    def bound(self) -> float:
        """4En."""
        return 4 * self.error * self.truth.size

    @property
    def recovered(self) -> float:
        return 1 - self.wrong / self.truth.size

    def describe(self) -> str:
        people = self.truth.size
        return (
            f"With all {2**people:,} groups of {people} people answered to within {self.error:.3g} of everybody: "
            f"{self.wrong} bits wrong, where the theorem promises at most {self.bound:.3g}."
        )

    def __str__(self) -> str:
        return self.describe()


def reconstruct_from_all(answer: AnswerFunction, truth: ArrayLike) -> Exhaustive:
    """Ask about every group of people and take the candidate whose worst misfit is least.

    Claim: if every answer is within En of the true count, at most 4En bits are wrong. Proof: the truth misfits by at
    most En, so the best candidate does. Among those who have the secret but are guessed not to, the two counts are 0
    and the group's size, and both lie within En of the answer: the group has at most 2En people. So has its
    counterpart.
    """
    bits = secret_bits(truth)
    if not bits.size <= _MOST:
        raise Refused(f"all groups of {bits.size:,} people", "There are too many.", f"at most {_MOST} people.")
    every = (np.arange(2**bits.size)[:, None] >> np.arange(bits.size)) & 1 == 1
    told = ask_all(answer, Subsets.listed(every))
    groups = every.astype(np.float32)
    worst = np.concatenate(
        [_misfits(groups, part, told) for part in np.array_split(groups, -(-len(every) // _AT_ONCE))]
    )
    off = float(np.max(np.abs(groups @ bits - told)))
    return Exhaustive(every[int(np.argmin(worst))], bits, off / bits.size)


def _misfits(groups: Reals, candidates: Reals, told: Reals) -> Reals:
    """For each candidate the farthest that one of its counts lies from its answer."""
    return np.asarray(np.max(np.abs(groups @ candidates.T - told[:, None]), axis=0))
