"""The output of a benchmark: a table and one line of JSON, ratios only."""

from __future__ import annotations

import json
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Claim:
    """A ratio and its target. `at_most` says on which side of the target it must lie."""

    name: str
    ratio: float
    target: float
    at_most: bool
    detail: str

    @property
    def holds(self) -> bool:
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target


def report(title: str, claims: list[Claim]) -> None:
    """Print the claims."""
    table = Table(title=title)
    for column in ("claim", "ratio", "target", "holds", "measured"):
        table.add_column(column)
    for claim in claims:
        sign = "≤" if claim.at_most else "≥"
        table.add_row(
            claim.name, f"{claim.ratio:.2f}x", f"{sign} {claim.target:g}x", "yes" if claim.holds else "NO", claim.detail
        )
    Console(width=140).print(table)
    print(json.dumps({c.name: {"ratio": round(c.ratio, 3), "target": c.target, "holds": c.holds} for c in claims}))
