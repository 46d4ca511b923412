"""Heavy hitters: frequent values of a domain too large to list, found prefix by prefix."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, probability, proper, whole
from tacit.frozen import frozen
from tacit.local.frequencies.frequency_estimates import Frequencies, lower_ends
from tacit.local.frequencies.oracle import checked_odds
from tacit.local.frequencies.report_rows import Rows, checked_rows
from tacit.local.frequencies.wide_hashing import WideHashing
from tacit.local.randomizers.randomizer import below, odds_within
from tacit.loss.families.loss import Loss, Relation
from tacit.noise.bits import ENTROPY, Bits, Integers, Rehearsal

LONGEST = 62  # bits of a value

PrefixReport: TypeAlias = tuple[int, tuple[int, ...]]


@frozen(eq=False)
class HeavyHitters:
    """The values found, the most frequent first, with shares and intervals from the last group's reports.

    Values are whole numbers, or words where words were searched for.
    """

    values: NDArray[Any]
    shares: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __str__(self) -> str:
        lines = [f"{'value':>20}   share   95% interval, all candidates at once"]
        for value, share, low, high in zip(self.values, self.shares, self.low, self.high, strict=True):
            lines.append(f"{value:>20}  {share:6.1%}   {low:.1%} to {high:.1%}")
        return "\n".join(lines)


@frozen
class PrefixSearch:
    """Values of `length` bits; person i reports once, on a prefix of their value with the length of group i mod G.

    Claim, for the replacement of one person's value by another: ln(r)-private. Proof: who is in which group is public
    and does not depend on any value, and each person makes one report, by local hashing with odds r.

    The search keeps, group by group, the `keep` best supported prefixes and all their extensions (Wang, Li and Jha
    2021). A person's group is their place modulo G, so people must come in an order that does not depend on their
    values.
    """

    length: int
    odds: Fraction
    start: int = 8
    step: int = 4
    keep: int = 32
    relation = Relation.REPLACE

    def __post_init__(self) -> None:
        for name in ("length", "start", "step", "keep"):
            object.__setattr__(self, name, whole(getattr(self, name), name, 1))
        object.__setattr__(self, "odds", checked_odds(self.odds))
        if not (self.start <= self.length <= LONGEST and self.start <= 16 and self.step <= 8):
            raise Refused(
                f"values of {self.length} bits from prefixes of {self.start} by {self.step}",
                "They are too long, or too many prefixes would have to be tried.",
                f"start ≤ length ≤ {LONGEST}, start ≤ 16, step ≤ 8.",
            )

    @classmethod
    def within(cls, epsilon: Number, length: int) -> PrefixSearch:
        """The search with the largest odds that ε permits."""
        return cls(length, odds_within(epsilon), start=min(8, length))

    @cached_property
    def levels(self) -> tuple[WideHashing, ...]:
        """The randomizer of each group: prefixes of growing length, the last the whole value."""
        lengths = [*range(self.start, self.length, self.step), self.length]
        return tuple(WideHashing.for_odds(self.odds, length) for length in lengths)

    @property
    def loss(self) -> Loss:
        """What one report costs: the same in every group but for the last places of a fraction; here the largest."""
        return max((level.loss for level in self.levels), key=lambda loss: loss.epsilon(0))

    def report(self, values: ArrayLike) -> tuple[Rows, ...]:
        """The reports of people with these values, group by group, from the operating system's entropy.

        There is no seed.
        """
        return self._randomize(values, ENTROPY)

    def report_one(self, value: int) -> PrefixReport:
        """The group that one device drew, and its report, from the operating system's entropy.

        The group does not depend on the value, so it reveals nothing about it.
        """
        group = below(len(self.levels), ENTROPY)
        level, known = self.levels[group], self._checked([value])
        return group, tuple(level.randomize(known >> (self.length - level.length), ENTROPY)[0].tolist())

    def gather(self, reports: Sequence[PrefixReport]) -> tuple[Rows, ...]:
        """The reports of single devices, group by group, as `find` takes them."""
        if not all(group in range(len(self.levels)) for group, _ in reports):
            raise Refused("a report of no group", "Nobody can have sent it.", f"groups 0 to {len(self.levels) - 1}.")
        found = [[row for group, row in reports if group == place] for place in range(len(self.levels))]
        if not all(found):
            raise Refused("reports of some groups", "A group has none.", "more devices: each draws its group.")
        return tuple(np.array(rows) for rows in found)

    def rehearse(self, values: ArrayLike, bits: Rehearsal) -> tuple[Rows, ...]:
        """The same on scripted or seeded bits, for tests and simulations: not private."""
        if not isinstance(bits, Rehearsal):
            asked, why = f"a rehearsal on {type(bits).__name__}", "It must not look like a release."
            raise Refused(asked, why, "a Rehearsal source such as Seeded(1); or report(values).")
        return self._randomize(values, bits)

    def find(self, reports: tuple[Rows, ...], false_positives: Number = "0.05", least: Number = 0) -> HeavyHitters:
        """The values whose share is certainly above `least`.

        Claim: the probability that any value of share at most `least` is listed is at most `false_positives`: exactly
        so for values that nobody holds (least = 0), and for people drawn independently from a population otherwise.
        Proof: the last group's candidates come from the other groups' reports alone. Given them, the support of a value
        of share s is binomial (with rate `stray` where nobody holds it), and it is listed only if so much support or
        more would have probability at most false_positives/C at the share `least`, C the number of candidates.
        """
        chance, floor = float(proper(false_positives, "false_positives")), float(probability(least, "least"))
        candidates, counts = self._search(reports)
        last, people = self.levels[-1], len(reports[-1])
        found = Frequencies(counts, people, last.hit, last.stray)
        ends = lower_ends(counts, people, chance / counts.size)
        rate = float(last.stray) + floor * float(last.hit - last.stray)
        low, high = found.intervals()
        order = np.argsort(-counts, kind="stable")
        listed = order[ends[order] > rate * (1 + 1e-12)]
        return HeavyHitters(candidates[listed], found.values[listed], low[listed], high[listed])

    def _search(self, reports: tuple[Rows, ...]) -> tuple[Integers, Integers]:
        """The last group's candidates, and how many of its reports support each."""
        if not len(reports) == len(self.levels):
            raise Refused("reports of some groups", "Each level has its own.", f"{len(self.levels)} groups.")
        groups = [checked_rows(rows, level.ceilings) for rows, level in zip(reports, self.levels, strict=True)]
        candidates = np.arange(1 << self.levels[0].length)
        counts = self.levels[0].support(groups[0], candidates)
        for before, level, rows in zip(self.levels, self.levels[1:], groups[1:], strict=False):
            kept = candidates[np.argsort(-counts, kind="stable")[: self.keep]]
            more = level.length - before.length
            candidates = (kept[:, None] << more | np.arange(1 << more)).reshape(-1)
            counts = level.support(rows, candidates)
        return candidates, counts

    def _randomize(self, values: ArrayLike, bits: Bits) -> tuple[Rows, ...]:
        whole_values, groups = self._checked(values), len(self.levels)
        if not whole_values.size >= groups:
            asked, why = f"reports of {whole_values.size} people", "Some groups would have nobody."
            raise Refused(asked, why, f"{groups} people or more; or report_one(value) for a single device.")
        return tuple(
            level.randomize(whole_values[place::groups] >> (self.length - level.length), bits)
            for place, level in enumerate(self.levels)
        )

    def _checked(self, values: ArrayLike) -> Integers:
        read = np.asarray(values)
        if not (read.ndim == 1 and read.size > 0 and read.dtype.kind in "iu"):
            raise Refused("values that are no list of integers", "They cannot be read.", "one integer a person.")
        if not (read.min() >= 0 and int(read.max()) >> self.length == 0):
            raise Refused("a value that is too long", "It has no report.", f"0 to 2^{self.length} − 1.")
        return read.astype(np.int64)
