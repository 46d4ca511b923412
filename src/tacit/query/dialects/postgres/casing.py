"""Lower and upper case by the simple mappings of Unicode, as DuckDB has them: one letter for one letter.

PostgreSQL's own depend on its locale, or know ASCII only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache

from tacit.query.dialects.postgres.literals import quote

_LOWER = {"İ": "i"}
_UPPER = {"ß": "ẞ"}


def lower_letter(letter: str) -> str:
    """A letter in lower case."""
    lowered = letter.lower()
    return _LOWER.get(letter, lowered if len(lowered) == 1 else letter)


def upper_letter(letter: str) -> str:
    """A letter in upper case; where that takes several letters, its title case."""
    raised, title = letter.upper(), letter.title()
    return _UPPER.get(letter, raised if len(raised) == 1 else title if len(title) == 1 else letter)


def lowered(text: str) -> str:
    """A constant text in lower case."""
    return "".join(map(lower_letter, text))


@cache
def _changed(function: Callable[[str], str]) -> str:
    """The letters beyond ASCII that change, each with what it becomes, as JSON."""
    letters = (chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    pairs = {letter: function(letter) for letter in letters if function(letter) != letter}
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def cased(name: str, function: Callable[[str], str], a: str) -> str:
    """lower(a) or upper(a); letters beyond ASCII are looked up one by one where there are any.

    translate() would go through all fourteen hundred of them for each letter of the text: a second for a long one.
    """
    found = f"COALESCE({quote(_changed(function))}::jsonb ->> c, c)"
    letters = f"unnest(string_to_array({a}, NULL)) WITH ORDINALITY AS letters(c, place)"
    exchanged = f"(SELECT string_agg({found}, '' ORDER BY place) FROM {letters})"
    plain = f"CASE WHEN octet_length({a}) = length({a}) THEN {a} ELSE {exchanged} END"
    return f'{name}(({plain}) COLLATE "C")'
