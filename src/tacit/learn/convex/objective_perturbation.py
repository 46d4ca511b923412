"""Objective perturbation: noise inside the objective, whose minimiser is the model. Two classes, one example a person.

Let F(w) = Σ_p f_p(w) + λ‖w‖²/2, where f_p(w) is a loss of the score x_p·w, ‖x_p‖ ≤ 1, with a gradient c·(±x_p), c in
[0, L] with a fixed sign (a monotone loss), and a second derivative of trace at most β. Release the w that minimises
F(w) + b·w, b normal with variance σ² in every coordinate. Let μ = L/σ and κ = log(1 + β/λ).

Claim. If one person is added or removed this is Gaussian differentially private with every m for which
    (i) Φ(μ/2 − m) ≤ e^−κ·Φ(−μ/2)   and   (ii) Φ(−m/2)·(1 + e^κ) ≤ 2Φ(−μ/2),
and with 2m if one is replaced. So it composes with other Gaussian releases by adding squares up.

Proof. (1) The map w → b(w) = −∇F(w) is one to one, Lipschitz both ways (∇F is λ-strongly monotone), and so the
density of w is ν(b(w))·det ∇²F(w) almost everywhere, ν the normal density (Chaudhuri, Monteleoni and Sarwate 2011).
Let F' = F + f be with the person, ∇f(w) = c(w)·u with a fixed vector u, ‖u‖ ≤ 1, and c in [0, L]. By the matrix
determinant lemma the ratio of determinants is 1 + tr(∇²f (∇²F)⁻¹), between 1 and 1 + β/λ = e^κ.
(2) With the person, w has b' = −∇F'(w) normal, and b = b' + c·u. The privacy loss is (2c·b'·u + c²‖u‖²)/2σ² + J, 0 ≤
J ≤ κ. In c it is convex, so at most max(0, Z) + κ with Z = (2L·b'·u + L²‖u‖²)/2σ², which is normal with mean μ²/2 and
variance μ² if ‖u‖ = 1 (and shorter u give less): the loss of a Gaussian mechanism. Without the person, b is normal,
the loss is (−2c·b·u + c²‖u‖²)/2σ² − J ≤ max(0, Z) likewise.
(3) So for all ε ≥ 0, both ways, δ(ε) ≤ h(ε) = E(1 − e^(ε − κ − max(0, Z)))₊, which is δ_μ(ε − κ) for ε ≥ κ with the
Gaussian curve δ_μ, and 1 − e^(ε−κ)·2Φ(−μ/2) for ε < κ.
(4) Hence no test has a miss rate below f(a) = G_μ(e^κ·a) for a ≤ e^−κ·Φ(−μ/2), and 2Φ(−μ/2) − e^κ·a above, nor below
the inverse of f; G_m is symmetric, so f ≥ G_m is wanted for a up to the fixed point of f, 2Φ(−μ/2)/(1 + e^κ). On the
straight part, G_m being convex, both ends suffice: (i) and (ii). On the curved part, with a = Φ(−t) and e^κ·a =
Φ(−s), it says m − μ ≥ t − s; log(1/Φ(−·)) has a rising slope, so t − s is largest at the largest a: (i) again.
(5) A replacement is a removal and an addition: group privacy of Gaussian differential privacy (Dong, Roth and Su
2022).

A row's direction must be fixed for (2): with several rows of one person, or softmax, u would depend on w, and a bound
by ‖∇f‖ alone would be wrong. So a person is one example, the mean of their rows of one class.

Rounding. b is drawn as the exact rounding of a real normal vector to a grid of step 2^-20, so ‖b − b̂‖ ≤ 2^-21·√d.
What is computed has an exact gradient of at most τ for b̂, so it is within γ = (τ + 2^-21·√d)/λ of the w of the
claim. Given that w, the data determine b, so what is computed is a function of both; two worlds' are at most 2γ
apart. Its grid noise of deviation 2γ/μ₂ costs μ₂² more, by adaptive composition. Without that noise the grid of b̂
would tell worlds apart: integers inside the objective alone give ε = ∞.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, expm1, sqrt
from typing import Final

from flint import arb

from tacit.frozen import frozen
from tacit.learn.convex.design import FINEST
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.newton import TOLERANCE
from tacit.learn.convex.output_perturbation import LEAST_RIDGE, root_up
from tacit.loss.families.loss import Relation
from tacit.noise.ball import START_BITS, Ball, ball, precision
from tacit.noise.gaussian_law import RoundedGaussian

GRID_SHARE: Final = Fraction(1, 100)  # of the price, for the noise that hides rounding and the optimiser's error
TILT_BITS: Final = 20  # of b after the point
_CURVATURE: Final = 0.2  # κ over m: near the best on generated data
_CLOSE: Final = 2.0**-40


@frozen(eq=False)
class ObjectiveNoise:
    """The ridge, the noise inside the objective, and that on its minimiser, at a whole cost of μ² = `strength`."""

    strength: Fraction
    loss: LossKind
    numbers: int  # of coefficients
    relation: Relation

    @property
    def ridge(self) -> float:
        """λ, from κ: absolute, and a function of the price alone."""
        wanted = self.loss.curvature / expm1(_CURVATURE * sqrt(self._inside))
        return max(LEAST_RIDGE, wanted * (1 + _CLOSE))

    @property
    def tilt_law(self) -> RoundedGaussian:
        """The law of b, in steps of 2^-20: variance L²/μ², L = 1."""
        shift = inner_shift_down(self._inside, Fraction(self.loss.curvature) / Fraction(self.ridge))
        return RoundedGaussian(Fraction(ceil(4**TILT_BITS / shift**2)))

    @property
    def grid_law(self) -> RoundedGaussian:
        """The noise on each whole step of the coefficients."""
        rounding = root_up(self.numbers) / 2 ** (TILT_BITS + 1)
        distance = 2 * (Fraction(TOLERANCE) + rounding) / Fraction(self.ridge)
        return RoundedGaussian(Fraction(ceil((distance * 2**FINEST) ** 2 / (self.strength * GRID_SHARE))))

    @property
    def _inside(self) -> Fraction:
        """m², under add/remove, of the noise inside the objective."""
        worlds = 2 if self.relation is Relation.REPLACE else 1
        return self.strength * (1 - GRID_SHARE) / worlds**2


@lru_cache(maxsize=64)
def inner_shift_down(whole_squared: Fraction, growth: Fraction) -> Fraction:
    """A μ, nearly the largest, that meets (i) and (ii) for m² = `whole_squared` and e^κ = 1 + `growth`.

    Found by halving, each end certified in ball arithmetic.
    """
    low, high = Fraction(0), Fraction(sqrt(whole_squared))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if is_within(middle, whole_squared, growth) else (low, middle)
    if not low > 0:
        raise ArithmeticError("no shift is certified")
    return low


def is_within(shift: Fraction, whole_squared: Fraction, growth: Fraction) -> bool:
    """Whether (i) and (ii) are certain for this μ."""
    with precision(START_BITS):
        whole, half, factor = ball(whole_squared).sqrt(), ball(shift / 2), ball(1 + growth)
        tail = _below(-half)
        return bool(_below(half - whole) * factor <= tail) and bool(_below(-whole / 2) * (1 + factor) <= 2 * tail)


def _below(point: Ball) -> Ball:
    """Φ."""
    return (-point / arb(2).sqrt()).erfc() / 2
