"""The one neighbour relation that all losses of a sum must be stated under."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tacit.errors import Refused
from tacit.loss.relation import Relation

if TYPE_CHECKING:
    from tacit.loss.loss import Loss


def demand_one_relation(losses: Iterable[Loss], relation: Relation | None = None) -> Relation | None:
    """The relation that the losses state, or the one given; refused where there are two. None where nobody states one.

    A loss on a sample knows its relation. Under the other one its theorem is false, and its pair has a world with
    the person and one without: where one person leaves one sample and enters another, two such pairs meet in opposite
    orders, which can cost more than any product of them in the same order.
    """
    stated = {found for loss in losses for found in loss.relations} | ({relation} if relation else set())
    if not len(stated) <= 1:
        raise Refused(
            "losses on samples under both add/remove and replace",
            "A sum of losses hides one kind of change, and each of these losses is proven for its own kind only.",
            "losses that are all stated under one `Relation`.",
        )
    return next(iter(stated), None)
