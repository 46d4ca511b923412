"""Differencing: the difference of two counts reveals one person."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.counting_queries import AnswerFunction, Mask, Subsets, ask_all, secret_bits
from tacit.exact import whole
from tacit.frozen import frozen


@frozen(eq=False)
class Differencing:
    """The differences seen for some people, each guessed to have the secret if it is above ½."""

    differences: tuple[float, ...]
    truth: Mask
    rounds: int

    @property
    def guesses(self) -> Mask:
        return np.asarray(self.differences) > 0.5

    @property
    def recovered(self) -> float:
        """The share of these people whose bit is right."""
        return float(np.mean(self.guesses == self.truth))

    def describe(self) -> str:
        asked = f"{2 * self.rounds:,} questions a person" if self.rounds > 1 else "two questions a person"
        found = f"{self.recovered:.0%} of {self.truth.size:,} people's bits recovered"
        return f"By differences, {asked}: {found}; a coin flip gets 50%."

    def __str__(self) -> str:
        return self.describe()


def difference(answer: AnswerFunction, truth: ArrayLike, victims: ArrayLike, rounds: int = 1) -> Differencing:
    """For each victim: how many have the secret among everybody, and among everybody else.

    More rounds ask the same again and average. That helps against fresh noise, but not against stored answers: Tacit
    returns the same answer to a repeated question.
    """
    bits, chosen = secret_bits(truth), np.asarray(victims, dtype=np.int64)
    times = whole(rounds, "rounds", least=1)
    everybody = np.ones(bits.size, dtype=np.bool_)
    seen = []
    for victim in chosen:
        others = everybody.copy()
        others[victim] = False
        told = ask_all(answer, Subsets.listed(np.array([everybody, others] * times)))
        seen.append(float(np.mean(told[0::2]) - np.mean(told[1::2])))
    return Differencing(tuple(seen), bits[chosen], times)
