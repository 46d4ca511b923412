"""Exact sampling of a log-concave law on the integers, mostly by table look-up.

A draw picks a piece of the law's `Partition` by its certified area. On a slab every integer of the bin is equally
likely: w random bits finish the draw. On a wedge or in a tail the point is kept with the probability that the law
requires; otherwise the draw starts over. That is rejection sampling from the sum of the pieces, so what is kept follows
the law exactly (von Neumann 1951).

Which piece: 16 bits look into 65,536 cells. Slabs own whole cells; the other pieces share the remaining cells. There a
64-bit word is compared with certified boundaries, and if it lies on a boundary, further bits are drawn until the
comparison is decided.

`AdditiveLaw` is noise that is added to an answer: a symmetric integer law drawn by slabs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate
from math import ceil, log2
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.noise.ball import Ball, ball, floor_down, precision
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import Draws, is_safe, saturated, saturated_sum
from tacit.noise.law import SymmetricLaw
from tacit.noise.partition import Areas, Partition, Shape
from tacit.noise.uniform import UniformReal

_CELLS: Final = 1 << 16
_SHARED: Final = np.iinfo(np.int16).min  # the cell is shared by several pieces
_BLOCK: Final = 1 << 15  # draws at a time, so that the arrays stay in the cache
_WIDE: Final = 1 << 40  # beyond this width draws are Python integers, of unlimited size
_ROUND_OFF: Final = 2.0**-48  # of the few float operations that compare a height with the law


class Slabs:
    """The tables of one shape, from which it is sampled."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._partition = Partition(shape)
        self._low_bits = self._partition.low_bits
        self._is_wide = shape.width > _WIDE
        self._bin = np.array(self._partition.bins, np.int16)
        self._near = np.array([self._partition.ends(index)[1] for index in self._partition.bins], np.float64)
        with precision(128 + 3 * ceil(log2(max(shape.width, 1.0)))):
            areas = self._partition.areas(shape.weight_near())
            self._owned = [max(0, floor_down(_CELLS * area)) for area in areas.slabs]
            self._lower, self._upper = _brackets(self._boundaries(areas))
            self._base = np.array([float(s / (s + w)) for s, w in zip(areas.slabs, areas.wedges, strict=False)])
        shared = np.full(_CELLS - sum(self._owned), _SHARED, np.int16)
        self._cell = np.concatenate([np.repeat(self._bin, self._owned), shared])
        self._first_tail = len(areas.slabs) + len(areas.wedges)

    def draw(self, size: int, bits: Bits) -> Draws:
        """`size` independent draws of the law."""
        out: Draws = np.empty(size, object if self._is_wide else np.int64)
        shared = []
        for start in range(0, max(size, 1), _BLOCK):
            cells = self._cell.take(bits.words(min(_BLOCK, size - start), 16))
            out[start : start + cells.size] = self._within_bins(cells, bits)
            shared.append((cells == _SHARED).nonzero()[0] + start)
        pending = np.concatenate(shared)
        while pending.size:
            out, pending = self._draw_pieces(out, pending, bits)
            cells = self._cell.take(bits.words(pending.size, 16))
            out[pending] = self._within_bins(cells, bits)
            pending = pending[cells == _SHARED]
        return out

    def _within_bins(self, bins: NDArray[np.int16], bits: Bits) -> Draws:
        """A uniform integer of each bin."""
        count = self._low_bits
        if self._is_wide:
            low = [bits.integer(-(-count // 8) * 8) >> -count % 8 for _ in range(bins.size)]
            return np.array([(int(k) << count) + part for k, part in zip(bins, low, strict=True)], object)
        out = bins.astype(np.int64)
        if count:
            width = 16 if count <= 16 else 32 if count <= 32 else 64
            words = bits.words(bins.size, width)
            out <<= count
            out += (words >> words.dtype.type(width - count)).astype(np.int64)
        return out

    def _draw_pieces(self, out: Draws, pending: NDArray[np.intp], bits: Bits) -> tuple[Draws, NDArray[np.intp]]:
        """Finish the pending draws, whose cells are shared; those in the second result start over."""
        piece = self._pick(bits.words(pending.size), bits)
        bins = piece % self._bin.size
        drawn = self._within_bins(self._bin[bins], bits)
        kept = np.ones(pending.size, bool)
        wedge = np.flatnonzero((piece >= self._bin.size) & (piece < self._first_tail))
        kept[wedge] = self._is_under(drawn[wedge], bins[wedge], bits)
        for place in np.flatnonzero(piece >= self._first_tail):
            value = self._draw_tail(bool(piece[place] > self._first_tail), bits)
            kept[place] = value is not None
            if value is not None and not is_safe(value):
                out, drawn = out.astype(object), drawn.astype(object)
            drawn[place] = value or 0
        out[pending[kept]] = drawn[kept]
        return out, pending[~kept]

    def _pick(self, words: NDArray[Any], bits: Bits) -> NDArray[np.intp]:
        """The piece that each word selects, among those that share cells."""
        piece = np.searchsorted(self._upper, words, "left")
        most = np.searchsorted(self._lower, words, "right")
        for tie in np.flatnonzero(piece != most):
            real = UniformReal(bits, int(words[tie]))
            while piece[tie] < most[tie] and not real.is_below(partial(self._boundary, int(piece[tie]))):
                piece[tie] += 1
        return piece

    def _is_under(self, drawn: Draws, bins: NDArray[np.intp], bits: Bits) -> NDArray[np.bool_]:
        """Whether a uniform height in the wedge lies under the law's weight at each point."""
        if not drawn.size:
            return np.ones(0, bool)
        words = bits.words(drawn.size)
        share = self._shape.relative(np.abs(drawn).astype(np.float64), self._near[bins])
        base = self._base[bins]
        gap = share - (base + (1 - base) * (words * 2.0**-64))
        under: NDArray[np.bool_] = gap > 0
        for close in np.flatnonzero(~(np.abs(gap) > self._shape.margin + _ROUND_OFF)):
            real = UniformReal(bits, int(words[close]))
            under[close] = real.is_below(partial(self._height, int(drawn[close]), int(bins[close])))
        return under

    def _height(self, value: int, index: int) -> Ball:
        """The height of the law's weight within the wedge, as a share of the wedge."""
        weight = self._shape.weight
        far, near = self._partition.ends(int(self._bin[index]))
        return (weight(abs(value)) - weight(far)) / (weight(near) - weight(far))

    def _draw_tail(self, left: bool, bits: Bits) -> int | None:
        """A point of the tail by its geometric envelope, or None if the law does not keep it."""
        start = self._partition.tail_start(left)
        rate = self._shape.decay(start)
        steps = _draw_geometric(rate, bits)

        def share() -> Ball:
            envelope = self._shape.weight(start) * (-ball(rate * steps)).exp()
            return self._shape.weight(start + steps) / envelope

        if not UniformReal(bits).is_below(share):
            return None
        return -start - steps if left else start + steps

    def _boundaries(self, areas: Areas) -> list[Ball]:
        """Where one piece ends and the next begins, within the shared cells, as shares of them."""
        rest = [_CELLS * area - cells for area, cells in zip(areas.slabs, self._owned, strict=True)]
        others = [_CELLS * area for area in areas.wedges + areas.tails]
        shared = _CELLS - sum(self._owned)
        return [total / shared for total in accumulate((rest + others)[:-1])]

    def _boundary(self, index: int) -> Ball:
        """One boundary, at the working precision."""
        return self._boundaries(self._partition.areas(self._shape.weight))[index]


def _brackets(boundaries: list[Ball]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The 64-bit words of each boundary's lower and upper end: equal, unless it is too near a word's edge."""
    top = (1 << 64) - 1
    lower, upper = [], []
    for boundary in boundaries:
        scaled = boundary * 2**64
        word = scaled.floor().unique_fmpz()
        low = scaled.lower().floor().unique_fmpz() if word is None else word
        high = scaled.upper().floor().unique_fmpz() if word is None else word
        lower.append(0 if low is None else min(max(int(low), 0), top))
        upper.append(top if high is None else min(max(int(high), 0), top))
    # A wider bracket stays sound; sorted ones can be searched.
    widened = np.minimum.accumulate(np.array(lower, np.uint64)[::-1])[::-1]
    return widened, np.maximum.accumulate(np.array(upper, np.uint64))


def _draw_geometric(rate: Fraction, bits: Bits) -> int:
    """j with probability ∝ e^{−rate·j}: the whole part of an exponential variable over the rate."""
    real = UniformReal(bits)
    while True:
        with precision(real.width + 64):
            variable = -(-real.ball()).log1p()
            steps = (variable.nonnegative_part() / ball(rate)).floor().unique_fmpz()
        if steps is not None:
            return int(steps)
        real.refine()


@lru_cache(maxsize=64)
def slabs(shape: Shape) -> Slabs:
    """The tables of a shape, built once."""
    return Slabs(shape)


class AdditiveLaw(SymmetricLaw, Shape):
    """A symmetric law that can be added to integers exactly."""

    @property
    def two_sided(self) -> bool:
        return True

    def draw(self, size: int, bits: Bits) -> Integers:
        return saturated(slabs(self).draw(size, bits))

    def add(self, values: Integers, bits: Bits) -> Integers:
        """values + independent noise in each place; a sum outside 64 bits saturates."""
        return saturated_sum(values, slabs(self).draw(values.size, bits))
