"""The numeric bracket: both ends on one grid, refined until they are close enough."""

from __future__ import annotations

import math
from collections.abc import Callable

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.bracket import Bracket
from tacit.loss.accountant.corner import least_epsilon
from tacit.loss.accountant.ends import cut_all, delta_bracket, epsilon_lower, epsilon_upper
from tacit.loss.accountant.grid import Grid, grid_for
from tacit.loss.accountant.pilot import survey
from tacit.loss.accountant.spectrum import MOST_WORK
from tacit.loss.accountant.step import Step

_OUTSIDE = 1e-7  # the share of δ that may lie beyond the cells
_ROUNDS = 6
_CLOSE = 0.05  # how near the search for ε comes to each end, in gaps


@frozen
class Numeric:
    """The composition of steps, each repeated so many times."""

    steps: tuple[tuple[Step, int], ...]

    def epsilon(self, delta: float, gap: float, most: float = math.inf) -> Bracket:
        """ε at δ, between ends at most `gap` apart; δ rounded down by at most one float. `most` is the parts' Σε."""
        barely = math.nextafter(delta, 1.0)
        least = least_epsilon(self.steps, barely)
        if most - least <= gap:
            return Bracket(min(least, most), most)
        started = self._start(delta, gap)
        if started is None:
            return Bracket(math.inf, math.inf)
        grid, guess = started

        def once(finer: Grid) -> tuple[Bracket, int]:
            cells = cut_all(self.steps, finer)
            found = epsilon_upper(self.steps, cells, finer, delta, min(guess, most), _CLOSE * gap)
            top = min(found.epsilon, most)
            if not 0 < top < math.inf:
                return Bracket(0.0, top), found.work
            bottom = epsilon_lower(self.steps, cells, finer, barely, top, _CLOSE * gap, found)
            return Bracket(min(max(bottom, least), top), top), found.work

        return self._refined(once, grid, gap, lambda found: found.gap, f"ε at δ = {delta:g}")

    def epsilon_above(self, delta: float, gap: float, most: float = math.inf) -> float:
        """The upper end of ε at δ alone, on the grid that should do for this gap; half the work."""
        if most - least_epsilon(self.steps, math.nextafter(delta, 1.0)) <= gap:
            return most
        started = self._start(delta, gap)
        if started is None:
            return math.inf
        grid, guess = started
        cells = cut_all(self.steps, grid)
        return min(most, epsilon_upper(self.steps, cells, grid, delta, min(guess, most), _CLOSE * gap).epsilon)

    def guess(self, delta: float) -> float:
        """About ε at δ, in a moment; certified by nothing."""
        if not self.steps:
            return 0.0
        started = self._start(delta, 1e-3)
        return math.inf if started is None else started[1]

    def delta(self, epsilon: float, gap: float) -> Bracket:
        """δ at ε, between ends whose ratio is at most 1+gap; ε rounded by at most one float."""
        if epsilon >= math.fsum(times * step.ceiling() for step, times in self.steps):
            return Bracket(*(self._given_away(end) * (1 + sign * 1e-12) for end, sign in ((0, -1), (1, 1))))
        pilot = survey(self.steps, 1e-40)
        tilt = pilot.tilt_for_epsilon(epsilon)
        rough = max(math.exp(min(0.0, pilot(tilt) - tilt * epsilon)), 1e-280)
        tail = rough * 1e-3 * _OUTSIDE / self._repetitions()
        grid = grid_for(self.steps, pilot, tilt, gap / (1 + tilt), tail)

        def ratio(found: Bracket) -> float:
            return found.upper / found.lower - 1 if found.lower > 0 else math.inf if found.upper > 0 else 0.0

        return self._refined(
            lambda finer: delta_bracket(self.steps, finer, epsilon), grid, gap, ratio, f"δ at ε = {epsilon:g}"
        )

    def grid(self, delta: float, gap: float) -> Grid:
        """A grid on which ε at δ should be known within the gap; refused where more than δ is given away."""
        started = self._start(delta, gap)
        if started is None:
            raise Refused(f"a plan at δ = {delta:g}", "It gives everything away more often than that.", "a larger δ.")
        return started[0]

    def _start(self, delta: float, gap: float) -> tuple[Grid, float] | None:
        """A grid and a guess of ε; None where more than δ is given away for certain."""
        surely, perhaps = (self._given_away(end) for end in (0, 1))
        if surely * (1 - 1e-12) >= delta:
            return None
        rest = max(delta - perhaps, delta * 1e-9)
        tail = rest * _OUTSIDE / self._repetitions()
        pilot = survey(self.steps, tail)
        tilt = pilot.tilt_for_delta(rest)
        guess = max(0.0, (pilot(tilt) - math.log(rest) - math.log1p(tilt)) / tilt)
        return grid_for(self.steps, pilot, tilt, gap, tail), guess

    def _repetitions(self) -> int:
        return sum(times for _, times in self.steps)

    def _given_away(self, end: int) -> float:
        """The probability of loss +∞, in the worse direction, from below (end 0) or above (1)."""
        kept = [
            math.fsum(times * math.log1p(-min(step.infinite()[way + end], 1 - 1e-16)) for step, times in self.steps)
            for way in (0, 2)
        ]
        return -math.expm1(min(kept))

    def _refined(
        self,
        once: Callable[[Grid], tuple[Bracket, int]],
        grid: Grid,
        gap: float,
        width: Callable[[Bracket], float],
        asked: str,
    ) -> Bracket:
        """The best of the brackets on finer and finer grids; each is true, so the tightest ends together are."""
        best, work = once(grid)
        spent = work
        for _ in range(_ROUNDS):
            excess = width(best) / gap
            if excess <= 1:
                return best
            factor = max(0.15, 0.85 / math.sqrt(excess))
            if spent + work / factor > MOST_WORK:
                break
            grid = grid.finer(factor, self.steps)
            found, work = once(grid)
            spent += work
            best = Bracket(max(best.lower, found.lower), min(best.upper, found.upper))
        if width(best) <= gap:
            return best
        raise Refused(
            f"{asked} within {gap:g}",
            f"It lies {best}, and bringing the ends closer takes too much work.",
            "a wider gap, a larger δ, or fewer or coarser parts.",
        )
