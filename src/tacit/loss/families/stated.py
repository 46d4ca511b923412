"""Losses that numbers state, with the neighbour relation that the numbers are proven for."""

from __future__ import annotations

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.loss import Loss
from tacit.loss.relation import Relation


@frozen(init=False, repr=False, eq=False)
class Stated(Loss):
    """A loss that is known by its numbers.

    `relation` is set where the numbers come from a loss that is proven for one relation only, such as one on a sample:
    a conversion keeps it. It is None where whoever states the numbers says which one. Two losses with equal numbers
    and different relations are different.
    """

    relation: Relation | None

    def _state(self, relation: Relation | None) -> None:
        if not (relation is None or isinstance(relation, Relation)):
            raise Refused(
                f"relation of type {type(relation).__name__}", "It is no neighbour relation.", "a `Relation`, or None."
            )
        object.__setattr__(self, "relation", relation)

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset() if self.relation is None else frozenset({self.relation})
