"""Watching a run: whoever asked to is told of the session, and how many statements are to come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tacit.query.engine import Session
from tacit.query.plans.plan import Plan

Watcher: TypeAlias = Callable[[Session, int], None]
"""Told of a session before it runs so many statements. What it sees is for the steward's eyes alone."""


def unwatched(session: Session, statements: int) -> None:
    """Nobody looks."""


def statements_of(plan: Plan) -> int:
    """About how many statements a plan takes."""
    finding = (1 + bool(plan.measures) + len(plan.ranks)) if plan.unknown else 0
    return finding + bool(plan.measures or plan.is_selecting) + len(plan.ranks) + len(plan.distincts)
