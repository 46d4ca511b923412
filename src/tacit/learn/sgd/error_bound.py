"""How far one person can move the whole numbers of a step, with every error of float32 in it.

The claim is about what the machine adds up, not about real numbers. It rests on two facts of arithmetic: a sum of K
products in float32, in any order, with or without fused operations, is within γ_K·Σ|x·y| of the true one, plus what
underflows; and at a fixed shape and place each person's numbers are computed from their own rows (`network`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isqrt, log2
from typing import Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.sgd.gradient_parts import PartSize

UNIT: Final = Fraction(1, 2**24)
_UNDERFLOW: Final = Fraction(1, 2**40)
_EXTRA: Final = 24  # operations of a norm besides its sums
_GRID: Final = 2**10  # steps of the grid, times √d, in a clip
_CLIPS: Final = (Fraction(1, 2**20), Fraction(2**20))
MOST_ERROR: Final = Fraction(1, 50)
MOST_PLACES: Final = 384
EXACT_BATCHES: Final = 2**12  # micro-batches whose sums add up exactly in float64
_MOST_WEIGHTS: Final = 2**30


@frozen
class ErrorBound:
    """The clip of one person's gradient such that sums of a micro-batch move by `clip` at most, errors included.

    Claim: let two worlds have the same weights, and the same people at the same places of every micro-batch, but one
    person, whose place is empty in one of them. Then the vectors of whole numbers, Σ over micro-batches of
    round(G/`step`), G being the float32 sum of clipped gradients, differ by `clip`/`step` at most in ℓ₂ norm.

    Proof. People's numbers a, b and norms are the same in both worlds but for the one person, so other micro-batches
    are equal bit by bit. In the person's own, write g_i for the exact gradient that the computed a, b of person i make,
    n_i for its norm, m_i for its absolute norm (the root of the sum over weights of the squares of Σ_s ‖b_s‖·‖a_s‖),
    c_i for the factor, and P for its places.

    1. Norms. Sums of N products give computed squares n̂², m̂² with |n̂² − n²| ≤ γ_N·m² + τ and
       m² ≤ (m̂² + τ)/(1 − γ_N), where τ is what underflows while norms are at most 2³⁰. For γ_N ≤ ¼ therefore
       n² ≤ n̂² + 2γ_N·m̂² + 2τ and m² ≤ (1 + 2γ_N)·m̂² + 2τ. The factor c = min(1, inner/n, reach·inner/m) of these
       upper ends is computed in float64 and taken 2⁻²² lower before it becomes a float32, more than all its roundings.
       So c·n ≤ inner and c·m ≤ reach·inner.
    2. Sums. A coordinate of G adds K products of c·b, rounded once, and a: it is off by γ_{K+1}·Σ c|b||a| at most, and
       the vector of these, over all weights, has norm Σ_i c_i·m_i ≤ P·reach·inner at most, by the triangle inequality.
       G is off by γ_{K+1}·P·reach·inner in each world, whatever the order.
    3. So ‖G − G′‖ ≤ c·n + 2·γ_{K+1}·P·reach·inner ≤ inner·(1 + η), plus what underflows. An empty place, or a person
       with a number that is NaN, infinite or beyond 2³⁰, is replaced by zeros: it adds 0 to every sum.
    4. The step is a power of 2, by which factors are divided exactly, so that sums are G/step; rounding moves each
       coordinate by ½ at most in each world, hence the difference by √d. A sum of a micro-batch is at most
       2·384·2¹¹·√d < 2³⁷ in size, so 2¹² of them add up exactly in float64, and then are added as integers. `inner` is
       (clip − √d·step − underflow)/(1 + η), rounded down.
    """

    clip: Fraction
    people: int  # places P of a micro-batch, at most
    sizes: tuple[PartSize, ...]
    dimension: int

    def __post_init__(self) -> None:
        if not _CLIPS[0] <= self.clip <= _CLIPS[1]:
            raise Refused(f"a clip of {float(self.clip):g}", "Float32 must tell it from 0.", "2^-20 to 2^20.")
        if not self.dimension <= _MOST_WEIGHTS:
            raise Refused(f"{self.dimension:,} weights", "Their sums would not be exact.", "at most 2^30.")
        if not (self.people <= MOST_PLACES and self.norm_error <= Fraction(1, 4) and self.eta <= 1):
            raise Refused(
                f"micro-batches of {self.people} people",
                "The errors of float32 could exceed what one person adds.",
                "smaller layers, shorter sequences, or fewer people at a time.",
            )

    @cached_property
    def places(self) -> int:
        """The longest sequence of one person in a ghost norm."""
        return max([1, *(size.places for size in self.sizes)])

    @cached_property
    def reach(self) -> int:
        """How far m may exceed n before it is clipped itself: √S, what S places at right angles have; rounded up."""
        return isqrt(self.places - 1) + 1

    @cached_property
    def norm_error(self) -> Fraction:
        """γ_N."""
        terms = max(size.numbers + max(size.places, 1) ** 2 for size in self.sizes)
        return gamma(terms + len(self.sizes) + _EXTRA)

    @property
    def eta(self) -> Fraction:
        """2·γ_{K+1}·P·reach."""
        return 2 * gamma(self.people * self.places + 1) * self.people * self.reach

    @cached_property
    def norm_underflow(self) -> Fraction:
        """τ."""
        return _UNDERFLOW * sum(max(size.places, 1) ** 2 * (size.numbers + 2) for size in self.sizes)

    @cached_property
    def exponent(self) -> int:
        """Of the step, as a power of 2: √d steps are a 1,024th of the clip, or up to half of that."""
        return floor(log2(self.clip / (_GRID * _root_up(self.dimension))))

    @property
    def step(self) -> Fraction:
        return Fraction(2) ** self.exponent

    @property
    def sensitivity(self) -> Fraction:
        """What one person moves the whole numbers by, in ℓ₂ norm."""
        return self.clip / self.step

    @cached_property
    def inner(self) -> float:
        """Where a person's own gradient is clipped."""
        root = _root_up(self.dimension)
        lost = root * self.step + root * self.people * self.places * Fraction(1, 2**80)
        exact = (self.clip - lost) / (1 + self.eta)
        return float(Fraction(floor(exact * 2**60), 2**60)) * (1 - 2.0**-50)


def gamma(terms: int) -> Fraction:
    """γ_k = ku/(1 − ku) for float32."""
    part = terms * UNIT
    if not part < Fraction(1, 2):
        raise Refused(f"sums of {terms:,} numbers in float32", "Their errors are too large.", "smaller layers.")
    return part / (1 - part)


def most_people(sizes: Sequence[PartSize], dimension: int, clip: Fraction) -> int:
    """The most people whose micro-batch has 384 places at most and an η of 2% at most; or 1."""
    people = MOST_PLACES // max([1, *(size.places for size in sizes)])
    while people > 1 and ErrorBound(clip, people, tuple(sizes), dimension).eta > MOST_ERROR:
        people -= 1 + people // 32
    return max(people, 1)


def _root_up(number: int) -> Fraction:
    return Fraction(ceil(isqrt(number * 2**40) + 1), 2**20)
