"""Names that SQL can tell apart: of tables, lookups, columns and analysts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

from tacit.errors import Refused

_LONGEST = 200
_FILLERS = "\u115f\u1160\u3164\uffa0"  # letters of Hangul that are not seen


def folded(name: str) -> str:
    """What two names share that SQL, or a reader, would take for one."""
    return unicodedata.normalize("NFKC", name).casefold()


def letters(name: str) -> str:
    """Its letters and digits as a reader sees them: without case, accents, spaces and signs that nobody sees."""
    whole = unicodedata.normalize("NFKD", folded(name))
    return "".join(sign for sign in whole if sign.isalnum() and sign not in _FILLERS)


def check_name(name: str) -> None:
    """Refuses what cannot stand as a name in a query."""
    if not name.strip():
        raise Refused("an empty name", "A name is empty.", "a name with at least one letter.")
    if not name.isprintable():
        raise Refused("a name", "It holds a character that cannot be printed.", "a name of printable characters.")
    if not len(name) <= _LONGEST:
        raise Refused("a name", f"It is longer than {_LONGEST} characters.", "a shorter name.")
    if name.startswith("__"):
        raise Refused(name, "Names that begin with __ are reserved for Tacit's own columns.", "another name.")


def clashes(names: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of names that differ only in case (or in how their letters are encoded): SQL takes them for one."""
    seen: dict[str, str] = {}
    pairs = []
    for name in names:
        other = seen.setdefault(folded(name), name)
        if other != name:
            pairs.append((other, name))
    return pairs


def suggestion(wanted: str, known: Iterable[str]) -> str:
    """What would be accepted in place of an unknown name: the nearest, and all there are."""
    names = {folded(name): name for name in sorted(known)}
    if not names:
        return "none; there are no such names here."
    listed = ", ".join(names.values())
    near = get_close_matches(folded(wanted), names, n=1)
    return f"{names[near[0]]}, if that was meant; there are: {listed}." if near else f"one of: {listed}."
