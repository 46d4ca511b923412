"""Quantiles (median, quartiles, any others) of values within declared bounds, all at one price."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, exact, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.inputs import reals
from tacit.mechanisms.statistics.counts import Sensitivity, Tally, TallyAnswer, check_people, check_size
from tacit.mechanisms.statistics.rank_tree import FAN, RankTree
from tacit.noise.bits import Bits
from tacit.noise.slabs import slabs
from tacit.words import number

_MOST_LEVELS = 4
_FINE = 1024  # noise steps per person


@frozen
class Quantiles(Tally):
    """Quantiles of one value per person, computed from noisy counts of the cells of a public grid over [lower, upper].

    The grid has 16^levels cells; counts are kept at every level of a tree with sixteen branches, so that any rank is
    the sum of a few of them. Claim: one person is in one cell of each level. Under add/remove they move `levels` counts
    by 1 (ℓ₁ norm `levels`, ℓ₂ norm √levels), under replace at most twice as many. All quantiles, of any number, are
    computed from these noisy counts: post-processing. Values are clamped to the bounds. A missing value (NaN) is
    left out under add/remove, and is the middle of the bounds under replace.
    """

    lower: Number
    upper: Number
    quantiles: tuple[Fraction, ...] = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    people: int | None = None
    levels: int = 2

    def __post_init__(self) -> None:
        check_people(self.people, self.relation)
        low, high = exact(self.lower, "lower"), exact(self.upper, "upper")
        if not low < high:
            raise Refused(f"values between {low} and {high}", "No value lies between them.", "lower < upper.")
        if not whole(self.levels, "levels", 1) <= _MOST_LEVELS:
            raise Refused(f"{self.levels} levels", "So fine a grid would drown in noise.", f"1 to {_MOST_LEVELS}.")
        wanted = tuple(sorted(set(_shares(self.quantiles))))
        if not wanted:
            raise Refused("no quantile", "There is nothing to release.", "at least one share, such as '0.5'.")
        object.__setattr__(self, "quantiles", wanted)
        super().__post_init__()

    @classmethod
    def for_epsilon(
        cls,
        epsilon: Number,
        relation: Relation,
        lower: Number,
        upper: Number,
        quantiles: Iterable[Number] = ("0.25", "0.5", "0.75"),
        people: int | None = None,
    ) -> Quantiles:
        """The quantiles with the least noise that is ε-private; `people`, the public n, under replace only."""
        return cls(Pure(epsilon), relation, lower, upper, _shares(quantiles), people)

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Where the cells begin and end."""
        low, high = exact(self.lower, "lower"), exact(self.upper, "upper")
        cells = FAN**self.levels
        return np.array([float(low + (high - low) * cell / cells) for cell in range(cells + 1)])

    @property
    def sensitivity(self) -> Sensitivity:
        moved = self.levels * (2 if self.relation is Relation.REPLACE else 1)
        return Sensitivity(moved * _FINE, moved * _FINE**2)

    def tally(self, records: Any) -> list[int]:
        """The counts of each level, the coarsest first, each in units of 1/1024 of a person."""
        values = reals(records)
        if self.people is None:
            values = values[~np.isnan(values)]
        else:
            check_size(records, self.people)
            values = np.where(np.isnan(values), (self.edges[0] + self.edges[-1]) / 2, values)
        cells = np.clip(np.searchsorted(self.edges, values, "right") - 1, 0, self.edges.size - 2)
        counts = np.bincount(cells, minlength=self.edges.size - 1)
        levels = [counts.reshape(FAN**depth, -1).sum(axis=1) for depth in range(1, self.levels + 1)]
        return [_FINE * int(count) for count in np.concatenate(levels)]

    def privatize(self, value: Any, bits: Bits) -> NDArray[np.float64]:
        counts = self.tally(value)
        noisy = np.array(counts, object) + slabs(self.noise.law).draw(len(counts), bits)
        return noisy.astype(np.float64)

    def error(self, confidence: Number = "0.95") -> float:
        """The error in rank of an answer, in people, at the worst place of the grid."""
        tree = RankTree(self.noise, np.zeros(0), self.levels, self._crowd)
        return tree.worst_reach(float(max(self.quantiles, key=lambda q: abs(q - Fraction(1, 2)))), confidence) / _FINE

    @property
    def _crowd(self) -> int | None:
        return None if self.people is None else self.people * _FINE

    def answer(self, parts: NDArray[np.float64]) -> QuantilesAnswer:
        tree = RankTree(self.noise, parts, self.levels, self._crowd)
        cells = [tree.cell(float(share)) for share in self.quantiles]
        middles = (self.edges[:-1] + self.edges[1:]) / 2
        return QuantilesAnswer(middles[cells], self, tree)


@frozen(eq=False)
class QuantilesAnswer(TallyAnswer):
    """The private quantiles, in the order of their shares, each with its own interval."""

    mechanism: Quantiles
    tree: RankTree

    def interval(self, confidence: Number = "0.95") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends between which each quantile lies, each with this confidence."""
        edges = self.mechanism.edges
        spans = [self.tree.cells_between(float(share), confidence) for share in self.mechanism.quantiles]
        return edges[[first for first, _ in spans]], edges[[last + 1 for _, last in spans]]

    def error(self, confidence: Number = "0.95") -> NDArray[np.float64]:
        low, high = self.interval(confidence)
        return (high - low) / 2

    def describe(self, confidence: Number = "0.95") -> str:
        low, high = self.interval(confidence)
        lines = []
        for share, value, first, last in zip(self.mechanism.quantiles, self.value, low, high, strict=True):
            half = (last - first) / 2
            ends = f"between {number(first, half)} and {number(last, half)}"
            if first == self.mechanism.edges[0] and last == self.mechanism.edges[-1]:
                lines.append(f"{_name(share)}  too few people to say; {ends}")
            else:
                lines.append(f"{_name(share)}  {number(value, half)}, {ends}")
        return "\n".join(lines) + f"\n{self.terms(confidence).strip()}"


def _shares(quantiles: Iterable[Number]) -> tuple[Fraction, ...]:
    if isinstance(quantiles, str) or not isinstance(quantiles, Iterable):
        raise Refused(f"quantiles of type {type(quantiles).__name__}", "Each is a share.", "a list, such as ['0.5'].")
    return tuple(proper(share, "quantile") for share in quantiles)


def _name(share: Fraction) -> str:
    return "median" if share == Fraction(1, 2) else f"{float(100 * share):g}%".rjust(6)
