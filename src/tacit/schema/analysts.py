"""Analysts, and the share of the budget that each may use at most."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.schema.names import check_name, clashes, folded
from tacit.schema.numbers import share_from
from tacit.schema.problems import Problems

STEWARD = "steward"


def read_analysts(written: Mapping[str, object], problems: Problems) -> dict[str, Fraction]:
    """The shares by name. They may add up to more than one: the budget of the data bounds all of them together."""
    place = ("dataset", "analysts")
    for first, second in clashes(written):
        problems.add((*place, second), f"It looks like {first}.", "names that differ by more than case.")
    for name in written:
        problems.attempt((*place, name), None, _check_analyst, name)
    return {
        name: problems.attempt((*place, name), Fraction(1), share_from, share, name) for name, share in written.items()
    }


def _check_analyst(name: str) -> None:
    check_name(name)
    if folded(name) == STEWARD:
        raise Refused(name, "The steward is no analyst, and is not limited here.", "another name.")
