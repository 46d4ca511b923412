"""The one neighbour relation that all parts of a composition must be stated under."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.errors import Refused
from tacit.loss.loss import Loss
from tacit.loss.relation import Relation
from tacit.loss.sampling.subsampled import Subsampled


def demand_one_relation(losses: Iterable[Loss], relation: Relation | None = None) -> None:
    """Refuse losses on samples that are stated under different relations, or under another than the one given.

    Only a loss on a sample knows its relation. Under the other one its theorem is false, and its pair has a world with
    the person and one without: where one person leaves one sample and enters another, two such pairs meet in opposite
    orders, which can cost more than any product of them in the same order.
    """
    stated = {found for loss in losses for found in _stated(loss)} | ({relation} if relation else set())
    if not len(stated) <= 1:
        raise Refused(
            "losses on samples under both add/remove and replace",
            "A composition hides one kind of change, and each of these losses is proven for its own kind only.",
            "losses that are all stated under one `Relation`.",
        )


def _stated(loss: Loss) -> set[Relation]:
    if isinstance(loss, Subsampled):
        return {loss.relation}
    return {found for part in getattr(loss, "parts", ()) for found in _stated(part)}
