"""Propose–test–release: little noise where the data are far from any instability, and no answer elsewhere."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper
from tacit.frozen import frozen
from tacit.loss.composition.parallel import Worst
from tacit.loss.composition.sequential import Composition
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.loss.pairs.additive_noise import DiscreteLaplacePair
from tacit.mechanisms.additive.additive_mechanism import Additive
from tacit.mechanisms.additive.staircase import Staircase
from tacit.mechanisms.mechanism import Answer, Mechanism, cost
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.noise.ball import START_BITS, Ball, ball, first_true, fraction_up, less, precision
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace

_FARTHEST = 1 << 61


class Stable(NamedTuple):
    """An answer, and the number of changes until a neighbour's answer can differ from it by more than proposed."""

    answer: Any
    distance: int


@frozen
class ProposeTestRelease(Mechanism[Stable, "GuardedAnswer"]):
    """Releases `inner`'s answer if the noisy distance to instability exceeds a threshold, else withholds it (None).

    What the caller promises: `inner` hides answers of neighbours that differ by no more than its sensitivity;
    the distance is 0 wherever some neighbour's answer differs by more; and neighbours' distances differ by at most 1,
    as any least number of changes does. `stable_median` is such a pair.

    Claim (Dwork and Lei 2009, with the loss of each case kept apart): let p = P(X > threshold) for the test's
    discrete Laplace noise X of rate ε₁; the threshold is the least with p ≤ δ, by the noise's own tail. The release
    costs the worse of (a) the test and `inner` composed, and (b) (0, p). In particular it is (ε₁ + ε₂, δ)-private for
    an ε₂-private `inner`. Proof: if either of two neighbours has distance ≥ 1 their answers differ by no more than
    proposed: (a). If both have distance 0, the test has the same law on both and passes with probability p, whatever
    is then released: (b).
    """

    inner: Additive | Staircase
    relation: Relation
    test_epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "test_epsilon", positive(self.test_epsilon, "test_epsilon"))
        object.__setattr__(self, "delta", proper(self.delta, "delta"))
        if not isinstance(self.inner, Additive | Staircase):
            raise Refused(
                f"a {type(self.inner).__name__} behind a test",
                "What is released must be a number with noise of a proposed sensitivity.",
                "Laplace, Gaussian, DiscreteGaussian or Staircase.",
            )
        if self.relation is not self.inner.relation:
            raise Refused(
                f"a test under {self.relation} before a release under {self.inner.relation}",
                "Both must hide the same change.",
                "one relation for both.",
            )

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise of the test."""
        return DiscreteLaplace(1 / self.test_epsilon)

    @cached_property
    def threshold(self) -> int:
        """The noisy distance must exceed this: the least t ≥ 0 with P(X > t) ≤ δ."""
        return first_true(lambda t: less(lambda: self.noise.tail(t + 1), lambda: ball(self.delta)))

    def passing(self, distance: int) -> Ball:
        """The probability that an answer at this distance is released."""
        return self.noise.tail(self.threshold + 1 - distance)

    @cached_property
    def loss(self) -> Worst:
        with precision(START_BITS):
            slip = fraction_up(self.passing(0))
        test = DiscreteLaplacePair(self.test_epsilon, 1)
        return Worst((Composition((test, self.inner.loss)), Approx(0, slip)))

    def error(self, confidence: Number = "0.95") -> Any:
        """The exact quantile of the noise of an answer that is released."""
        return self.inner.error(confidence)

    def distance_needed(self, confidence: Number = "0.95") -> int:
        """The least distance at which the answer is released with this confidence."""
        share = proper(confidence, "confidence")
        return first_true(lambda k: less(lambda: ball(share), lambda: self.passing(k)))

    def privatize(self, value: Stable, bits: Bits) -> Any:
        """The private answer or None; both are always computed, so the time does not reveal which."""
        if not isinstance(value, Stable):
            kind = type(value).__name__
            raise Refused(f"a value of type {kind}", "It says no distance.", "a Stable, as `stable_median` gives it.")
        if isinstance(value.distance, bool) or not isinstance(value.distance, (int, np.integer)):
            raise Refused(f"a distance of type {type(value.distance).__name__}", "It counts records.", "an integer.")
        distance = min(max(int(value.distance), 0), _FARTHEST)
        noisy = int(self.noise.add(np.array([distance]), bits)[0])
        answer = self.inner.privatize(value.answer, bits)
        return answer if noisy > self.threshold else None

    def answer(self, private: Any) -> GuardedAnswer:
        return GuardedAnswer(private, self)


class GuardedAnswer(Answer):
    """A private answer, or None where the data did not pass the test."""

    @property
    def withheld(self) -> bool:
        return self.value is None

    def interval(self, confidence: Number = "0.95") -> tuple[Any, Any]:
        return (-math.inf, math.inf) if self.withheld else super().interval(confidence)

    def describe(self, confidence: Number = "0.95") -> str:
        if self.withheld:
            return f"withheld: the data did not pass the test of stability  (cost {cost(self.loss)})"
        return super().describe(confidence)


def stable_median(values: ArrayLike, span: PublicRange, sensitivity: Number) -> Stable:
    """The lower median of records in a public range, and its distance from a local sensitivity above the proposed.

    Claim, under replace: the distance is the least number of replacements after which some further one moves the
    median by more than `sensitivity`. With the records sorted and the range's ends before and after them, k
    replacements and one more can move the median from x[i] to x[j], or back, iff i ≤ m ≤ j and j − i ≤ k + 1 (Nissim,
    Raskhodnikova, Smith 2007); so it is the least j − i − 1 with x[j] − x[i] above the proposed. Where none is,
    nothing is unstable, and the distance is one more than the number of records.

    Under add/remove the same distance keeps both promises: a record more or less moves the median no farther than a
    replaced one can, and each j − i by at most 1. (The median of no records is the lower end; it is no more stable.)
    """
    records = np.sort(span.steps(values))
    proposed = math.floor(min(positive(sensitivity, "sensitivity") / span.grid.step, Fraction(span.size)))
    padded = np.concatenate([[span.first], records, [span.last]])
    middle = 1 + (records.size - 1) // 2
    left = np.arange(middle + 1)
    right = np.maximum(middle, np.searchsorted(padded, padded[left] + proposed, side="right"))
    apart = (right - left - 1)[right < padded.size]
    return Stable(span.place(int(padded[middle])), int(apart.min(initial=records.size + 1)))
