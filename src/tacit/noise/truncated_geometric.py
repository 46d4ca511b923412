"""The truncated geometric law: a whole number plus discrete Laplace noise, cut to 0 … n (Ghosh et al. 2009)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.law import Law


@frozen
class TruncatedGeometric(Law):
    """min(n, max(0, centre + X)) for discrete Laplace X: all that lies beyond an end is an atom on it."""

    limit: int
    centre: int
    scale: Fraction

    def __init__(self, limit: int, centre: int, scale: Number) -> None:
        object.__setattr__(self, "limit", whole(limit, "limit"))
        object.__setattr__(self, "centre", min(whole(centre, "centre"), self.limit))
        object.__setattr__(self, "scale", positive(scale, "scale"))

    def mass(self, value: int) -> Ball:
        if 0 < value < self.limit:
            return DiscreteLaplace(self.scale).mass(value - self.centre)
        return self.tail(value) - self.tail(value + 1)

    def tail(self, value: int) -> Ball:
        if value <= 0 or value > self.limit:
            return ball(int(value <= 0))
        return DiscreteLaplace(self.scale).tail(value - self.centre)

    def draw(self, size: int, bits: Bits) -> Integers:
        centres = np.full(size, self.centre, np.int64)
        return np.clip(DiscreteLaplace(self.scale).add(centres, bits), 0, self.limit)
