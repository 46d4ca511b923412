"""The least total variance of a linear workload under ρ-zCDP, whatever the release is made of.

Let W have a row for each question and a column w_j for each kind of row in the data, and let

    opt(W) = min { tr Σ : w_jᵀ Σ⁻¹ w_j ≤ 1 for every j } = min { tr(W X⁻¹ Wᵀ) : X ⪰ 0, X_jj ≤ 1 for every j }.

The second form is the best factorisation: Gaussian noise of covariance Σ is ρ-zCDP with ρ = max_j w_jᵀ Σ⁻¹ w_j / 2, so
the least total variance of Gaussian noise is opt(W)/2ρ.

Claim, under add/remove with one row a person. (a) An unbiased ρ-zCDP release of Wx has total variance at least
opt(W)/(e^{2ρ} − 1), at every data set x. (b) So has the mean squared error of any ρ-zCDP release, biased or not, at
the worst data set, if data may be of any size.

Proof. (a) For any u and j, u·Y has means that differ by u·w_j in the worlds x and x + e_j. Hammersley, Chapman and
Robbins: (u·w_j)² ≤ Var_x(u·Y)·χ²(P_{x+e_j} ‖ P_x), and χ² = e^{D₂} − 1 ≤ e^{2ρ} − 1. So w_j w_jᵀ ⪯ (e^{2ρ} − 1)·Σ_x
for every j at once, that is (e^{2ρ} − 1)·Σ_x is feasible for opt(W). (b) Average the law of Y − Wx, and that of Y −
Wx in the world x + e_j, over all x in a box of side N. D₂ is jointly quasi-convex, so it stays ≤ 2ρ between the
averages. If no mean squared error is above V, no bias is above √V, and the means of the averages differ by w_j up to
2√V/N. As in (a) the averaged covariance, whose trace is at most V, is feasible up to that; let N grow. ∎

An (ε, δ)-private release has no such bound: to say 0, and with probability δ instead x/δ, is unbiased and (0,
δ)-private, and at x = 0 its variance is 0. Only ρ with δ = 0 is taken here; μ-Gaussian privacy is ρ = μ²/2.
"""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.least_error import LeastVariance
from tacit.noise.ball import START_BITS, Ball, ball, fraction_down, precision, up
from tacit.words import shown

MOST_RHO = 1000  # beyond it no bound is given, since almost nothing is hidden


def chi_squared(rho: Fraction) -> Ball:
    """e^{2ρ} − 1: the largest χ² divergence between neighbours under ρ-zCDP."""
    return ball(2 * rho).expm1()


def unbiased_variance_down(optimum_down: Number, rho: Number, rows: int = 1) -> Fraction:
    """No unbiased ρ-zCDP release of the workload has a smaller total variance: opt·C²/(e^{2ρ} − 1), rounded down.

    `rows` is C, the most rows that one person has, where the release is unbiased for all data that keep to it. A
    person may then have C rows of one kind, and C·w_j takes the place of w_j in the proof. Where people with more are
    scaled down, the bound still holds for data in which no one is; for other data no bound is known.
    """
    least, price, most = _read(optimum_down, rho, rows)
    with precision(START_BITS):
        return fraction_down(ball(least * most**2) / chi_squared(price))


def factor_up(variance_up: Number, optimum_down: Number, rho: Number, rows: int = 1) -> float:
    """The ratio of this variance to the least total variance of any unbiased ρ-zCDP release, rounded up."""
    least, price, most = _read(optimum_down, rho, rows)
    variance = positive(variance_up, "variance")
    with precision(START_BITS):
        return up(ball(variance / (least * most**2)) * chi_squared(price))


def least_unbiased(optimum_down: Number, rho: Fraction, rows: int = 1, *, of: str, charge: Loss) -> LeastVariance:
    """The same bound with its class, for the sentence beside an error: `of` what, such as counts.

    `charge` is what the whole release cost: ρ may be a share of it, and where an account has no ρ it is named.
    """
    price = f"at ρ = {shown(rho)}"
    if isinstance(charge, Zcdp):
        price = "at this ρ" if charge.rho == rho else "at its share of ρ"
    among = f"any release could have {price}, if it is unbiased whatever the {of} are"
    return LeastVariance(unbiased_variance_down(optimum_down, rho, rows), among)


def _read(optimum: Number, rho: Number, rows: int) -> tuple[Fraction, Fraction, int]:
    price = positive(rho, "rho")
    if not price <= MOST_RHO:
        raise Refused(f"rho = {price}", "At that price nothing is hidden.", f"rho ≤ {MOST_RHO}.")
    return positive(optimum, "optimum"), price, whole(rows, "rows", 1)
