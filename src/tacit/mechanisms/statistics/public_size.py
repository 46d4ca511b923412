"""The number of people where it is public: under replace, and only there."""

from __future__ import annotations

from typing import Any

from tacit.errors import Refused
from tacit.exact import whole
from tacit.loss.relation import Relation
from tacit.mechanisms.statistics.records import column


def check_people(people: int | None, relation: Relation) -> None:
    """Under replace n must be named; under add/remove it is private and must not be."""
    if relation is Relation.REPLACE and people is None:
        raise Refused(
            "an answer under replace without the number of people",
            "There their number is public, and the answer divides by it.",
            "people=n, the number of records.",
        )
    if relation is Relation.ADD_REMOVE and people is not None:
        raise Refused(
            "a number of people under add/remove",
            "There their number is private: it must not be known beforehand.",
            "no `people`; or Relation.REPLACE, if the number of records is public.",
        )
    if people is not None:
        whole(people, "people", 1)


def check_size(records: Any, people: int) -> None:
    """Under replace the number of records is public, and must be what was declared."""
    if len(column(records)) != people:
        raise Refused("another number of records than `people`", "It is public under replace.", f"{people} records.")


def unknown_people() -> Refused:
    """The refusal of an error in advance, where n is private."""
    return Refused(
        "the error over an unknown number of people",
        "It falls as their number grows, and that is private.",
        "error(confidence, people=about how many you expect), or the interval of the answer.",
    )
