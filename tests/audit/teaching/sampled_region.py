"""The privacy region of a mechanism, estimated from its outputs and laid over the region that it claims."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.membership.rounds import Played
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.loss.composition.region import Region
from tacit.loss.families.loss import Loss

_POINTS = 200


@frozen(eq=False)
class SampledRegion:
    """The error rates that thresholds on a score reached in so many samples of each world, beside a claim.

    The true rates of all thresholds at once exceed these by at most `reach`, with the stated confidence (Dvoretzky,
    Kiefer and Wolfowitz; Massart's constant): at a point moved up and right by it some test surely errs no more, and if
    the claim's region does not permit that, the claim is false.
    """

    claim: Loss
    alarms: tuple[float, ...]
    misses: tuple[float, ...]
    reach: tuple[float, float]
    confidence: float

    @property
    def violations(self) -> tuple[tuple[float, float], ...]:
        """The points that lie outside of the claimed region even after they were moved."""
        region = Region(self.claim)
        moved = [(a + self.reach[0], m + self.reach[1]) for a, m in zip(self.alarms, self.misses, strict=True)]
        return tuple((a, m) for a, m in moved if a <= 1 and m <= 1 and a + m < 1 and not region.permits(a, m))

    @property
    def is_refuted(self) -> bool:
        return bool(self.violations)

    def describe(self) -> str:
        if not self.is_refuted:
            return f"All tests tried lie within the region of {self.claim}, or no farther out than chance takes them."
        alarm, miss = min(self.violations, key=lambda point: point[0] + point[1])
        return (
            f"Refuted with {self.confidence:g} confidence: a test has false alarms ≤ {alarm:.3f} and misses ≤ "
            f"{miss:.3f}, which {self.claim} rules out."
        )

    def __str__(self) -> str:
        return self.describe()

    def draw(self, path: Path) -> None:
        """The samples' curve over the shaded region that the claim permits."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.4, 5.4), layout="constrained")
        axes = figure.subplots()
        corners = Region(self.claim).sample()
        below = np.array(corners)
        mirrored = 1 - below[::-1]
        outline = np.concatenate([below, mirrored])
        axes.fill(outline[:, 0], outline[:, 1], color="#c6dbef", label=f"claimed: {self.claim}")
        axes.plot(self.alarms, self.misses, color="#d1495b", linewidth=2, label="tests on samples")
        axes.plot([0, 1], [1, 0], color="grey", linestyle=":", linewidth=1, label="a blind guess")
        if self.is_refuted:
            outside = np.array(self.violations)
            axes.plot(outside[:, 0], outside[:, 1], ".", color="#1b1b1b", markersize=3, label="surely outside")
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarms", ylabel="misses", aspect="equal")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=9)
        figure.savefig(path, dpi=150)


def sample_region(claim: Loss, inside: ArrayLike, outside: ArrayLike, confidence: Number = "0.999") -> SampledRegion:
    """From scores of independent outputs of both worlds; the score must be fixed beforehand."""
    with_person, without = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    played = Played.of(
        np.concatenate([np.ones(with_person.size), np.zeros(without.size)]), np.concatenate([with_person, without])
    )
    level = proper(confidence, "confidence")
    alarms, hits = played.curve()
    chosen = np.unique(np.linspace(0, alarms.size - 1, _POINTS).round().astype(int))
    half = float(1 - level) / 2
    reach = sqrt(log(1 / half) / (2 * without.size)), sqrt(log(1 / half) / (2 * with_person.size))
    return SampledRegion(claim, tuple(alarms[chosen].tolist()), tuple((1 - hits[chosen]).tolist()), reach, float(level))
