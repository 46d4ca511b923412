"""Both ends of a bracket on one grid.

Both ends use the same grid: the width of the cells, the range, and the error allowed to the transform.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.discretization import Cells, cut
from tacit.loss.accountant.fourier import add_up
from tacit.loss.accountant.hockey_stick import delta_above, delta_below, epsilon_above, epsilon_below, unseen
from tacit.loss.accountant.lattice import Lattice, lower_lattice, upper_lattice
from tacit.loss.accountant.tilt import Cumulants, log_largest
from tacit.loss.distributions.step import Step
from tacit.loss.families.precision import Bracket

Steps = Sequence[tuple[Step, int]]

_SPARE = 1e-3  # the share of the gap allowed for errors of the transform


@frozen
class Resolution:
    """A grid of multiples of `spacing`: its cells' width, the mass outside, the error allowed (`spare`)."""

    spacing: float
    width: float
    tail: float
    spare: float

    def finer(self, factor: float, steps: Steps) -> Resolution:
        """The same grid with cells narrower by this factor."""
        return Resolution(aligned(self.spacing * factor, steps), self.width * factor, self.tail, self.spare)


def grid_for(steps: Steps, pilot: Cumulants, tilt: float, gap: float, tail: float) -> Resolution:
    """A grid that should bring the ends of ε within the gap; if it does not, the caller tries a finer one.

    Merging and splitting change a step's variance by about w²/4 in all, and a variance v more moves ε by (1+λ)v/2.
    Snapping moves a coin's or Laplace's loss r by h/4 on average, its variance by rh/2: that needs a spacing h finer
    than the cells' width w. A law that is narrow compared with the gap need not be resolved.
    """
    smooth = math.fsum(times for step, times in steps if step.continuous)
    width = pilot.deviation / 8
    if smooth:
        width = min(max(pilot.deviation, gap / 8), max(math.sqrt(4.5 * gap / ((1 + tilt) * smooth)), gap / smooth))
    spacing = width
    ladders = [(step, times) for step, times in steps if step.ladder]
    if len(steps) > 1 and ladders:
        spacing = min(spacing, 3.5 * gap / math.fsum(times * _moved(step, tilt) for step, times in ladders))
        width *= 0.8
    tables = math.fsum(times for step, times in steps if not step.continuous and not step.ladder)
    if tables:
        spacing = min(spacing, 1.4 * gap / tables)
    if not spacing > 0:
        raise Refused(
            "the numeric composition of losses that hardly vary",
            "They are too small for floats to tell them from 0.",
            "larger losses, or `compose`, which adds up exactly.",
        )
    return Resolution(aligned(spacing, steps), width, tail, _SPARE * min(gap, 1e-2))


def aligned(spacing: float, steps: Steps) -> float:
    """A spacing of at most this one: a whole fraction of the distance of the atoms, if all steps are of one kind."""
    own = steps[0][0].ladder if len(steps) == 1 else None
    return own.spacing / math.ceil(own.spacing / spacing) if own else spacing


def _moved(step: Step, tilt: float) -> float:
    """How fast ε falls as the atoms' distance does: by its variance, but never faster than the largest loss."""
    low, high = step.span(1e-3)
    rungs = (high - low) / step.ladder.spacing if step.ladder else 1.0
    return min((1 + tilt) * (high - low) / 2, max(1.0, rungs))


Parts = list[tuple[Lattice, int]]

_TURNS = 6
_LEAST_SPARE = 1e-14  # error that rounding causes in any case


@frozen
class Served:
    """An ε certified for δ, the direction and the tilted sum that certified it, and the work in frequencies."""

    epsilon: float
    mirrored: bool
    tilt: float
    spare: float
    work: int


def cut_all(steps: Steps, grid: Resolution) -> list[Cells]:
    """The cells of every step."""
    return [cut(step, grid.spacing, grid.width, grid.tail) for step, _ in steps]


def epsilon_upper(
    steps: Steps, cells: list[Cells], grid: Resolution, delta: float, guess: float, close: float
) -> Served:
    """An ε certified for δ in both directions."""
    forth = _served(_parts(upper_lattice, cells, steps), grid, delta, guess, close, mirrored=False)
    if all(step.symmetric for step, _ in steps):
        return forth
    back = _parts(upper_lattice, [one.mirrored() for one in cells], steps)
    if _surely_below(back, grid, forth.epsilon, delta):
        return forth
    other = _served(back, grid, delta, guess, close, mirrored=True)
    worse = other if other.epsilon > forth.epsilon else forth
    return replace(worse, work=forth.work + other.work)


