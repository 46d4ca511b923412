"""The numeric bracket: both ends on one grid, refined until they are close enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tacit.errors import Refused
from tacit.loss.accountant.bracket import Bracket
from tacit.loss.accountant.cells import Cells, cut
from tacit.loss.accountant.gain import delta_above, delta_below, epsilon_above, epsilon_below
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.lower import lower_lattice
from tacit.loss.accountant.pilot import survey
from tacit.loss.accountant.spectrum import Sum, add_up
from tacit.loss.accountant.step import Step
from tacit.loss.accountant.tilt import Cumulants
from tacit.loss.accountant.upper import upper_lattice

_OUTSIDE = 1e-7  # the share of δ that may lie beyond the cells
_SPARE = 1e-3  # the share of the gap that may go into errors of the transform
_ROUNDS = 6
Parts = list[tuple[Lattice, int]]


@dataclass(frozen=True)
class Numeric:
    """The composition of steps, each repeated so many times."""

    steps: tuple[tuple[Step, int], ...]

    @cached_property
    def repetitions(self) -> int:
        return sum(times for _, times in self.steps)

    def epsilon(self, delta: float, gap: float) -> Bracket:
        """ε at δ, between ends at most `gap` apart."""
        kept = math.fsum(times * math.log1p(-step.infinite()[1]) for step, times in self.steps)
        given = [-math.expm1(kept), -math.expm1(self._log_kept(0))]
        if min(given) >= delta:
            return Bracket(math.inf, math.inf)
        rest = max(delta - max(given), delta * 1e-9)
        pilot = survey(self.steps, rest * _OUTSIDE / self.repetitions)
        tilt = pilot.tilt_for_delta(rest)
        guess = max(0.0, (pilot(tilt) - math.log(rest) - math.log1p(tilt)) / tilt)

        def once(spacing: float) -> Bracket:
            return _epsilon_once(self.steps, spacing, delta, rest * _OUTSIDE / self.repetitions, guess, gap)

        return _refined(once, self._spacing(pilot, tilt, gap), gap, lambda found: found.gap, f"ε at δ = {delta:g}")

    def delta(self, epsilon: float, gap: float) -> Bracket:
        """δ at ε, between ends whose ratio is at most 1+gap."""
        pilot = survey(self.steps, 1e-40)
        tilt = pilot.tilt_for_epsilon(epsilon)
        rough = min(1.0, math.exp(pilot(tilt) - tilt * epsilon))
        tail = max(rough, 1e-280) * 1e-3 * _OUTSIDE / self.repetitions

        def once(spacing: float) -> Bracket:
            return _delta_once(self.steps, spacing, epsilon, tail, _SPARE * min(gap, 1e-2))

        def ratio(found: Bracket) -> float:
            return found.upper / found.lower - 1 if found.lower > 0 else math.inf if found.upper > 0 else 0.0

        return _refined(once, self._spacing(pilot, tilt, gap / (1 + tilt)), gap, ratio, f"δ at ε = {epsilon:g}")

    def _log_kept(self, which: int) -> float:
        return math.fsum(times * math.log1p(-step.infinite()[which]) for step, times in self.steps)

    def _spacing(self, pilot: Cumulants, tilt: float, gap: float) -> float:
        """A grid that should do: merging and splitting change each step's variance by about h²/4 in all."""
        smooth = math.sqrt(5 * gap / ((1 + tilt) * self.repetitions))
        spacing = min(smooth, pilot.deviation / 8)
        ladders = [(step, times) for step, times in self.steps if step.ladder]
        if len(self.steps) == 1 and ladders:
            own = ladders[0][0].ladder
            return own.spacing / math.ceil(own.spacing / spacing) if own else spacing
        if ladders:
            moved = math.fsum(times * _size(step) for step, times in ladders)
            spacing = min(spacing, 3 * gap / ((1 + tilt) * moved))
        return spacing


def _size(step: Step) -> float:
    low, high = step.span(1e-3)
    return (high - low) / 2


def _refined(
    once: Callable[[float], Bracket], spacing: float, gap: float, width: Callable[[Bracket], float], asked: str
) -> Bracket:
    """The best of the brackets on finer and finer grids; each is true, so the tightest ends together are."""
    best: Bracket | None = None
    for _ in range(_ROUNDS):
        found = once(spacing)
        best = found if best is None else Bracket(max(best.lower, found.lower), min(best.upper, found.upper))
        excess = width(best) / gap
        if excess <= 1:
            return best
        spacing *= max(0.15, 0.85 / math.sqrt(excess))
    raise Refused(
        f"{asked} within {gap:g}",
        f"The ends could not be brought closer than {best}.",
        "a wider gap, or fewer or coarser parts.",
    )


