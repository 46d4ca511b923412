"""Exact lower bounds for ε-local reports: yes-or-no questions and frequency oracles.

n people send one report each, independently, and each report's law has odds of at most r = e^ε between any two
answers. An estimate T of a share among these people is unbiased for all answers.

Reduction to one report: T has at least the variance of its projection Σ_i E[T | report i], and in it person i alone
moves term i, by what the share moves. So n·Var(T) is at least the least variance of an unbiased estimate of one
answer from one report, averaged over the people.

Claim 1, a yes-or-no question: n·Var ≥ r/(r − 1)² = 1/(4 sinh²(ε/2)), whatever the answers. Proof: Hammersley, Chapman
and Robbins, with χ² ≤ r + 1/r − 2 (from (L − r)(L − 1/r) ≤ 0 for the likelihood ratio L, whose mean is 1). Warner's
response with odds r has exactly this variance.

Claim 2, one of K options, the share of each option wanted: n·Var, averaged over the options, and over who has which
option where all are equally frequent, is at least

    (1/K + (K − 1)²/(s − K) − 1)/K,   s = max over d of K²·(d·r² + K − d)/(d·r + K − d)²,   0 < d < K.

So no estimate is below it for all such people; one that guesses who has what may be, for those. Proof. Averaged so,
one person has each option equally often. A report y has weights q_y over the answers, Σ_y q_y = 1, and m_y = Σ q_y/K.
Among estimates e(y) with Σ_y e(y) q_yᵀ = I the least Σ_y m_y‖e(y)‖² is tr S⁻¹, S = Σ_y q_y q_yᵀ/m_y (least squares),
and 1 of it is no variance. S maps the constant vector to K times itself, so by convexity tr S⁻¹ ≥ 1/K + (K −
1)²/(tr S − K). And tr S is a mean, with weights m_y, of ‖q_y‖²/m_y², which is largest at an extreme q_y: d entries are
r times the others. ∎ Subset selection with the best d attains it, for all people.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.mechanisms.least_error import LeastVariance
from tacit.noise.ball import START_BITS, ball, fraction_up, precision

_REPORTS = "any report of this ε could have, if estimates from it are unbiased"


def odds_up(epsilon: Number) -> Fraction:
    """e^ε, rounded up: odds that no ε-private report exceeds."""
    level = positive(epsilon, "epsilon")
    if not level <= 1000:
        raise Refused(f"epsilon = {level}", "At that price nothing is hidden.", "epsilon ≤ 1000.")
    with precision(START_BITS):
        return fraction_up(ball(level).exp(), 96)


def yes_no_variance(odds: Fraction) -> Fraction:
    """r/(r − 1)²: the least n·Var of the share of yes among given people."""
    _check(odds)
    return odds / (odds - 1) ** 2


def frequency_variance(odds: Fraction, options: int) -> Fraction:
    """The least n·Var of the shares of K options among given people, averaged over the options.

    s rises up to d = K/(r + 1) and falls beyond, so one of the two whole d beside it has the largest.
    """
    _check(odds)
    most = whole(options, "options", 2)
    near = floor(most / (odds + 1))
    tried = {min(max(size, 1), most - 1) for size in (near, near + 1)}
    weights = ((size * odds**2 + most - size, size * odds + most - size) for size in tried)
    largest = max(most**2 * squares / total**2 for squares, total in weights)
    return (Fraction(1, most) + (most - 1) ** 2 / (largest - most) - 1) / most


def yes_no_words(hit: Fraction, stray: Fraction) -> str:
    """Reports compared with the optimum at their ε: yes with probability `hit` if that is true, else `stray`.

    Their own ε is the worst odds between the two answers; the variance is that at the worst share, 0 or 1.
    """
    odds = max(hit / stray, stray / hit, (1 - hit) / (1 - stray), (1 - stray) / (1 - hit))
    worst = max(rate * (1 - rate) for rate in (hit, stray)) / (hit - stray) ** 2
    return LeastVariance(yes_no_variance(odds), _REPORTS).words(worst, " of these reports")


def frequency_words(odds: Fraction, options: int, mean_variance: Fraction) -> str:
    """The same for reports of one of several options, by their n·Var averaged over the options."""
    least = LeastVariance(frequency_variance(odds, options), f"{_REPORTS}, averaged over the options")
    return least.words(mean_variance, " of these reports")


def _check(odds: Fraction) -> None:
    if not odds > 1:
        raise Refused(f"odds of {odds}", "Such reports tell nothing.", "odds > 1.")
