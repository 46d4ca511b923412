"""Real-valued noise, rounded exactly: the integer nearest to the true real number, never to a float near it.

A real noise is a function of uniform reals. Arb evaluates it on the bits drawn so far; while any value might round to
either of two integers, more bits of the uniforms are drawn. The integers are therefore a post-processing of the
real-valued mechanism, and each of its privacy claims holds as written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from tacit.exact import Number, exact, positive, proper, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Bits
from tacit.noise.uniform import UniformReal

Transform: TypeAlias = Callable[[Sequence[Ball]], Sequence[Ball]]


def round_exactly(function: Transform, uniforms: int, bits: Bits, *, width: int = 128) -> list[int]:
    """floor(x + ½) of each real x that `function` computes from this many independent uniform reals.

    `function` is called with balls that hold the uniforms, possibly several times, and must return balls that hold its
    values whenever its arguments hold theirs. No value may be a half-integer with positive probability unless its ball
    is exact. The results are Python integers of any size: if they must fit a type, clamp them only after the last
    addition. `width` is how many bits are drawn at first; the law is the same for every width.
    """
    reals = [UniformReal(bits, width=width) for _ in range(whole(uniforms, "uniforms"))]
    half = ball(Fraction(1, 2))
    while True:
        with precision(width + 64):
            floors = [(value + half).floor() for value in function([real.ball() for real in reals])]
            nearest = [int(integer) for floor in floors if (integer := floor.unique_fmpz()) is not None]
        if len(nearest) == len(floors):
            return nearest
        for real in reals:
            real.refine()
        width += 64


def exponential(uniform: Ball) -> Ball:
    """−ln(1 − U): density e^−x on x ≥ 0."""
    return -(-uniform).log1p()


def cauchy(uniform: Ball) -> Ball:
    """tan(π(U − ½)): density 1/(π(1 + x²))."""
    return -uniform.cot_pi()


def gamma(uniforms: Sequence[Ball]) -> Ball:
    """The sum of one exponential for each uniform: density x^(k−1)·e^−x/(k−1)! for k of them."""
    product = ball(1)
    for uniform in uniforms:
        product *= 1 - uniform
    return -product.log()


def normals(uniforms: Sequence[Ball]) -> list[Ball]:
    """Independent standard normals, as many as uniforms; the number is even (Box–Muller 1958)."""
    values: list[Ball] = []
    for first, second in zip(uniforms[::2], uniforms[1::2], strict=True):
        radius = (2 * exponential(first)).sqrt()
        sine, cosine = (2 * second).sin_cos_pi()
        values += (radius * cosine, radius * sine)
    return values


def direction(uniforms: Sequence[Ball], dimension: int) -> list[Ball]:
    """A uniformly random point of the unit sphere: `dimension` normals over their length; on the line, a sign."""
    if dimension == 1:
        return [(uniforms[0] - ball(Fraction(1, 2))).sgn()]
    values = normals(uniforms)[:dimension]
    length = sum((value**2 for value in values), ball(0)).sqrt()
    return [value / length for value in values]


@frozen
class RealNoise:
    """A real-valued noise vector: the number of uniforms it takes, and the function of them."""

    uniforms: int
    values: Transform

    def add(
        self,
        answers: Sequence[Fraction | int],
        scale: Fraction | int | Callable[[], Ball],
        bits: Bits,
        *,
        width: int = 128,
    ) -> list[int]:
        """The exact rounding of answer + scale·noise in each coordinate; nothing is rounded before the sum.

        A scale that is not rational (smooth sensitivity is e to some power) is a function that returns its ball.
        """

        def sums(uniforms: Sequence[Ball]) -> list[Ball]:
            factor = scale() if callable(scale) else ball(scale)
            return [ball(answer) + factor * noise for answer, noise in zip(answers, self.values(uniforms), strict=True)]

        return round_exactly(sums, self.uniforms, bits, width=width)


EXPONENTIAL: Final = RealNoise(1, lambda uniforms: [exponential(uniforms[0])])
CAUCHY: Final = RealNoise(1, lambda uniforms: [cauchy(uniforms[0])])


def gamma_noise(shape: int) -> RealNoise:
    """One gamma variable of whole shape."""
    return RealNoise(whole(shape, "shape", least=1), lambda uniforms: [gamma(uniforms)])


def normal_noise(dimension: int) -> RealNoise:
    """A vector of independent standard normals."""
    size = whole(dimension, "dimension", least=1)
    return RealNoise(size + size % 2, lambda uniforms: normals(uniforms)[:size])


def direction_noise(dimension: int) -> RealNoise:
    """A uniformly random unit vector."""
    size = whole(dimension, "dimension", least=1)
    return RealNoise(size + size % 2, lambda uniforms: direction(uniforms, size))


def euclidean_laplace_noise(dimension: int) -> RealNoise:
    """A vector with density proportional to e^−‖x‖₂: a gamma radius of shape `dimension` in a random direction.

    In polar coordinates the density of the radius is proportional to r^(d−1)·e^−r, the gamma law of shape d.
    """
    size = whole(dimension, "dimension", least=1)

    def values(uniforms: Sequence[Ball]) -> list[Ball]:
        radius = gamma(uniforms[:size])
        return [radius * part for part in direction(uniforms[size:], size)]

    return RealNoise(size + size + size % 2, values)


@frozen
class ExponentialLaw:
    """The exponential law with a given mean: its tail and quantile, for error bars."""

    mean: Fraction

    def __init__(self, mean: Number) -> None:
        object.__setattr__(self, "mean", positive(mean, "mean"))

    def tail(self, value: Number) -> Ball:
        """P(X ≥ value)."""
        return (-ball(max(exact(value, "value"), Fraction(0)) / self.mean)).exp()

    def quantile(self, probability: Number) -> Ball:
        """The x with P(X ≤ x) = probability."""
        return ball(self.mean) * exponential(ball(proper(probability, "probability")))
