"""The candidates of a tuning: all combinations of listed settings, public and fixed before any row is read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

from tacit.errors import Refused

MOST_CANDIDATES: Final = 32
Grid: TypeAlias = Mapping[str, Sequence[Any]]
"""For each setting the values that are tried."""

Settings: TypeAlias = dict[str, Any]
"""The settings of one candidate, by their names."""

_WHOLE: Final = re.compile(r"[0-9]+")
_FORM: Final = '--candidates "bins=8,16,32; steps=10,20".'


def read_grid(written: str) -> Grid:
    """The grid in a text such as "bins=8,16; clip=0.25,0.5"."""
    grid: dict[str, list[Any]] = {}
    for part in filter(None, map(str.strip, written.split(";"))):
        name, equals, listed = part.partition("=")
        values = [_value(each.strip()) for each in listed.split(",")]
        key = {"rows": "rows_each"}.get(name.strip(), name.strip())
        if not equals or "" in values:
            raise Refused(f"the candidates {part}", "A setting and its values are expected.", _FORM)
        if key in grid:
            raise Refused(f"the candidates {part}", "This setting is listed twice.", _FORM)
        grid[key] = values
    return grid


def _value(written: str) -> int | str:
    return int(written) if _WHOLE.fullmatch(written) else written


def settings_in(grid: Grid, fixed: Mapping[str, Any]) -> tuple[Settings, ...]:
    """All combinations of a grid's values, each with the settings that are fixed."""
    both = [name for name in grid if name in fixed]
    if both:
        raise Refused(f"{both[0]} as a candidate's setting", "It is given for all of them too.", "one of the two.")
    found = [{**fixed, **dict(zip(grid, chosen, strict=True))} for chosen in product(*grid.values())]
    if not 2 <= len(found) <= MOST_CANDIDATES:
        why = "One of several is chosen, and each that may be tried adds noise."
        raise Refused(f"{len(found)} candidates", why, f"2 to {MOST_CANDIDATES}: {_FORM}")
    return tuple(found)


def named(settings: Mapping[str, Any]) -> str:
    """Settings as they are shown."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
