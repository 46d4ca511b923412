"""What an attack's success proves: a lower bound of ε, at a δ, with a stated confidence."""

from __future__ import annotations

import math

from tacit.errors import Refused
from tacit.exact import Number, probability, proper, whole
from tacit.frozen import frozen


@frozen
class EpsilonBound:
    """With this confidence the mechanism is not (ε′, δ)-private for any ε′ below `epsilon`."""

    epsilon: float
    delta: float
    confidence: float
    how: str
    """The evidence, in words."""

    def contradicts(self, epsilon: float) -> bool:
        """Whether it refutes a claim of ε at this δ."""
        return self.epsilon > epsilon

    def describe(self) -> str:
        at = f" at δ = {self.delta:g}" if self.delta else ""
        return f"ε ≥ {self.epsilon:.3g}{at} with {self.confidence:.4g} confidence ({self.how})."

    def __str__(self) -> str:
        return self.describe()


def bound_from_rates(
    hits: int, members: int, alarms: int, others: int, delta: Number = 0, confidence: Number = "0.95"
) -> EpsilonBound:
    """From a test fixed beforehand: so many hits among members, so many false alarms among others.

    Claim: for independent rounds against an (ε, δ)-private mechanism the bound is above ε with probability at most
    1 − confidence. Proof: TPR ≤ e^ε·FPR + δ and TNR ≤ e^ε·FNR + δ. Both need TPR from below and FPR from above, for
    TNR and FNR are what is left of one; each of these two ends is wrong with at most half of the chance
    (Clopper and Pearson).
    """
    level, slack = proper(confidence, "confidence"), float(probability(delta, "delta"))
    counts = [(whole(hits, "hits"), whole(members, "members")), (whole(alarms, "alarms"), whole(others, "others"))]
    if not all(0 <= count <= total for count, total in counts):
        raise Refused("more hits than rounds", "A rate is at most one.", "hits ≤ members and alarms ≤ others.")
    words = f"{hits:,} of {members:,} members found, {alarms:,} of {others:,} others taken for members"
    if not (members and others):
        return EpsilonBound(0.0, slack, float(level), words)
    miss = float(1 - level) / 2
    found = rate_at_least(hits, members, miss)
    alarm = 1 - rate_at_least(others - alarms, others, miss)
    ratios = ((found - slack, alarm), (1 - alarm - slack, 1 - found))
    best = max((math.log(top / bottom) for top, bottom in ratios if top > 0 and bottom > 0), default=0.0)
    return EpsilonBound(max(0.0, best), slack, float(level), words)


def rate_at_least(count: int, trials: int, miss: float) -> float:
    """The end of Clopper and Pearson from below: the true rate is less with probability at most `miss`.

    By SciPy's inverse of the beta law, moved outward by far more than its error; `clopper_pearson` certifies each end,
    at a hundred times the time, and a test holds this one against it.
    """
    from scipy.special import betaincinv

    return max(0.0, float(betaincinv(count, trials - count + 1, miss)) - 1e-9) if count else 0.0
