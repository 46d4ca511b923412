"""Reconstruction of a whole secret column from counts over random groups."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.answers import AnswerFunction, Reals, ask_all, secret_bits
from tacit.audit.reconstruction.decoding import DECODERS
from tacit.audit.reconstruction.subsets import Mask, Subsets
from tacit.errors import Refused
from tacit.frozen import frozen


@frozen(eq=False)
class Reconstruction:
    """What an attack made of the answers, beside the truth that it never saw."""

    guesses: Mask
    truth: Mask
    asked: int
    answered: int
    method: str
    answers: str
    """How the answers were made, in words: "exact counts"."""
    seconds: float

    @property
    def recovered(self) -> float:
        """The share of people whose bit is right."""
        return float(np.mean(self.guesses == self.truth))

    @property
    def blind(self) -> float:
        """The share that is right if everybody is given the commoner bit."""
        share = float(np.mean(self.truth))
        return max(share, 1 - share)

    @property
    def balanced(self) -> float:
        """The mean of what is right among those with the secret and among those without: ½ for any blind guess."""
        sides = [
            float(np.mean(self.guesses[side] == self.truth[side])) for side in (self.truth, ~self.truth) if side.any()
        ]
        return float(np.mean(sides))

    def describe(self) -> str:
        unanswered = "" if self.answered == self.asked else f" ({self.asked - self.answered:,} refused)"
        blind = f"giving everybody the commoner bit gets {self.blind:.0%}"
        return (
            f"With {self.asked:,} {self.answers}{unanswered}: {_percent(self.recovered)} of {self.truth.size:,} "
            f"people's bits recovered by {_WORDS[self.method]} in {self.seconds:.1f} s; {blind}."
        )

    def __str__(self) -> str:
        return self.describe()


def reconstruct(
    answer: AnswerFunction,
    truth: ArrayLike,
    subsets: Subsets,
    method: str = "l1 program",
    answers: str = "counts",
) -> Reconstruction:
    """Ask about every group, decode, round to bits; the truth only serves to count how many are right."""
    if method not in DECODERS:
        raise Refused(f"decoding by {method[:40]}", "It is not known.", f"{', '.join(DECODERS)}.")
    bits = secret_bits(truth)
    if subsets.people != bits.size:
        raise Refused(
            f"groups of {subsets.people:,} people", f"The truth has {bits.size:,}.", "groups of the same people."
        )
    told = ask_all(answer, subsets)
    start = perf_counter()
    places = decode(subsets, told, method)
    known = int(np.count_nonzero(~np.isnan(told)))
    return Reconstruction(places > 0.5, bits, len(subsets), known, method, answers, perf_counter() - start)


def decode(subsets: Subsets, told: Reals, method: str) -> Reals:
    """A number a person, from the answers that there are; ½ for all if there is none."""
    known = ~np.isnan(told)
    if not known.any():
        return np.full(subsets.people, 0.5)
    return DECODERS[method](subsets.masks[known].astype(np.float64), told[known])


def _percent(share: float) -> str:
    return "100%" if share == 1 else f"{min(share, 0.999):.1%}" if share > 0.99 else f"{share:.0%}"


_WORDS = {
    "l1 program": "the ℓ1 program",
    "l-infinity program": "the ℓ∞ program",
    "least squares": "least squares",
}
