"""How an interval is found."""

from __future__ import annotations

from enum import Enum


class Method(Enum):
    """How an interval is found."""

    ASYMPTOTIC = "asymptotic"
    """Normal approximation at the estimate (Wald): textbook, too short for small polls and rare answers."""

    SCORE = "score"
    """Normal approximation at each candidate rate (Wilson): 95% on average over the prevalence."""

    EXACT = "exact"
    """No candidate rate is left out that would not make the count surprising (Blaker): never below 95%."""
