"""Watching a run: whoever asked to is told of the session, and how many statements are to come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tacit.query.engines.protocol import Session

Watcher: TypeAlias = Callable[[Session, int], None]
"""Told of a session before it runs so many statements. What it sees is for the steward's eyes alone."""


def unwatched(session: Session, statements: int) -> None:
    """No-op watcher."""
