"""Dates and moments as texts write them."""

from __future__ import annotations

from datetime import datetime


def moment(text: str) -> datetime | None:
    """The moment that a text writes, the first of its day if it writes a day; None if it writes neither."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is None else None
