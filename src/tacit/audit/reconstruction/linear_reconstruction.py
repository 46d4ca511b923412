"""Linear reconstruction: a whole secret column from noisy counts over random groups.

Each decoder looks for x with A·x near the answers, A the table of groups. The right distance depends on the noise:
least squares for Gaussian noise, the ℓ1 program for heavy tails or some answers far off, the ℓ∞ program for answers
that are all promised to within a bound. Noise of o(√n) per count is not enough against any of them (Dinur and Nissim
2003; Dwork, McSherry and Talwar 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.counting_queries import AnswerFunction, Mask, Reals, Subsets, ask_all, secret_bits
from tacit.errors import Refused
from tacit.frozen import frozen

Decoder = Callable[[Reals, Reals], Reals]


def least_squares(groups: Reals, answers: Reals) -> Reals:
    """The x that minimises the squared distance; the one nearest to ½ where there are fewer answers than people."""
    half = np.full(groups.shape[1], 0.5)
    moves: Reals = np.linalg.lstsq(groups, answers - groups @ half, rcond=None)[0]
    return half + moves


def absolute_program(groups: Reals, answers: Reals) -> Reals:
    """The x in [0, 1]ⁿ that minimises the sum of distances: the ℓ1 program.

    Solved by its dual, max y·w − Σs with Aᵀw ≤ s, s ≥ 0 and −1 ≤ w ≤ 1: it has a row for each person, not one for each
    answer, and x is the price of those rows.
    """
    count, people = groups.shape
    costs = np.concatenate([-answers, np.ones(people)])
    rows = np.hstack([groups.T, -np.eye(people)])
    bounds = [(-1.0, 1.0)] * count + [(0.0, None)] * people
    return _prices(costs, rows, np.zeros(people), bounds)


def greatest_program(groups: Reals, answers: Reals) -> Reals:
    """The x in [0, 1]ⁿ that minimises the greatest distance: the ℓ∞ program.

    Its dual: max y·(u−v) − Σs with Aᵀ(u−v) ≤ s, Σu+Σv ≤ 1 and u, v, s ≥ 0.
    """
    count, people = groups.shape
    costs = np.concatenate([-answers, answers, np.ones(people)])
    each = np.hstack([groups.T, -groups.T, -np.eye(people)])
    together = np.concatenate([np.ones(2 * count), np.zeros(people)])
    limits = np.append(np.zeros(people), 1.0)
    return _prices(costs, np.vstack([each, together]), limits, [(0.0, None)] * costs.size)[:people]


def _prices(costs: Reals, rows: Reals, limits: Reals, bounds: Sequence[tuple[float, float | None]]) -> Reals:
    """The dual price of each row of a linear program at its optimum (HiGHS)."""
    from scipy.optimize import linprog

    found: Any = linprog(costs, A_ub=rows, b_ub=limits, bounds=bounds, method="highs-ipm")
    if found.status != 0:
        found = linprog(costs, A_ub=rows, b_ub=limits, bounds=bounds, method="highs-ds")
    if found.status != 0:
        raise Refused("a reconstruction by linear program", "The solver found no optimum.", "least squares.")
    return -np.asarray(found.ineqlin.marginals)


DECODERS: Final[dict[str, Decoder]] = {
    "l1 program": absolute_program,
    "l-infinity program": greatest_program,
    "least squares": least_squares,
}


@frozen(eq=False)
class Reconstruction:
    """The result of an attack, beside the truth, which the attack does not see."""

    guesses: Mask
    truth: Mask
    asked: int
    answered: int
    method: str
    answers: str
    """The origin of the answers in words: "exact counts"."""
    seconds: float

    @property
    def recovered(self) -> float:
        """The share of people whose bit is right."""
        return float(np.mean(self.guesses == self.truth))

    @property
    def blind(self) -> float:
        """The share that is right if everybody gets the more common bit."""
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
    """Ask about every group, decode, round to bits; the truth is used only to count right bits."""
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
    """A number per person, from the answers given; ½ for all if there is none."""
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
