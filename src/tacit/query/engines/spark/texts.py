"""Text functions on Spark. Letters are code points; their case changes one by one, as in DuckDB, not by Java's."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from tacit.query.engines.spark.spelling import call, case, once, text
from tacit.query.sql.dialects.piece import Operation, Piece
from tacit.query.sql.dialects.sql_type import SqlType
from tacit.query.sql.values.wildcards import Wildcards

_ESCAPE = "\\"
_OWN = {"ß": "ẞ"}  # letters that DuckDB maps and Unicode's simple mapping does not


def lowered(letter: str) -> str:
    """A letter in lower case, as one letter."""
    return letter.lower()[:1]


def raised(letter: str) -> str:
    """One letter in upper case; itself where that would be several."""
    longer = letter.upper()
    if len(longer) == 1:
        return longer
    return _OWN.get(letter) or (letter.title() if len(letter.title()) == 1 else letter)


@lru_cache(maxsize=2)
def _table(change: Callable[[str], str]) -> tuple[str, str]:
    """Every letter that changes, and what it changes to."""
    changed = [(letter, change(letter)) for letter in _letters() if change(letter) != letter]
    return "".join(old for old, _ in changed), "".join(new for _, new in changed)


def _letters() -> Iterator[str]:
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in ("Lu", "Ll", "Lt", "Nl", "So", "Mn"):
            yield chr(code)


def _cased(name: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """ASCII has a fast path; in other texts (longer in octets than in letters) each letter is looked up."""

    def said(x: str) -> str:
        old, new = _table(change)
        is_ascii = call("=", call("octet_length", x), call("char_length", x))
        return case(is_ascii, call(name, x), call("translate", x, text(old), text(new)))

    return lambda x: once(x, said)


_lower, _upper = _cased("lower", lowered), _cased("upper", raised)


def _like(operands: Sequence[Piece], result: SqlType) -> str:
    return _matched(operands[0].sql, _wildcards(operands))


def _ilike(operands: Sequence[Piece], result: SqlType) -> str:
    return _matched(_lower(operands[0].sql), _wildcards(operands).changed(lowered))


def _wildcards(operands: Sequence[Piece]) -> Wildcards:
    escape = str(operands[2].constant) if len(operands) > 2 else None
    return Wildcards.of_like(str(operands[1].constant), escape)


def _matched(x: str, signs: Wildcards) -> str:
    """Spark compiles LIKE to a Java expression, which backtracks; an escape may precede only % _ and itself."""
    if signs.searches > 1:
        return call("rlike", x, text(signs.possessive()))
    return call("like", x, text(signs.like(_ESCAPE)), text(_ESCAPE))


LETTERS: dict[str, Operation] = {
    "lower": lambda operands, result: _lower(operands[0].sql),
    "upper": lambda operands, result: _upper(operands[0].sql),
    "LIKE": _like,
    "ILIKE": _ilike,
}
