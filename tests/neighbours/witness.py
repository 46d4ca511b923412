"""A recorder at the one place where noise is added: it gets every integer of a release, by any route.

Runs on neighbours are coupled: all of them get the draws of the first, so that a second
stage (limits that were found, the grids of a profile) is compared under the same first, as the promise composes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.noise.bits import Seeded
from tacit.query.execution import profile_release, run
from tacit.query.plans.group_keys import GeometricRule, KeyRule
from tacit.query.plans.price import NoiseShare

Integers = NDArray[np.int64]
_real_noise, _real_tallied, _real_order = run.with_noise, run._tallied, run.in_group_order


@dataclass(frozen=True)
class Block:
    """One vector of integers, and the noise that was made for it; None where people are only counted."""

    name: str
    vector: Mapping[Hashable, int]
    noise: NoiseShare | None
    most: int = 1  # keys that one person may be counted in, where there is no noise

    def moved(self, other: Block) -> tuple[Fraction, Fraction]:
        """The distance of the two in radii, squared for ℓ₂, and its cost: μ², or ε of Laplace noise."""
        moves = [self.vector.get(place, 0) - other.vector.get(place, 0) for place in {*self.vector, *other.vector}]
        if self.noise is None:
            return Fraction(
                max(max(map(abs, moves), default=0), -(-len([*filter(None, moves)]) // self.most))
            ), Fraction(0)
        if self.noise.is_gaussian:
            squares = sum(move * move for move in moves)
            return Fraction(squares, max(1, self.noise.radius) ** 2), Fraction(squares) / self.noise.law.variance
        far = sum(map(abs, moves))
        return Fraction(far, max(1, self.noise.radius)), Fraction(far) / self.noise.law.scale

    def reach(self, times: int) -> int:
        """The largest `moved` allowed between data that are so many people apart."""
        return times**2 if self.noise is not None and self.noise.is_gaussian else times


@dataclass
class Witness:
    """What reached the noise in one run, and what was drawn; `script` is what an earlier run drew."""

    seed: int
    script: Sequence[Integers] = ()
    blocks: list[Block] = field(default_factory=list)
    drawn: list[Integers] = field(default_factory=list)
    groups: Sequence[Hashable] | None = None
    tally: dict[Hashable, int] | None = None  # of the tally that is being read
    tally_noise: list[NoiseShare] = field(default_factory=list)

    def with_noise(self, values: Integers, noise: NoiseShare, bits: object) -> Integers:
        """In place of `run.with_noise`."""
        if self.tally is not None:
            place = len(self.tally_noise)
            self.tally.update({(place, *key): number for key, number in self._placed(values)})
            self.tally_noise.append(noise)
        else:
            self.blocks.append(Block("vector", dict(self._placed(values)), noise))
        place = len(self.drawn)
        given = self.script[place] if place < len(self.script) else None
        noisy = _real_noise(values, noise, Seeded(self.seed + place)) if given is None else given
        self.drawn.append(noisy)
        return noisy if noisy.shape == values.shape else values

    def tallied(self, plan: Any, block: Any, table: Any, noisy: Any, bits: Any) -> Any:
        """In place of `run._tallied`: all measures of a tally are one vector."""
        self.groups, self.tally, self.tally_noise = plan.groups, {}, []
        found = _real_tallied(plan, block, table, noisy, bits)
        if self.tally_noise:
            self.blocks.append(Block("tally", self.tally, self.tally_noise[0]))
        self.tally = None
        return found

    def in_group_order(self, columns: Sequence[Sequence[Any]]) -> Any:
        """In place of `run.in_group_order`."""
        self.groups = _real_order(columns)
        return self.groups

    def shown(self, rule: KeyRule | GeometricRule, weights: Integers, bits: object) -> NDArray[np.bool_]:
        """In place of both rules: every key is shown, so that all possible keys are compared."""
        noise, most = (rule.noise, 1) if isinstance(rule, KeyRule) else (None, rule.most)
        self.blocks.append(Block("keys", dict(self._placed(weights)), noise, most))
        return np.ones(len(weights), np.bool_)

    def _placed(self, values: Integers) -> Iterator[tuple[tuple[Hashable, ...], int]]:
        """Each number by its group and its place in it; zeros are left out, as an absent group is."""
        flat = values.ravel()
        width = max(1, flat.size // max(1, len(self.groups))) if self.groups else 1
        for place in np.flatnonzero(flat):
            named = (self.groups[place // width], place % width) if self.groups else (int(place),)
            yield named, int(flat[place])


@contextmanager
def witnessed(seed: int, script: Sequence[Integers] = ()) -> Iterator[Witness]:
    """Runs in this block are recorded."""
    witness = Witness(seed, script)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "with_noise", witness.with_noise)
        patch.setattr(profile_release, "with_noise", witness.with_noise)
        patch.setattr(run, "_tallied", witness.tallied)
        patch.setattr(run, "in_group_order", witness.in_group_order)
        for rule in (KeyRule, GeometricRule):
            patch.setattr(rule, "shown", lambda own, weights, bits: witness.shown(own, weights, bits))
        yield witness