def _cells(steps: tuple[tuple[Step, int], ...], spacing: float, tail: float, growth: float) -> tuple[list[Cells], list[Cells]]:
    """The cells for the upper end and, snapped to the grid where that helps, for the lower one."""
    upper = [cut(step, spacing, tail, growth) for step, _ in steps]
    lower = []
    for (step, _), cells in zip(steps, upper, strict=True):
        snapped = step.snapped(spacing)
        lower.append(cells if snapped is step else cut(snapped, spacing, tail, growth))
    return upper, lower


def _epsilon_once(
    steps: tuple[tuple[Step, int], ...], spacing: float, delta: float, tail: float, guess: float, gap: float
) -> Bracket:
    times = [count for _, count in steps]
    close, spare = gap / 20, _SPARE * min(gap, 1e-2)
    upper, lower = _cells(steps, spacing, tail)
    parts = list(zip([upper_lattice(cells) for cells in upper], times, strict=True))
    cumulants, total = _summed(spacing, parts, delta, spare)
    top, mirrored = epsilon_above(total, delta, guess, close), False
    if not all(step.symmetric for step, _ in steps):
        back = list(zip([upper_lattice(cells.mirrored()) for cells in upper], times, strict=True))
        if not _surely_below(spacing, back, top, delta):
            _, other = _summed(spacing, back, delta, spare)
            back_top = epsilon_above(other, delta, guess, close)
            if back_top > top:
                top, total, mirrored = back_top, other, True
    if not top < math.inf:
        return Bracket(0.0, math.inf)
    seen = [cells.mirrored() for cells in lower] if mirrored else lower
    below = list(zip([lower_lattice(cells) for cells in seen], times, strict=True))
    under = add_up(spacing, below, Cumulants.of(spacing, below), total.tilt, spare)
    return Bracket(min(top, epsilon_below(under, delta, top, close)), top)


def _delta_once(steps: tuple[tuple[Step, int], ...], spacing: float, epsilon: float, tail: float, spare: float) -> Bracket:
    times = [count for _, count in steps]
    upper, lower = _cells(steps, spacing, tail)
    tops, bottoms = [], []
    for mirrored in (False,) if all(step.symmetric for step, _ in steps) else (False, True):
        seen = [cells.mirrored() for cells in upper] if mirrored else upper
        above = list(zip([upper_lattice(cells) for cells in seen], times, strict=True))
        cumulants = Cumulants.of(spacing, above)
        tilt = cumulants.tilt_for_epsilon(epsilon - _shift(above))
        tops.append(delta_above(add_up(spacing, above, cumulants, tilt, spare), epsilon))
        seen = [cells.mirrored() for cells in lower] if mirrored else lower
        below = list(zip([lower_lattice(cells) for cells in seen], times, strict=True))
        bottoms.append(delta_below(add_up(spacing, below, Cumulants.of(spacing, below), tilt, spare), epsilon))
    return Bracket(min(max(bottoms), max(tops)), max(tops))


def _summed(spacing: float, parts: Parts, delta: float, spare: float) -> tuple[Cumulants, Sum]:
    cumulants = Cumulants.of(spacing, parts)
    infinite = -math.expm1(math.fsum(times * math.log1p(-min(lattice.infinite, 0.5)) for lattice, times in parts))
    tilt = cumulants.tilt_for_delta(max(delta - infinite, delta * 1e-9))
    return cumulants, add_up(spacing, parts, cumulants, tilt, spare)


def _shift(parts: Parts) -> float:
    return math.fsum(times * lattice.shift for lattice, times in parts)


def _surely_below(spacing: float, parts: Parts, epsilon: float, delta: float) -> bool:
    """Whether Chernoff's bound alone already shows δ(ε) ≤ δ: then no sum is needed."""
    if not epsilon < math.inf:
        return True
    cumulants = Cumulants.of(spacing, parts)
    at = epsilon - _shift(parts)
    tilt = cumulants.tilt_for_epsilon(at)
    largest = tilt * math.log(tilt / (1 + tilt)) - math.log1p(tilt)  # of e^{−λt}(1−e^−t)
    infinite = math.fsum(times * lattice.infinite for lattice, times in parts)
    bound = cumulants(tilt) - tilt * at + largest
    return bound < 700 and (infinite + math.exp(bound)) * (1 + 1e-9) <= delta
