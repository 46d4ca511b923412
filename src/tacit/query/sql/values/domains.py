"""Which values an expression can have: finite public domains, and how long a text may be.

A domain lists all values but NULL, where they are few. The length of a text is bounded wherever it is read, written
in a query, or made of other texts, so that no row can exceed an engine's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import time_of, unsigned_zero
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.kind import Key, Kind

MOST_KEYS = 100_000
_WIDEST = 9_000  # fewer than the 9,999 years of a date without bounds, which are not intended as keys


def domain(typed: Typed) -> tuple[Key, ...] | None:
    """A superset of its values besides NULL; None if they are unknown or too many to list."""
    if typed.keys is not None:
        return typed.keys if len(typed.keys) <= MOST_KEYS else None
    if typed.kind is Kind.BOOLEAN:
        return (False, True)
    if typed.kind not in (Kind.INTEGER, Kind.DATE) or typed.low is None or typed.high is None:
        return None
    if not typed.high - typed.low < _WIDEST:
        return None
    numbers = range(int(typed.low), int(typed.high) + 1)
    if typed.kind is Kind.INTEGER:
        return tuple(numbers)
    return tuple(time_of(Kind.DATE, Fraction(number)) for number in numbers)


def mapped(typed: Typed, function: Callable[[Key], Key | None]) -> tuple[Key, ...] | None:
    """The domain of a deterministic function of one expression; None of the function means NULL."""
    known = domain(typed)
    if known is None:
        return None
    return tuple(dict.fromkeys(value for value in map(function, known) if value is not None))


def united(*items: Typed) -> tuple[Key, ...] | None:
    """The values of an expression that is one of these; None unless each lists its own."""
    if any(item.keys is None and item.kind is not Kind.BOOLEAN for item in items):
        return None
    found = tuple(dict.fromkeys(key for item in items for key in domain(item) or ()))
    return found if len(found) <= MOST_KEYS else None


LONGEST_MADE = 2_048
"""Letters of a text that a query writes, or makes of several.

A text that is read was there before: one person's rows hold few of them. What a query makes, it makes on every row it
likes, 2,048 rows at a time: with at most `_MOST_JOINED` of them in a query that is a quarter of a gigabyte of ASCII.
"""
KEPT = 4_096
"""Letters, all together, of the texts that a query computes and an engine keeps of a group: its keys, MIN and MAX.

Groups of 16 KB DuckDB writes to disk where memory is short. Of wider ones a person's rows make too many: with 256 MB,
12,000 of 32 KB, or 200 of 2 MB.
"""
HANDED_ON = 16_384
"""Letters, all together, of the texts that a sub-query computes: 2,048 rows of them are held at once, in 128 MB."""
MOST_PIECES = 64  # of one text: PostgreSQL's functions take 100 arguments
_MOST_JOINED = 64  # texts that a query makes of others
_SHORT = 64  # the most letters of a text that is kept unchanged
_HEAVIEST = 2**20  # letters of SQL
_MOST_CHANGED = 256  # texts that a query makes in all: each may be as long as a column
_CHANGES = (exp.Concat, exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.SplitPart)


def cut(sql: str, longest: int) -> str:
    """A text's first letters. (DuckDB computes this once per dictionary entry; `left` would be computed per row.)"""
    return f"substring({sql}, 1, {longest})"


def cut_where_read(sql: str) -> str:
    """A column's first letters; its octets, at least as many, are counted first, which is fast."""
    return f"(CASE WHEN strlen({sql}) > {LONGEST} THEN {cut(sql, LONGEST)} ELSE {sql} END)"


def longest_written(value: Typed) -> int:
    """The length of the longest text of a value of its kind."""
    longest = value.kind.traits.longest
    return value.longest if longest is None else longest


def kept(values: Sequence[Typed], letters: int = KEPT) -> list[Typed]:
    """The same values with bounded total length: the texts that the query computes share the letters.

    The first use of a table's text is not counted, because it is at most as long as its row.
    """
    names: set[str] = set()
    wide = []
    for value in values:
        wide.append(value.kind is Kind.TEXT and value.longest > _SHORT and (value.weight > 0 or value.sql in names))
        names.add(value.sql)
    if not sum(wide) * _SHORT <= letters:
        why = "Together they may be too wide to be held."
        raise Refused(f"{sum(wide):,} computed texts side by side", why, f"at most {letters // _SHORT} of them.")
    share = letters // max(1, sum(wide))
    return [_first_letters(value, share) if each else value for value, each in zip(values, wide, strict=True)]


def _first_letters(value: Typed, longest: int) -> Typed:
    if value.longest <= longest:
        return value
    keys = None if value.keys is None else mapped(value, lambda key: str(key)[:longest])
    return replace(value, sql=cut(value.sql, longest), keys=keys, longest=longest)


def told_apart(value: Typed) -> str:
    """SQL that differs where the values do: for a long computed text, its digest, which is stored in its place.

    An engine stores all distinct values, and one person may have as many as pairs of their rows. Two texts with the
    same digest count as one value, like under any function of the values.
    """
    is_made = value.kind is Kind.TEXT and _SHORT < value.longest < LONGEST
    return f"md5({value.sql})" if is_made else unsigned_zero(value)


def weighed(node: exp.Expression, value: Typed, columns: Iterable[Typed]) -> Typed:
    """The expression with its weight: its letters of SQL, including those of its columns' definitions at each use.

    An engine's planner substitutes a sub-query's column at each use: six levels with 60 uses each are 60⁶ uses. A
    joined text has a weight such that exactly the permitted number fits into a query.
    """
    if isinstance(node, exp.Column):  # a name for the weighed expression
        return value
    joined = sum(map(_is_joined, node.walk())) * (_HEAVIEST // _MOST_JOINED)
    behind = {column.sql: column.weight for column in columns if column.weight}
    weight = len(value.sql) + joined + sum(value.sql.count(name) * each for name, each in behind.items())
    if not weight <= _HEAVIEST + len(value.sql):
        raise refuse(node, "With what its sub-queries compute, it is too long to be run.", "fewer levels, or GROUP BY.")
    return replace(value, weight=weight)


def refuse_many_texts(query: exp.Expression) -> None:
    """Refuse a query that computes more texts per row than an engine should hold at once."""
    nodes = list(query.walk())
    joined, changed = sum(map(_is_joined, nodes)), sum(isinstance(node, _CHANGES) for node in nodes)
    for many, most, what in ((joined, _MOST_JOINED, "joined"), (changed, _MOST_CHANGED, "changed")):
        if not many <= most:
            raise Refused(f"{many:,} {what} texts", "Together they may be too wide to be held.", f"at most {most}.")


def _is_joined(node: exp.Expr) -> bool:
    """Whether the node joins texts, or makes them longer; a chain of || is one."""
    return isinstance(node, exp.Concat | exp.Pad | exp.Replace) or (
        isinstance(node, exp.DPipe) and not isinstance(node.parent, exp.DPipe)
    )
