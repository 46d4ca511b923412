"""How many people hold each of a list of public keys, or fall into each of a list of public bins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.inputs import Key, count_keys, key_text, read_key, reals
from tacit.mechanisms.mechanism import percent
from tacit.mechanisms.statistics.counts import Sensitivity, Tally, TallyAnswer, price
from tacit.noise.bits import Bits, Integers

Item = TypeVar("Item")


@frozen
class Histogram(Tally):
    """Counts the people in each public cell. The answer has every cell, including empty ones.

    Claim: one person is in at most one cell. Under add/remove they move one count by 1 (ℓ₁ and ℓ₂ norm 1); under
    replace they may leave one cell for another and move two (ℓ₁ norm 2, ℓ₂ norm √2), unless there is only one cell.
    Cells are keys (text or integers), or the bins between `edges`: each from one edge up to, not including, the next,
    and the last one with its end. Values in no cell and missing values are not counted.
    """

    keys: tuple[Key, ...]
    edges: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        found = [read_key(key) for key in _listed(self.keys)]
        if None in found or not found or len(set(found)) != len(found):
            raise Refused("these keys", "Each must be text or an integer, and none may come twice.", "distinct keys.")
        if self.edges and len(self.edges) != len(found) + 1:
            raise Refused(
                f"{len(self.edges)} edges for {len(found)} keys",
                "A bin lies between two of them.",
                "one edge more than keys; or `over_bins`, which names the bins.",
            )
        object.__setattr__(self, "keys", tuple(found))
        super().__post_init__()

    @classmethod
    def for_epsilon(cls, epsilon: Number, relation: Relation, keys: Iterable[Key]) -> Histogram:
        """The histogram over public keys with the least noise that is ε-private."""
        return cls(Pure(epsilon), relation, _listed(keys))

    @classmethod
    def over_bins(cls, target: Loss, relation: Relation, edges: Sequence[Number]) -> Histogram:
        """The histogram over the bins between rising public edges."""
        ends = tuple(float(exact(edge, "edge")) for edge in _listed(edges))
        if len(ends) < 2 or any(not one < other for one, other in pairwise(ends)):
            raise Refused(f"{len(ends)} edges", "Bins lie between edges that rise.", "two edges or more, each greater.")
        names = (f"{low:.15g} to {high:.15g}" for low, high in pairwise(ends))
        return cls(target, relation, tuple(names), ends)

    @property
    def sensitivity(self) -> Sensitivity:
        moved = 2 if self.relation is Relation.REPLACE and len(self.keys) > 1 else 1
        return Sensitivity(moved, moved)

    def tally(self, records: Any) -> list[int]:
        if not self.edges:
            counts = count_keys(records)
            return [counts[key] for key in self.keys]
        values = reals(records)
        values = values[(values >= self.edges[0]) & (values <= self.edges[-1])]
        cells = np.searchsorted(self.edges, values, "right") - 1
        return [int(n) for n in np.bincount(np.minimum(cells, len(self.keys) - 1), minlength=len(self.keys))]

    def privatize(self, value: Any, bits: Bits) -> Integers:
        noisy: Integers = self.noise.privatize(np.array(self.tally(value), np.int64), bits)
        return noisy

    def error(self, confidence: Number = "0.95", cells: int = 1) -> int:
        """The exact quantile of the noise in one cell; or in all of `cells` at once."""
        return int(self.noise.error(confidence, cells))

    def answer(self, parts: Integers) -> HistogramAnswer:
        return HistogramAnswer(parts, self)


@frozen(eq=False)
class HistogramAnswer(TallyAnswer):
    """The noisy counts in the order of the keys. They are unbiased, so one can be negative; intervals cannot."""

    mechanism: Histogram

    @property
    def counts(self) -> dict[Key, int]:
        """The noisy count of each key."""
        return dict(zip(self.mechanism.keys, map(int, self.value), strict=True))

    def interval(self, confidence: Number = "0.95", *, together: bool = False) -> tuple[Integers, Integers]:
        """The ends for each cell with this confidence; `together`, for all cells at once."""
        half = self.mechanism.error(confidence, len(self.mechanism.keys) if together else 1)
        return np.maximum(self.value - half, 0), np.maximum(self.value + half, 0)

    def describe(self, confidence: Number = "0.95") -> str:
        one, all_cells = (self.mechanism.error(confidence, cells) for cells in (1, len(self.mechanism.keys)))
        table = counts_table(self.counts, [f"± {one:,}"] * len(self.value))
        together = f"; ±{all_cells:,} holds for all {len(self.value)} cells at once" if len(self.value) > 1 else ""
        paid = price(self.mechanism.target, self.loss)
        return f"{table}\n({percent(confidence)} interval for each cell{together}; cost {paid})"


def _listed(items: Iterable[Item]) -> tuple[Item, ...]:
    """The keys or edges as a list; a single text is refused, not read as a list of its letters."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise Refused(f"cells of type {type(items).__name__}", "Each must be named.", "a list of keys, or of edges.")
    return tuple(items)


def counts_table(counts: dict[Key, int], errors: list[str]) -> str:
    """One line per key: the key, its count, and its error in words."""
    names = [key_text(key) for key in counts]
    amounts = [f"{count:,}" for count in counts.values()]
    left, right = max(map(len, names), default=0), max(map(len, amounts), default=0)
    rows = zip(names, amounts, errors, strict=True)
    return "\n".join(f"{name:<{left}}  {amount:>{right}} {error}" for name, amount, error in rows)
