"""How fine to cut, how far to look and how much to spend on the transform: what both ends of a bracket share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.step import Step
from tacit.loss.accountant.tilt import Cumulants

Steps = Sequence[tuple[Step, int]]

_SPARE = 1e-3  # the share of the gap that may go into errors of the transform


@frozen
class Grid:
    """Nodes on multiples of `spacing`,

    cells of about `width`, `tail` left outside, `spare` of the law free to be wrong.
    """

    spacing: float
    width: float
    tail: float
    spare: float

    def finer(self, factor: float, steps: Steps) -> Grid:
        """The same grid with cells this much narrower."""
        return Grid(aligned(self.spacing * factor, steps), self.width * factor, self.tail, self.spare)


def grid_for(steps: Steps, pilot: Cumulants, tilt: float, gap: float, tail: float) -> Grid:
    """A grid that should bring the ends of ε within the gap; if it does not, a finer one will be asked for.

    Merging and splitting change a step's variance by about w²/4 in all, and a variance v more moves ε by (1+λ)v/2.
    Snapping moves a coin's or Laplace's loss r by h/4 on average, its variance by rh/2: that wants a finer
    spacing h than the cells' width w. A law that is narrow beside the gap need not be resolved.
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
    return Grid(aligned(spacing, steps), width, tail, _SPARE * min(gap, 1e-2))


def aligned(spacing: float, steps: Steps) -> float:
    """At most this spacing; a whole fraction of the distance of the atoms, if there is one kind of step only."""
    own = steps[0][0].ladder if len(steps) == 1 else None
    return own.spacing / math.ceil(own.spacing / spacing) if own else spacing


def _moved(step: Step, tilt: float) -> float:
    """How fast ε falls as the atoms' distance does: by its variance, but never faster than the largest loss."""
    low, high = step.span(1e-3)
    rungs = (high - low) / step.ladder.spacing if step.ladder else 1.0
    return min((1 + tilt) * (high - low) / 2, max(1.0, rungs))
