"""People at places: who is where while a model is trained, and which places a step sees.

Nothing about one person may depend on where another one is, or whether they are there. So people are put on places in
uniformly random order, there are more places than people, and it is places that are sampled, taken or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, isqrt, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.uniform import Bernoulli

Places = NDArray[np.int64]
NOBODY: Final = -1  # at a place where there is no one


@frozen(eq=False)
class CountedPlaces:
    """The number of people with noise, and how many places are made for it.

    Claim: the count costs μ² = 1/variance; and there are places for everybody, and for one more, but with probability
    `overflow` at most. Proof: one person changes the number by 1. There are at least people + noise + margin + 1
    places, and noise, a rounded N(0, σ²), is below −margin only if the normal is, whose probability is at most
    e^{−margin²/2σ²}/2, with margin² ≥ 2σ²·ln(1/overflow).
    """

    variance: Fraction
    overflow: Fraction

    def released(self, people: int, bits: Bits) -> int:
        """The number of people, with noise."""
        return people + int(RoundedGaussian(self.variance).draw(1, bits)[0])

    @property
    def margin(self) -> int:
        squared = 2 * self.variance * ceil(log(self.overflow.denominator) - log(self.overflow.numerator) + 1)
        return isqrt(ceil(squared)) + 1

    def places(self, released: int) -> int:
        """How many places there are: public."""
        return max(released, 0) + self.margin + 1


@frozen(eq=False)
class SampledPlaces:
    """Who is at which place, and the places of each step.

    Claim, under add/remove, where places are at least as many as people: one step is a mixture, over arrangements and
    over samples of the other places, of pairs (f(S), f(S ∪ {p})) in which everybody but p is at the same place of the
    same micro-batch, and p's place is sampled with probability q. Proof. A uniformly random arrangement of people with
    p, without p, is a uniformly random one of the others, p's place being empty. Each place is sampled by its own
    coin of bias q, empty or not; micro-batches are consecutive runs of sampled places, so coins alone decide them.
    So, given the arrangement and the other coins, the step is f(S ∪ {p}) with probability q, else f(S), plus noise;
    without p it is f(S). Hockey-stick divergences are jointly convex, so the mixture over both costs what the worst
    pair does: a Gaussian of f's sensitivity on a sample of rate q. The arrangement may stay for several steps.
    """

    who: Places

    @classmethod
    def drawn(cls, people: int, places: int, bits: Bits) -> SampledPlaces:
        """A uniformly random arrangement; where places are too few, of as many people as they hold."""
        size = max(people, places)
        keys = bits.words(size)
        while len(np.unique(keys)) < size:  # a tie would favour one order
            keys = bits.words(size)
        order = np.argsort(keys).astype(np.int64)[:places]
        return cls(np.where(order < people, order, NOBODY))

    def batches(self, rate: Fraction, most: int, bits: Bits) -> Iterator[Places]:
        """A Poisson sample of places in equal micro-batches of at most `most`; none where the sample is empty."""
        taken = self.who[Bernoulli(rate).draw(len(self.who), bits) == 1]
        yield from np.array_split(taken, -(-len(taken) // most)) if len(taken) else ()
