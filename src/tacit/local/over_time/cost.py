"""What repeated reports cost one respondent: fresh ones each time, or one for each answer ever held."""

from __future__ import annotations

from typing import Any

from tacit.exact import whole
from tacit.local.randomizers.randomizer import Randomizer
from tacit.loss.composition.sequential import Composition
from tacit.loss.families.loss import Loss


def fresh_cost(randomizer: Randomizer[Any], reports: int) -> Loss:
    """The cost of so many reports, each drawn anew.

    Claim, for the replacement of the respondent's whole history of answers by any other: these reports compose, so
    T reports cost T·ε, and less at δ > 0. Nothing else is told: not even whether the answer ever changed.
    """
    return _times(randomizer.loss, whole(reports, "reports", 1))


def memoised_cost(randomizer: Randomizer[Any], held: int) -> Loss:
    """The cost of any number of memoised reports of at most so many different answers.

    Claim, for the replacement of the respondent's history by another with the same times of sameness (v′(s) = v′(t)
    wherever v(s) = v(t), and only there): D different answers cost D·ε, however many reports are sent. Proof: the
    reports are a function of D independent ones, the same function for both histories. With D = 1, an answer that never
    changes, all histories of that kind are covered.

    What is not hidden: that the answer changed, and when. Two reports that differ can only come from two answers,
    so against a history of other times of sameness the loss is infinite. Who must hide that sends fresh reports.
    """
    return _times(randomizer.loss, whole(held, "held", 1))


def _times(loss: Loss, count: int) -> Loss:
    return loss if count == 1 else Composition((loss,) * count)
