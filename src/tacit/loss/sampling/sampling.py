"""How people are drawn into a sample, and the one neighbour relation that each way goes with."""

from __future__ import annotations

from enum import Enum

from tacit.errors import Refused
from tacit.loss.relation import Relation


class Sampling(Enum):
    """How the people of a step are chosen, secretly and afresh each time."""

    POISSON = "Poisson"
    """Each person by a coin of their own, with probability q."""

    FIXED_SIZE = "fixed size"
    """m of the n people, all sets of m equally likely; q = m/n, n public."""

    def __str__(self) -> str:
        return self.value


PARTNER = {Sampling.POISSON: Relation.ADD_REMOVE, Sampling.FIXED_SIZE: Relation.REPLACE}


def demand_partner(sampling: Sampling, relation: Relation) -> None:
    """Refuse to amplify under any other pair than Poisson with add/remove and fixed size with replace.

    In these two the neighbours' samples are equal outside one event of probability q, and inside it they are
    neighbours. Under Poisson and replace they are not: the replaced record is drawn by the same coin in both worlds,
    and is the other record in one of them, so with q = 1/10 a coin of ε = 1 can keep a loss of 1 where the formula
    says 0.159. Under fixed size and add/remove the number of people, hence q, differs between the worlds.
    """
    if not isinstance(sampling, Sampling) or not isinstance(relation, Relation):
        raise Refused(
            f"a sampling of type {type(sampling).__name__} under a relation of type {type(relation).__name__}",
            "Amplification must know how people are drawn and which change is hidden.",
            "a `Sampling` and a `Relation`.",
        )
    if PARTNER[sampling] is not relation:
        raise Refused(
            f"amplification by {sampling} sampling under {relation}",
            "The theorem does not hold for this pair, and a counterexample is known."
            if sampling is Sampling.POISSON
            else "The number of people, and with it the sampling rate, would itself differ between neighbours.",
            f"{sampling} sampling under {PARTNER[sampling]}, the mechanism's own loss being stated under it too.",
        )
