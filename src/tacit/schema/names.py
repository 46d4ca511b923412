"""Names and numbers in a description file, and the problems that are found in it, collected and reported together.

Names of tables, lookups, columns and analysts must differ so that SQL can tell them apart. Numbers are read exactly
as written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from typing import ParamSpec, TypeVar

from tacit.errors import Refused
from tacit.exact import exact, whole
from tacit.frozen import frozen
from tacit.words import dotted

_LONGEST = 200
_FILLERS = "\u115f\u1160\u3164\uffa0"  # invisible letters of Hangul


def folded(name: str) -> str:
    """The same text for names that SQL, or a reader, cannot distinguish."""
    return unicodedata.normalize("NFKC", name).casefold()


def letters(name: str) -> str:
    """The letters and digits of a name as a reader sees them, without case, accents and invisible characters."""
    whole = unicodedata.normalize("NFKD", folded(name))
    return "".join(sign for sign in whole if sign.isalnum() and sign not in _FILLERS)


def check_name(name: str) -> None:
    """Refuse a text that cannot be a name in a query."""
    if not name.strip():
        raise Refused("an empty name", "A name is empty.", "a name with at least one letter.")
    if not name.isprintable():
        raise Refused("a name", "It holds a character that cannot be printed.", "a name of printable characters.")
    if not len(name) <= _LONGEST:
        raise Refused("a name", f"It is longer than {_LONGEST} characters.", "a shorter name.")
    if name.startswith("__"):
        raise Refused(name, "Names that begin with __ are reserved for Tacit's own columns.", "another name.")


def clashes(names: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of names that differ only in case (or in how their letters are encoded): SQL reads them as one name."""
    seen: dict[str, str] = {}
    pairs = []
    for name in names:
        other = seen.setdefault(folded(name), name)
        if other != name:
            pairs.append((other, name))
    return pairs


def suggestion(wanted: str, known: Iterable[str]) -> str:
    """What is accepted in place of an unknown name: the most similar one, and the list of all."""
    names = {folded(name): name for name in sorted(known)}
    if not names:
        return "none; there are no such names here."
    listed = ", ".join(names.values())
    near = get_close_matches(folded(wanted), names, n=1)
    return f"{names[near[0]]}, if that was meant; there are: {listed}." if near else f"one of: {listed}."


_WANTED = 'a finite number, such as 0.5 or "1/3".'


def number_from(value: object, name: str) -> Fraction:
    """A value of the file as a fraction; a date, a list or a truth value is refused."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Refused(name, "It is not a number.", _WANTED)
    try:
        return exact(value, name)
    except Refused as refusal:
        raise Refused(name, refusal.why, _WANTED) from None


def whole_from(value: object, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    if not isinstance(value, int):
        raise Refused(name, "It is not a whole number.", f"a whole number, at least {least}.")
    return whole(value, name, least)


def share_from(value: object, name: str) -> Fraction:
    """A share of something, written as 0.25 or as "25%": above 0 and at most 1."""
    if isinstance(value, str) and value.rstrip().endswith("%"):
        share = number_from(value.rstrip().removesuffix("%").strip(), name) / 100
    else:
        share = number_from(value, name)
    if not 0 < share <= 1:
        raise Refused(name, "It is not a share of a whole.", 'more than 0 and at most 1, such as 0.25 or "25%".')
    return share


P = ParamSpec("P")
T = TypeVar("T")


@frozen
class Problem:
    """One problem: its key, the reason, and what is accepted there."""

    key: str
    why: str
    cure: str

    def __str__(self) -> str:
        return f"{self.key}: {self.why} Accepted: {self.cure}"


class RefusedDescription(Refused):
    """A description that cannot be used as it is; `problems` says what to change, key by key."""

    has_lines = True

    def __init__(self, asked: str, problems: tuple[Problem, ...]) -> None:
        if len(problems) == 1:
            only = problems[0]
            super().__init__(f"{only.key} in {asked}", only.why, only.cure)
        else:
            lines = "".join(f"\n  {problem}" for problem in problems)
            why = f"{len(problems)} things in it are wrong:{lines}\n"
            super().__init__(asked, why, "the same file with these put right.")
        self.problems = problems

    def __reduce__(self) -> tuple[Callable[..., RefusedDescription], tuple[str, tuple[Problem, ...]]]:
        asked = self.asked.removeprefix(f"{self.problems[0].key} in ") if len(self.problems) == 1 else self.asked
        return RefusedDescription, (asked, self.problems)


@dataclass
class Problems:
    """The problems found so far in one file."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def add(self, place: tuple[str, ...], why: str, cure: str) -> None:
        """Note a problem at a place of the file, once."""
        problem = Problem(dotted(place) or "the file", why, cure)
        if problem not in self.found:
            self.found.append(problem)

    def attempt(
        self, place: tuple[str, ...], instead: T, reader: Callable[P, T], *given: P.args, **named: P.kwargs
    ) -> T:
        """The result of the reader.

        A refusal is noted as a problem, and `instead` is used until the file is refused.
        """
        try:
            return reader(*given, **named)
        except Refused as refusal:
            self.add(place, refusal.why, refusal.accepted)
            return instead

    def refuse_if_any(self) -> None:
        """Refuse the file if any problem was noted."""
        if self.found:
            raise RefusedDescription(self.file, tuple(self.found))
