"""A LIKE pattern as its symbols, and forms of it that are matched in time linear in the text.

A matcher that backtracks tries every way to share a text among several %: DuckDB does where the pattern has _ or an
escape, and so does Java. Backtracking is not needed: the leftmost match of a piece between two % leaves the most text
for the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tacit.frozen import frozen

ONE, RUN = "_", "%"
ESCAPE = "!"
_WRITTEN = re.compile(r"\\x\{([0-9a-f]+)\}|(\.\*)|(\.)|(.)")


@frozen
class PatternSymbol:
    """A letter; or, if it `is_wild`, _ (any letter) or % (any letters)."""

    letter: str
    is_wild: bool = False

    @property
    def is_run(self) -> bool:
        return self.is_wild and self.letter == RUN


@frozen
class Wildcards:
    """The symbols of a pattern, in order; no two % in a row."""

    signs: tuple[PatternSymbol, ...]

    @classmethod
    def of_like(cls, pattern: str, escape: str | None = None) -> Wildcards:
        """The symbols of a LIKE pattern."""
        return cls._of(_signs(pattern, escape))

    @classmethod
    def of_regex(cls, text: str) -> Wildcards:
        """The inverse of `regex`."""
        found = _WRITTEN.findall(text)
        return cls._of(
            PatternSymbol(RUN if run else ONE if one else plain or chr(int(code or "0", 16)), bool(run or one))
            for code, run, one, plain in found
        )

    @classmethod
    def _of(cls, signs: Iterator[PatternSymbol]) -> Wildcards:
        kept: list[PatternSymbol] = []
        for sign in signs:
            if not (sign.is_run and kept and kept[-1].is_run):
                kept.append(sign)
        return cls(tuple(kept))

    @property
    def searches(self) -> int:
        """The number of % followed by something to search for; two make a backtracking matcher slow."""
        return sum(sign.is_run for sign in self.signs[:-1])

    @property
    def is_plain(self) -> bool:
        """Whether % is its only wildcard and it has no literal %: DuckDB then searches for pieces."""
        return all(sign.is_run or (not sign.is_wild and sign.letter not in (ONE, RUN)) for sign in self.signs)

    def fits(self, text: str) -> bool:
        """Whether the whole of a text matches: each piece is found at its first place after the one before."""
        pieces: list[list[PatternSymbol]] = [[]]
        for sign in self.signs:
            if sign.is_run:
                pieces.append([])
            else:
                pieces[-1].append(sign)
        first, *others = pieces
        if not others:
            return len(text) == len(first) and _is_at(first, text, 0)
        place, end = len(first), len(text) - len(others[-1])
        if not (place <= end and _is_at(first, text, 0) and _is_at(others[-1], text, end)):
            return False
        for piece in others[:-1]:
            found = next((at for at in range(place, end - len(piece) + 1) if _is_at(piece, text, at)), None)
            if found is None:
                return False
            place = found + len(piece)
        return True

    def changed(self, change: Callable[[str], str]) -> Wildcards:
        """The pattern with its letters changed."""
        return Wildcards(tuple(sign if sign.is_wild else PatternSymbol(change(sign.letter)) for sign in self.signs))

    def like(self, escape: str = ESCAPE) -> str:
        """As a pattern of LIKE with this escape."""
        special = (ONE, RUN, escape)
        return "".join(s.letter if s.is_wild or s.letter not in special else escape + s.letter for s in self.signs)

    def plain(self) -> str:
        """As a pattern of LIKE without an escape, for one that `is_plain`."""
        return "".join(sign.letter for sign in self.signs)

    def regex(self) -> str:
        """As a regular expression of RE2, which is linear, for the whole text; a dot is any letter."""
        return "".join(map(_regex, self.signs))

    def possessive(self) -> str:
        """As a regular expression of Java that is found in a text if the whole of it matches, without backtracking.

        Each inner piece is searched for from the end of the last one, and its match is never revised: (?>…).
        """
        first, *others = "".join("\0" if sign.is_run else _regex(sign) for sign in self.signs).split("\0")
        if not others:
            return rf"(?s)\A{first}\z"
        middle = "".join(f"(?>.*?{piece})" for piece in others[:-1])
        return rf"(?s)\A{first}{middle}" + (rf".*{others[-1]}\z" if others[-1] else "")


def _is_at(piece: list[PatternSymbol], text: str, place: int) -> bool:
    return all(sign.is_wild or sign.letter == letter for sign, letter in zip(piece, text[place:], strict=False))


def _signs(pattern: str, escape: str | None) -> Iterator[PatternSymbol]:
    letters = iter(pattern)
    for letter in letters:
        yield PatternSymbol(next(letters)) if letter == escape else PatternSymbol(letter, letter in (ONE, RUN))


def _regex(sign: PatternSymbol) -> str:
    if sign.is_wild:
        return ".*" if sign.is_run else "."
    letter = sign.letter
    return letter if letter.isascii() and letter.isalnum() else rf"\x{{{ord(letter):x}}}"
