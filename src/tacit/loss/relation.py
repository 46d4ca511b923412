"""Which two data sets are neighbours: the change that a release must hide."""

from __future__ import annotations

from enum import Enum


class Relation(Enum):
    """The neighbour relation a loss is stated under; the two give different numbers and are never mixed."""

    ADD_REMOVE = "add/remove"
    """One person is in the data or is not. How many people there are is itself private."""

    REPLACE = "replace"
    """One person's record becomes any other. How many people there are is public; a histogram moves by 2."""

    def __str__(self) -> str:
        return self.value
