"""The numeric bracket: both ends on one grid, refined until they are close enough."""

from __future__ import annotations

import math
from collections.abc import Callable

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.bracket_ends import (
    Resolution,
    cut_all,
    delta_bracket,
    epsilon_lower,
    epsilon_upper,
    grid_for,
)
from tacit.loss.accountant.fourier import MOST_WORK
from tacit.loss.accountant.pilot import least_epsilon, survey
from tacit.loss.accountant.rare import RareLosses, are_rare
from tacit.loss.distributions.step import Step
from tacit.loss.families.precision import Bracket

_OUTSIDE = 1e-7  # the share of δ that may lie beyond the cells
_ROUNDS = 6
_CLOSE = 0.05  # how close the search for ε comes to each end, in gaps
_NEAR = 0.98
_FARTHER = 1e-8  # of the tail: how much less is left outside where large losses are rare
_COARSER = (1.0, 4.0, 16.0, 64.0)  # factors of the grids to try where the intended one takes too much work


@frozen
class Numeric:
    """The composition of steps, each repeated so many times."""

    steps: tuple[tuple[Step, int], ...]

    def epsilon(self, delta: float, gap: float, most: float = math.inf, demanded: bool = True) -> Bracket:
        """ε at δ, between ends at most `gap` apart; δ rounded down by at most one float. `most` is the parts' Σε.

        Where that takes too much work, a bracket that is `demanded` is refused; otherwise the closest one found is
        returned.
        """
        barely = math.nextafter(delta, 1.0)
        least = least_epsilon(self.steps, barely)
        if most - least <= gap:
            return Bracket(min(least, most), most)
        started = self._start(delta, gap)
        if started is None:
            return Bracket(math.inf, math.inf)
        grid, guess = started

        def once(finer: Resolution) -> tuple[Bracket, int]:
            cells = cut_all(self.steps, finer)
            found = epsilon_upper(self.steps, cells, finer, delta, min(guess, most), _CLOSE * gap)
            top = min(found.epsilon, most)
            if not 0 < top < math.inf:
                return Bracket(0.0, top), found.work
            bottom = epsilon_lower(self.steps, cells, finer, barely, top, _CLOSE * gap, found)
            return Bracket(min(max(bottom, least), top), top), found.work

        def rare(made: RareLosses) -> Bracket:
            found = made.epsilon(delta)
            return Bracket(max(least, min(found.lower, most)), min(found.upper, most))

        unknown = Bracket(min(least, most), most)
        found = self._refined(once, rare, grid, gap, lambda found: found.gap, unknown, guess)
        return _given(found, found.gap <= gap, demanded or found == unknown, f"ε at δ = {delta:g} within {gap:g}")

    def epsilon_above(self, delta: float, gap: float, most: float = math.inf) -> float:
        """The upper end of ε at δ alone, on the grid meant for this gap, for half the work."""
        if most - least_epsilon(self.steps, math.nextafter(delta, 1.0)) <= gap:
            return most
        started = self._start(delta, gap)
        if started is None:
            return math.inf
        grid, guess = started
        if len(self.steps) == 1 and are_rare(*self.steps[0], guess):
            return self.epsilon(delta, gap, most, demanded=False).upper
        cells = cut_all(self.steps, grid)
        return min(most, epsilon_upper(self.steps, cells, grid, delta, min(guess, most), _CLOSE * gap).epsilon)

    def guess(self, delta: float) -> float:
        """A quick estimate of ε at δ, not a bound."""
        if not self.steps:
            return 0.0
        started = self._start(delta, 1e-3)
        return math.inf if started is None else started[1]

    def delta(self, epsilon: float, gap: float, demanded: bool = True) -> Bracket:
        """δ at ε, between ends whose ratio is at most 1+gap; ε rounded by at most one float. `demanded` as for ε."""
        if epsilon >= math.fsum(times * step.ceiling() for step, times in self.steps):
            return Bracket(*(self._given_away(end) * (1 + sign * 1e-12) for end, sign in ((0, -1), (1, 1))))
        pilot = survey(self.steps, 1e-40)
        tilt = pilot.tilt_for_epsilon(epsilon)
        rough = max(math.exp(min(0.0, pilot(tilt) - tilt * epsilon)), 1e-280)
        tail = rough * 1e-3 * _OUTSIDE / self._repetitions()
        grid = grid_for(self.steps, pilot, tilt, gap / (1 + tilt), tail)

        def ratio(found: Bracket) -> float:
            return found.upper / found.lower - 1 if found.lower > 0 else math.inf if found.upper > 0 else 0.0

        unknown = Bracket(0.0, 1.0)
        found = self._refined(
            lambda finer: delta_bracket(self.steps, finer, epsilon),
            lambda made: made.delta(epsilon),
            grid,
            gap,
            ratio,
            unknown,
            epsilon,
        )
        return _given(found, ratio(found) <= gap, demanded or found == unknown, f"δ at ε = {epsilon:g} within {gap:g}")

    def grid(self, delta: float, gap: float) -> Resolution:
        """A grid on which ε at δ should be known within the gap.

        Refused where the probability of infinite loss exceeds δ.
        """
        started = self._start(delta, gap)
        if started is None:
            raise Refused(f"a plan at δ = {delta:g}", "It gives everything away more often than that.", "a larger δ.")
        return started[0]

    def _start(self, delta: float, gap: float) -> tuple[Resolution, float] | None:
        """A grid and an estimate of ε; None if more than δ is disclosed with certainty."""
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
        once: Callable[[Resolution], tuple[Bracket, int]],
        rare: Callable[[RareLosses], Bracket],
        grid: Resolution,
        gap: float,
        width: Callable[[Bracket], float],
        known: Bracket,
        near: float,
    ) -> Bracket:
        """The best of the brackets on finer and finer grids; each is valid, so are the two tightest ends.

        Equal steps with rare, large losses are tried by `RareLosses` first; other equal steps where the first grid
        leaves the ends too far apart, absolutely or relative to their size. `near` is about the ε in question.
        """
        alike = len(self.steps) == 1 and self.steps[0][1] > 1
        tried = alike and are_rare(*self.steps[0], near)
        if tried:
            known = _both(known, self._by_rare(rare, grid, known))
            if width(known) <= gap:
                return known
        best, work, grid = self._first(once, grid, known)
        spent = work
        if alike and not tried and (width(best) > gap or best.lower < _NEAR * best.upper):
            best = _both(best, self._by_rare(rare, grid, best))
        for _ in range(_ROUNDS):
            excess = width(best) / gap
            factor = max(0.15, 0.85 / math.sqrt(max(excess, 1.0)))
            if not excess > 1 or spent + work / factor > MOST_WORK:
                break
            grid = grid.finer(factor, self.steps)
            try:
                found, work = once(grid)
            except Refused:
                break
            spent += work
            best = _both(best, found)
        return best

    def _by_rare(self, rare: Callable[[RareLosses], Bracket], grid: Resolution, known: Bracket) -> Bracket:
        """The bracket by rare, large losses; the known one where such losses exceed the range of floats."""
        (step, times), *_ = self.steps
        try:
            return rare(RareLosses.of(step, times, max(_FARTHER * grid.tail, 1e-290)))
        except Refused:
            return known

    def _first(
        self, once: Callable[[Resolution], tuple[Bracket, int]], grid: Resolution, known: Bracket
    ) -> tuple[Bracket, int, Resolution]:
        """The bracket on the first grid that does not take too much work, the work, and that grid."""
        for factor in _COARSER:
            coarse = grid if factor == 1 else grid.finer(factor, self.steps)
            try:
                found, work = once(coarse)
                return _both(known, found), work, coarse
            except Refused:
                continue
        return known, MOST_WORK, grid


def _given(found: Bracket, is_close: bool, demanded: bool, asked: str) -> Bracket:
    """The bracket; refused if it is not close and a close one is demanded."""
    if is_close or (not demanded and found.upper < math.inf):
        return found
    raise Refused(
        asked,
        f"It lies {found}, and bringing the ends closer takes too much work.",
        "a wider gap, a larger δ, or fewer or coarser parts.",
    )


def _both(one: Bracket, other: Bracket) -> Bracket:
    """The intersection of two valid brackets."""
    lower, upper = max(one.lower, other.lower), min(one.upper, other.upper)
    return Bracket(min(lower, upper), upper)
