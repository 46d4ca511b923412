"""Both ends of a bracket on one grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tacit.loss.accountant.bracket import Bracket
from tacit.loss.accountant.cells import Cells, cut
from tacit.loss.accountant.gain import delta_above, delta_below, epsilon_above, epsilon_below
from tacit.loss.accountant.grid import Grid, Steps
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.lower import lower_lattice
from tacit.loss.accountant.spectrum import Sum, add_up
from tacit.loss.accountant.tilt import Cumulants
from tacit.loss.accountant.upper import upper_lattice

Parts = list[tuple[Lattice, int]]


def cut_all(steps: Steps, grid: Grid) -> list[Cells]:
    """The cells of every step."""
    return [cut(step, grid.spacing, grid.width, grid.tail) for step, _ in steps]


def epsilon_upper(
    steps: Steps, cells: list[Cells], grid: Grid, delta: float, guess: float, close: float
) -> tuple[float, float, bool]:
    """An ε certified for δ in both directions, the tilt that served, and whether the mirrored direction decides."""
    total = _sum_for_delta(_parts(upper_lattice, cells, steps), grid, delta, close)
    top = epsilon_above(total, delta, guess, close)
    if all(step.symmetric for step, _ in steps):
        return top, total.tilt, False
    back = _parts(upper_lattice, [one.mirrored() for one in cells], steps)
    if _surely_below(back, grid, top, delta):
        return top, total.tilt, False
    other = _sum_for_delta(back, grid, delta, close)
    back_top = epsilon_above(other, delta, guess, close)
    return (back_top, other.tilt, True) if back_top > top else (top, total.tilt, False)


def epsilon_lower(
    steps: Steps,
    cells: list[Cells],
    grid: Grid,
    delta: float,
    guess: float,
    close: float,
    tilt: float,
    mirrored: bool,
) -> float:
    """An ε certified to be too small for δ, in the one direction asked for."""
    parts = _parts(lower_lattice, _lower_cells(steps, cells, grid, mirrored), steps)
    total = add_up(grid.spacing, parts, Cumulants.of(grid.spacing, parts), tilt, grid.spare)
    return epsilon_below(total, delta, guess, close)


def delta_bracket(steps: Steps, grid: Grid, epsilon: float) -> Bracket:
    """δ at ε, the worse direction at either end."""
    tops, bottoms = [], []
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
    return Bracket(min(max(bottoms), max(tops)), max(tops))


def _parts(lattice: Callable[[Cells], Lattice], cells: Sequence[Cells], steps: Steps) -> Parts:
    return [(lattice(one), times) for one, (_, times) in zip(cells, steps, strict=True)]


def _lower_cells(steps: Steps, cells: list[Cells], grid: Grid, mirrored: bool) -> list[Cells]:
    """Of the steps snapped to the grid, which they dominate; snapping lets the merged losses land on the nodes."""
    found = []
    for (step, _), own in zip(steps, cells, strict=True):
        snapped = step.snapped(grid.spacing)
        found.append(own if snapped is step else cut(snapped, grid.spacing, grid.width, grid.tail))
    return [one.mirrored() for one in found] if mirrored else found


def _sum_for_delta(parts: Parts, grid: Grid, delta: float, close: float) -> Sum:
    """Tilted for this δ, but no more than lets δ be seen a few `close` away from the ε that is sought."""
    cumulants = Cumulants.of(grid.spacing, parts)
    infinite = -math.expm1(math.fsum(times * math.log1p(-min(lattice.infinite, 0.5)) for lattice, times in parts))
    tilt = min(cumulants.tilt_for_delta(max(delta - infinite, delta * 1e-9)), 0.1 / close)
    return add_up(grid.spacing, parts, cumulants, tilt, grid.spare)


def _shift(parts: Parts) -> float:
    return math.fsum(times * lattice.shift for lattice, times in parts)


def _surely_below(parts: Parts, grid: Grid, epsilon: float, delta: float) -> bool:
    """Whether Chernoff's bound alone already shows δ(ε) ≤ δ: then no sum is needed."""
    if not epsilon < math.inf:
        return True
    cumulants = Cumulants.of(grid.spacing, parts)
    at = epsilon - _shift(parts)
    tilt = cumulants.tilt_for_epsilon(at)
    largest = tilt * math.log(tilt / (1 + tilt)) - math.log1p(tilt)  # of e^{−λt}(1−e^−t)
    infinite = math.fsum(times * lattice.infinite for lattice, times in parts)
    bound = cumulants(tilt) - tilt * at + largest
    return bound < 700 and (infinite + math.exp(bound)) * (1 + 1e-9) <= delta
