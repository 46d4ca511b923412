"""Analysts: the share of the budget that each may use at most, and who asks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.schema.names import check_name, clashes, letters
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


def who_asks(named: str | None) -> str:
    """Who asks, from the name that was given: the steward only where none was, or where exactly that is the name.

    The steward has no share to keep, so no other name may pass for it, neither here nor to who reads the ledger.
    """
    if named is None or named == STEWARD:
        return STEWARD
    _check_analyst(named if isinstance(named, str) else "")
    return named


def _check_analyst(name: str) -> None:
    check_name(name)
    if name == STEWARD:
        raise Refused(name, "The steward is no analyst, and is not limited here.", "another name.")
    if name != name.strip() or not letters(name):
        raise Refused(f"the name {name!r}", "It has no letter, or begins or ends with a space.", "a name as alice.")
    if letters(name) == STEWARD:
        raise Refused(f"the name {name}", f"It would be taken for {STEWARD}.", f"another name, or {STEWARD} itself.")
