"""The Laplace mechanism on integers or a grid, and the truncated geometric mechanism.

Laplace gives pure privacy for values of bounded ℓ₁ sensitivity. The truncated geometric releases one count between 0
and a public n, with optimal utility under pure privacy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.loss.pairs.additive_noise import DiscreteLaplacePair
from tacit.mechanisms.additive.additive_mechanism import Additive
from tacit.mechanisms.inputs import in_steps
from tacit.noise import discrete_laplace as noise
from tacit.noise.ball import Ball, ball, first_true, less
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid, whole_steps_down

_FINENESS = 1024  # grid steps per scale, where the caller names no grid


@frozen
class Laplace(Additive):
    """Adds discrete Laplace noise of the given scale to each coordinate.

    Claim: if neighbours' values differ by at most `sensitivity` in ℓ₁ norm, the release costs what discrete Laplace
    noise shifted by that many whole steps costs; in particular it is (sensitivity in steps · step / scale)-private,
    with δ = 0. Proof: the privacy loss at y is Σ(|y_j−x′_j| − |y_j−x_j|)·step/scale ≤ ‖x−x′‖₁·step/scale; and
    the noise is log-concave, so moving one coordinate after the other is no worse than moving one by the whole
    distance (see `DiscreteLaplacePair`). The law of the noise is exact, and the sensitivity in steps includes rounding.
    """

    scale: Fraction = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, sensitivity: Number, relation: Relation, *, grid: Grid | None = None, dimension: int = 1
    ) -> Laplace:
        """The least noise that is ε-private: scale = sensitivity in steps / ε."""
        budget, bound = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity")
        trial = cls(bound, relation, grid, dimension, scale=bound / budget)
        return cls(bound, relation, grid, dimension, scale=trial.shift * trial.step / budget)

    @classmethod
    def for_reals(cls, epsilon: Number, sensitivity: Number, relation: Relation, *, dimension: int = 1) -> Laplace:
        """The same for real values, on a grid fine enough that rounding does not matter."""
        share = positive(sensitivity, "sensitivity") / whole(dimension, "dimension", 1)
        grid = Grid.below(min(share / positive(epsilon, "epsilon") / _FINENESS, share))
        return cls.for_epsilon(epsilon, sensitivity, relation, grid=grid, dimension=dimension)

    @property
    def shift(self) -> int:
        """The ℓ₁ sensitivity in whole steps."""
        if self.grid is None:
            return whole_steps_down(self.sensitivity)
        return self.grid.l1_steps_up(self.sensitivity, self.dimension)

    @cached_property
    def law(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.scale / self.step)

    @cached_property
    def loss(self) -> DiscreteLaplacePair:
        return DiscreteLaplacePair(self.step / self.scale, self.shift)


_MOST = (1 << 62) - 1


@frozen
class TruncatedGeometric(Additive):
    """Adds discrete Laplace noise to a count and cuts the result to 0 … limit.

    Claim: if neighbours' counts differ by at most `sensitivity` (in ℓ₁ norm, for several counts) and `limit` is
    public, the release costs what discrete Laplace noise shifted by that much costs: ε = sensitivity/scale with δ = 0.
    Proof: cutting at public ends is post-processing. For a shift of 1 it loses nothing: the privacy loss is ±1/scale
    on every output. For one count of sensitivity 1 no ε-private mechanism is more useful, whatever the reader's
    prior and monotone loss, once the reader has remapped the output (`best_remap`; Ghosh, Roughgarden, Sundararajan
    2009). The limit must not be the number of people in the data under add/remove: there it is private, and an
    output above the smaller of two limits tells them apart with certainty, ε = ∞.
    """

    scale: Fraction = field(kw_only=True)
    limit: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        object.__setattr__(self, "limit", whole(self.limit, "limit"))
        if not self.limit <= _MOST:
            raise Refused(f"a limit of {self.limit}", "64 bits do not hold it.", f"limit ≤ {_MOST}.")
        if self.grid is not None:
            raise Refused("a count on a grid", "A count is a whole number.", "grid=None.")

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, limit: int, relation: Relation, *, sensitivity: Number = 1
    ) -> TruncatedGeometric:
        """The least noise that is ε-private: scale = sensitivity/ε."""
        bound = whole_steps_down(positive(sensitivity, "sensitivity"))
        return cls(Fraction(bound), relation, scale=max(1, bound) / positive(epsilon, "epsilon"), limit=limit)

    @cached_property
    def law(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.scale)

    @cached_property
    def loss(self) -> DiscreteLaplacePair:
        return DiscreteLaplacePair(1 / self.scale, whole_steps_down(self.sensitivity))

    def law_at(self, count: int) -> noise.TruncatedGeometricLaw:
        """The law of the output for one count; a count beyond the limits is moved to them first."""
        return noise.TruncatedGeometricLaw(self.limit, min(max(int(count), 0), self.limit), self.scale)

    def probability(self, count: int, output: int) -> Ball:
        """P(output) for one count."""
        return self.law_at(count).mass(output)

    def privatize(self, value: ArrayLike, bits: Bits) -> Any:
        inside = np.clip(in_steps(value, None), 0, self.limit)
        noisy = np.clip(self.law.add(inside.ravel(), bits).reshape(inside.shape), 0, self.limit)
        return noisy if inside.ndim else int(noisy)

    def error(self, confidence: Number = "0.95", cells: int = 1) -> int:
        """The exact quantile of |output − count| at the worst counts, all `cells` of them at once.

        A count farther than t from both ends errs beyond t on two sides, one near an end on one side at most.
        """
        share, draws = proper(confidence, "confidence"), whole(cells, "cells", 1)

        def holds(t: int) -> bool:
            sides = 0 if t >= self.limit else 2 if 2 * (t + 1) <= self.limit else 1
            return sides == 0 or less(lambda: ball(share), lambda: (1 - sides * self.law.tail(t + 1)) ** draws)

        return first_true(holds)


def best_remap(
    mechanism: TruncatedGeometric, prior: Sequence[float], penalty: Callable[[int, int], float]
) -> tuple[int, ...]:
    """For each output, the guess of least expected penalty(count, guess) to a reader with this prior over counts.

    It is computed from the output alone, so it costs nothing. It needs a table of (limit + 1)² numbers.
    """
    counts = range(mechanism.limit + 1)
    if not len(prior) == len(counts):
        raise Refused(f"a prior over {len(prior)} counts", "It must weigh every count.", f"{len(counts)} weights.")
    channel = np.array([[float(mechanism.probability(count, output)) for output in counts] for count in counts])
    penalties = np.array([[penalty(count, guess) for guess in counts] for count in counts])
    expected = penalties.T @ (np.asarray(prior, np.float64)[:, None] * channel)
    return tuple(int(guess) for guess in expected.argmin(axis=0))
