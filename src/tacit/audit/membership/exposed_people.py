"""The people whom a kind of model exposes most: those whose own rows change what it says of them."""

from __future__ import annotations

import numpy as np

from tacit.audit.membership.rounds import Marks, Reals
from tacit.exact import Number, proper
from tacit.frozen import frozen


@frozen
class Exposed:
    """A person by place, and how many deviations higher the model's logit of their label is where it saw them."""

    person: int
    score: float


def most_exposed(saw: Marks, told: Reals, alarm_rate: Number = "0.05") -> list[Exposed]:
    """Those who stand out of what chance gives, the most exposed first.

    `saw` and `told` have a row for each model and a column for each person. Claim: if the logits of every person are
    Gaussian, with the same law whether a model saw them or not, then anybody is listed with probability at most
    `alarm_rate`. Proof: each person's difference of means over its own deviation is Student's t, and each is compared
    with its quantile at alarm_rate / people (Bonferroni).
    """
    from scipy.stats import t

    inside, outside = saw.sum(axis=0), (~saw).sum(axis=0)
    left = inside + outside - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.where(saw, told, 0.0).sum(axis=0) / inside
        low = np.where(saw, 0.0, told).sum(axis=0) / outside
        squares = (np.where(saw, told - high, told - low) ** 2).sum(axis=0)
        scores = (high - low) / np.maximum(np.sqrt(squares / left), 1e-9)
        reached = scores / np.sqrt(1 / inside + 1 / outside)
        stands_out = reached > t.isf(float(proper(alarm_rate, "alarm_rate")) / saw.shape[1], left)
    known = stands_out & (inside > 0) & (outside > 0)
    return [
        Exposed(int(person), float(scores[person])) for person in np.argsort(-scores, kind="stable") if known[person]
    ]
