"""How small a violation would have been seen: the ε that contradicts the claim nine times in ten."""

from __future__ import annotations

import math
from statistics import NormalDist

from tacit.audit.black_box.estimate import Estimate

_POWER = 0.9
_SHARES = (0.5, 0.1, 0.01, 0.001)


def smallest_seen(claimed: float, share: float, samples: int, alarm_rate: float, delta: float = 0.0) -> float:
    """The least ε on a set of this probability in the unlikelier world; inf where no such one can be seen.

    By the normal approximation of ln((p − δ)/q), half of the samples in each world: an aid to planning, no bound.
    """
    strict = NormalDist().inv_cdf(1 - alarm_rate) + NormalDist().inv_cdf(_POWER)
    low, high = claimed, -math.log(share)
    each = samples / 2

    def seen(epsilon: float) -> bool:
        p = min(1.0, share * math.exp(epsilon) + delta)
        over = p - delta
        noise = p * (1 - p) / (each * over**2) + (1 - share) / (each * share)
        return math.log(over / share) - strict * math.sqrt(noise) > claimed

    if not (high > low and seen(high)):
        return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def seen_at_least(found: Estimate) -> str:
    """In words, for sets of several sizes."""
    fresh = found.counts.firsts + found.counts.seconds
    claimed, delta = found.rule.claimed.epsilon, found.rule.claimed.delta
    parts = []
    for share in _SHARES:
        epsilon = smallest_seen(claimed, share, fresh, found.alarm_rate, delta)
        if epsilon < math.inf:
            parts.append(f"{epsilon:.3g} on answers of probability {share:g}")
    at = f" at δ = {delta:g}" if delta else ""
    return f"an ε{at} of " + ", ".join(parts) + f", from {fresh:,} fresh answers" if parts else ""