def epsilon_lower(
    steps: Steps, cells: list[Cells], grid: Resolution, delta: float, guess: float, close: float, above: Served
) -> float:
    """An ε certified to be too small for δ, in the direction and under the tilt that decided the upper end."""
    parts = _parts(lower_lattice, _lower_cells(steps, cells, grid, above.mirrored), steps)
    total = add_up(grid.spacing, parts, Cumulants.of(grid.spacing, parts), above.tilt, above.spare)
    return epsilon_below(total, delta, guess, close)


def delta_bracket(steps: Steps, grid: Resolution, epsilon: float) -> tuple[Bracket, int]:
    """δ at ε, the worse direction at either end; and the work it took, in frequencies."""
    tops, bottoms, work = [], [], 0
    cells = cut_all(steps, grid)
    for mirrored in (False,) if all(step.symmetric for step, _ in steps) else (False, True):
        above = _parts(upper_lattice, [one.mirrored() for one in cells] if mirrored else cells, steps)
        cumulants = Cumulants.of(grid.spacing, above)
        tilt = cumulants.tilt_for_epsilon(epsilon - _shift(above))
        tops.append(
            delta_above(add_up(grid.spacing, above, cumulants, tilt, grid.spare), math.nextafter(epsilon, -1.0))
        )
        below = _parts(lower_lattice, _lower_cells(steps, cells, grid, mirrored), steps)
        under = add_up(grid.spacing, below, Cumulants.of(grid.spacing, below), tilt, grid.spare)
        bottoms.append(delta_below(under, math.nextafter(epsilon, math.inf)))
        work += under.work
    return Bracket(min(max(bottoms), max(tops)), max(tops)), work


def _parts(lattice: Callable[[Cells], Lattice], cells: Sequence[Cells], steps: Steps) -> Parts:
    return [(lattice(one), times) for one, (_, times) in zip(cells, steps, strict=True)]


def _lower_cells(steps: Steps, cells: list[Cells], grid: Resolution, mirrored: bool) -> list[Cells]:
    """The cells of the steps snapped to the grid; the steps dominate these, and merged losses then lie on the nodes."""
    found = []
    for (step, _), own in zip(steps, cells, strict=True):
        snapped = step.snapped(grid.spacing)
        found.append(own if snapped is step else cut(snapped, grid.spacing, grid.width, grid.tail))
    return [one.mirrored() for one in found] if mirrored else found


def _served(parts: Parts, grid: Resolution, delta: float, guess: float, close: float, mirrored: bool) -> Served:
    """The least ε that this end certifies for δ, with a tilt just strong enough to resolve δ a few `close` away.

    Chernoff's tilt is far too steep where large losses are rare (small samples): then the errors of the transform are
    as large as δ itself, at an ε that is too large. So it is tilted anew for the ε found, more gently and with less
    of the law left to chance, as long as that helps. Each turn's ε is certified.
    """
    cumulants = Cumulants.of(grid.spacing, parts)
    infinite = -math.expm1(math.fsum(times * math.log1p(-min(lattice.infinite, 0.5)) for lattice, times in parts))
    tilt = min(cumulants.tilt_for_delta(max(delta - infinite, delta * 1e-9)), 0.1 / close)
    spare, work, best = grid.spare, 0, None
    for _ in range(_TURNS):
        total = add_up(grid.spacing, parts, cumulants, tilt, spare)
        work += total.work
        top = epsilon_above(total, delta, guess, close)
        if best is not None and not top < best.epsilon - close:
            return replace(best if best.epsilon <= top else Served(top, mirrored, tilt, spare, 0), work=work)
        best = Served(top, mirrored, tilt, spare, work)
        if not 0 < top < math.inf or unseen(total, top) <= close * (1 + tilt) * delta:
            return best
        guess = top
        tilt, chernoff = cumulants.gentle_tilt(top - _shift(parts), 0.1 / close)
        spare = min(grid.spare, max(_LEAST_SPARE, 1e-3 * delta / chernoff))
    return best or Served(math.inf, mirrored, tilt, spare, work)


def _shift(parts: Parts) -> float:
    return math.fsum(times * lattice.shift for lattice, times in parts)


def _surely_below(parts: Parts, grid: Resolution, epsilon: float, delta: float) -> bool:
    """Whether Chernoff's bound alone shows δ(ε) ≤ δ, so that no sum is needed."""
    if not epsilon < math.inf:
        return True
    cumulants = Cumulants.of(grid.spacing, parts)
    at = epsilon - _shift(parts)
    tilt = cumulants.tilt_for_epsilon(at)
    largest = log_largest(tilt)
    infinite = math.fsum(times * lattice.infinite for lattice, times in parts)
    bound = cumulants(tilt) - tilt * at + largest
    return bound < 700 and (infinite + math.exp(bound)) * (1 + 1e-9) <= delta
