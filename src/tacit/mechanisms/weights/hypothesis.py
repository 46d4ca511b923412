"""The public estimate of a histogram in multiplicative weights, and its correction by noisy numbers.

Everything here but `private_histogram` and `margins` works on public numbers: it is post-processing, in floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, inf, log, prod
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen

Attributes: TypeAlias = tuple[int, ...]
Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = NDArray[np.bool_]
Asked: TypeAlias = Cells | Mapping[int, int | Sequence[int]]
Counts = TypeVar("Counts", NDArray[np.int64], Floats)

MOST_PEOPLE = 1 << 60
_MOST_CELLS = 1 << 24
_STEEPEST = 2.0  # log step of one question's update, unless its error is so large that the theory prescribes more
_BOLD, _PACE = 0.6, 0.7  # of a table's update: the largest correction, and the share of it that is applied


def checked_sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    """The number of values of each attribute of the declared domain."""
    found = tuple(whole(size, "sizes", 1) for size in sizes)
    if not (0 < len(found) <= 32 and prod(found) <= _MOST_CELLS):
        raise Refused(
            f"a domain of {len(found)} attributes and {prod(found):,} cells",
            "A weight is kept for every cell.",
            f"1 to 32 attributes, and at most {_MOST_CELLS:,} cells in all.",
        )
    return found


def private_histogram(value: Any, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """The people in each cell, as integers; each cell is cut to a range that can be added up.

    A refusal depends only on type and shape, which are public. Cutting increases no difference of counts.
    """
    array = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray) or array.dtype.kind not in "iu" or array.shape != sizes:
        raise Refused(
            f"an array of {array.dtype} with the shape {array.shape}",
            "It is not the number of people in each cell of the domain.",
            f"an array of integers with the shape {sizes}.",
        )
    most = MOST_PEOPLE // array.size
    counts: NDArray[np.int64] = np.clip(array, 0, most).astype(np.int64)
    return counts


def margins(histogram: Counts, tables: Sequence[Attributes]) -> list[Counts]:
    """The tables over these attributes; several are summed from one shared table with more attributes."""
    known = {tuple(range(histogram.ndim)): histogram}

    def margin(table: Attributes) -> Counts:
        if table not in known:
            last = max(each for each in range(histogram.ndim) if each not in table)
            above = tuple(sorted((*table, last)))
            known[table] = margin(above).sum(axis=above.index(last))
        return known[table]

    return [margin(table) for table in tables]


def cells_asked(asked: Asked, sizes: tuple[int, ...]) -> Cells:
    """The cells that a counting question counts: a mask, or for some attributes (by number) the values that count."""
    if isinstance(asked, Mapping):
        mask = np.ones(sizes, np.bool_)
        for attribute, values in asked.items():
            if not whole(attribute, "attribute") < len(sizes):
                raise Refused(f"attribute {attribute}", "The domain has no such one.", f"0 to {len(sizes) - 1}.")
            along = np.zeros(sizes[attribute], np.bool_)
            for each in [values] if isinstance(values, (int, np.integer)) else values:
                if not whole(int(each), "value") < sizes[attribute]:
                    raise Refused(f"value {each} of attribute {attribute}", "It has no such one.", "0 and up.")
                along[int(each)] = True
            mask &= along.reshape([-1 if place == attribute else 1 for place in range(len(sizes))])
        return mask
    mask = np.array(asked)  # a copy, because the caller could change its array while it is answered
    if mask.dtype != np.bool_ or mask.shape != sizes:
        raise Refused(
            f"a question of type {mask.dtype} and shape {mask.shape}",
            "A counting question says of each cell whether it counts.",
            f"an array of bools with the shape {sizes}, or the values that count for some attributes, as in {{0: 1}}.",
        )
    return mask


@frozen(eq=False)
class Hypothesis:
    """A public estimate of a histogram: the shares of the cells, and the number of people."""

    shares: Floats
    people: float

    @classmethod
    def uniform(cls, sizes: tuple[int, ...], people: int) -> Hypothesis:
        """The uniform estimate for about this many people (at least one)."""
        return cls(np.full(sizes, 1 / prod(sizes)), float(min(max(people, 1), MOST_PEOPLE)))

    def count(self, cells: Cells) -> int:
        """The estimated number of people in these cells, as a whole number."""
        return round(self.people * self._share(cells))

    def tables(self, tables: Sequence[Attributes]) -> list[Floats]:
        """The estimated number of people in each cell of these tables."""
        return [self.people * table for table in margins(self.shares, tables)]

    def corrected(self, cells: Cells, answer: int, least: float, slack: float) -> Hypothesis:
        """The estimate after a noisy answer on which it is wrong by at least `least`, for noise of at most `slack`.

        Claim: for a histogram of just as many people, if that holds and slack ≤ least, the relative entropy from it to
        the hypothesis falls by at least 2(least/people)². Proof: let g be the hypothesis' share and p the true one; say
        p > g, which the answer tells. Then p − g ≥ B, the larger of `least` and |answer − guess| − `slack`, in shares.
        Weights times e^η on the question's cells gain η(p−g) − ln E e^(η(q−g)) ≥ ηB − ln(1−g+ge^η) + ηg, which rises up
        to η = logit(g+B) − logit(g), where it is the divergence of g+B from g. At η = 4B, which is not beyond, it is at
        least 4B² − η²/8 = 2B² (Hoeffding). The step is between the two.
        """
        share = self._share(cells)
        is_more = answer > self.people * share
        moved, own = (cells, share) if is_more else (~cells, 1 - share)
        off = min(1.0, max(least, abs(answer - self.people * share) - slack) / self.people)
        step = min(_logit(own + off) - _logit(own), max(_STEEPEST, 4 * off)) if own < 1 else 0.0
        shares = np.where(moved, self.shares * exp(step), self.shares)
        return Hypothesis(shares / shares.sum(), self.people)

    def fitted(self, measured: Sequence[tuple[Attributes, NDArray[np.int64]]], spread: float) -> Hypothesis:
        """The estimate after noisy tables, one by one: each weight moves with the error of the table in its cell.

        The step is the error relative to the count plus a multiple of the noise, so that noise is not fitted. Its rate
        of convergence was measured, not proven.
        """
        shape, flat = self.shares.shape, self.shares.ravel()
        for table, noisy in measured:
            codes, cells = table_codes(shape, table), noisy.size
            counts = self.people * np.bincount(codes, flat, cells)
            off = (noisy.ravel() - counts) / (counts + 3 * spread)
            flat = flat * np.exp(_PACE * np.clip(off, -_BOLD, _BOLD))[codes]
            flat /= flat.sum()
        return Hypothesis(flat.reshape(shape), self.people)

    def _share(self, cells: Cells) -> float:
        return min(1.0, float(self.shares[cells].sum()))


@lru_cache(maxsize=64)
def table_codes(sizes: tuple[int, ...], table: Attributes) -> NDArray[np.int32]:
    """For each cell of the domain, the cell of the table that contains it."""
    codes = np.zeros([1] * len(sizes), np.int32)
    for place in table:
        axis = np.arange(sizes[place], dtype=np.int32)
        codes = codes * np.int32(sizes[place]) + axis.reshape(
            [-1 if each == place else 1 for each in range(len(sizes))]
        )
    return np.ascontiguousarray(np.broadcast_to(codes, sizes)).ravel()


def _logit(share: float) -> float:
    if share <= 0:
        return -inf
    return log(share) - log(1 - share) if share < 1 else inf
