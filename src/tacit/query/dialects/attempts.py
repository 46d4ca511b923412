"""TRY in lowered SQL: a part that is NULL on a row where it fails, in a dialect that can say so."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from sqlglot import exp

from tacit.query.dialects.piece import Piece
from tacit.query.dialects.walk import Walk


@runtime_checkable
class Attempting(Protocol):
    """A dialect that has a form for TRY; of any other only the part within TRY is said."""

    def attempt(self, node: exp.Expression, walk: Walk) -> Piece:
        """The part: its value, or NULL where it fails."""
        ...


def attempt(node: exp.Expression, walk: Walk) -> Piece:
    """TRY, as the dialect says it."""
    assert isinstance(walk.dialect, Attempting)
    return walk.dialect.attempt(node, walk)


def without_attempts(tree: exp.Expression) -> exp.Expression:
    """The tree with each part in place of its TRY, so that forms are recognised whatever stood around their parts."""
    for part in list(tree.find_all(exp.Try)):
        part.replace(part.this)
    return tree
