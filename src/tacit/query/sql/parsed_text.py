"""The text of a query, parsed: its statements, or a refusal that points at the place where it cannot be read."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from tacit.errors import Refused, pointing
from tacit.printable import printable
from tacit.query.sql.values.refusal import WRITTEN

_LONGEST = 200_000  # letters of a query
_NEAR = 40  # letters of what could not be read, as it is shown
_BEFORE, _WIDEST = 60, 100  # letters of its line, as they are shown
_ACCEPTED = "SELECT … FROM … ."


def parsed(sql: str) -> list[exp.Expr]:
    """The statements of a text of DuckDB's dialect; each function has the name by which it was called."""
    _refuse_unreadable(sql)
    try:
        read = sqlglot.parse(sql, dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        raise _stopped(sql, error) from None
    trees = [tree for tree in read if not isinstance(tree, exp.Semicolon | None)]  # a comment alone is a Semicolon
    for tree in trees:
        for call in tree.find_all(exp.Func):
            start, end = (call.meta.get(key) for key in ("start", "end"))
            if isinstance(start, int) and isinstance(end, int):
                call.meta[WRITTEN] = sql[start : end + 1]
    return trees


def _stopped(sql: str, error: Exception) -> Refused:
    """The refusal of what cannot be parsed, with its place as far as it is known."""
    unread = "It cannot be read as SQL of DuckDB's dialect"
    found = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    near, line, end = (found.get(key) for key in ("highlight", "line", "col"))
    if isinstance(near, str) and isinstance(line, int) and isinstance(end, int):
        before = sum(len(each) + 1 for each in sql.split("\n")[: line - 1])
        place = max(0, before + end - len(near))
        return _pointing(sql, place, f"{unread}: it breaks at {printable(near[:_NEAR])} in {_where(sql, place)}.")
    opened = _open_quote(sql)
    if opened is None:
        return Refused("this text", f"{unread}.", _ACCEPTED)
    return _pointing(sql, opened, f"{unread}: a quote in {_where(sql, opened)}, is not closed.")


def _where(sql: str, place: int) -> str:
    return f"line {sql.count(chr(10), 0, place) + 1}, column {place - sql.rfind(chr(10), 0, place)}"


def _pointing(sql: str, place: int, why: str) -> Refused:
    """A refusal that shows the part of a line around a place."""
    start = sql.rfind("\n", 0, place) + 1
    line, column = sql[start:].split("\n")[0].rstrip("\r"), place - start
    first = max(0, column - _BEFORE)
    last = first + _WIDEST
    shown = f"{'…' if first else ''}{line[first:last]}{'…' if line[last:] else ''}"
    return pointing(shown, column - first + bool(first), why, _ACCEPTED)


def _open_quote(sql: str) -> int | None:
    """The place of the quote that is not closed; None if all are. What is behind -- is a comment."""
    opened: int | None = None
    place = 0
    while place < len(sql):
        if opened is not None:
            opened = None if sql[place] == sql[opened] else opened
        elif sql[place] in "'\"":
            opened = place
        elif sql.startswith("--", place):
            place = sql.find("\n", place) if "\n" in sql[place:] else len(sql)
        place += 1
    return opened


def _refuse_unreadable(sql: str) -> None:
    """Refuse, before any charge, a text that an engine could not process."""
    if not len(sql) <= _LONGEST:
        raise Refused(f"a query of {len(sql):,} letters", "It is too long to be planned.", f"{_LONGEST:,} at most.")
    if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in sql):
        raise Refused("this text", "It holds a NUL or half a letter, which not every engine reads.", "whole letters.")
