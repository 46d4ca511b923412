"""How long a text may be: read, written in a query, or made of others. So no row can outgrow an engine's memory."""

from __future__ import annotations

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.typed import LONGEST, Typed
from tacit.schema.kind import Kind

LONGEST_MADE = 2_048
"""Letters of a text that a query writes, or makes of several.

A text that is read was there before: one person's rows hold few of them. What a query makes, it makes on every row it
likes, 2,048 rows at a time: with at most `_MOST_JOINED` of them in a query that is a quarter of a gigabyte of ASCII.
"""
MOST_PIECES = 64  # of one text: PostgreSQL's functions take 100 arguments
_MOST_JOINED = 64  # texts that a query makes of others
_MOST_CHANGED = 256  # texts that a query makes in all: each may be as long as a column
_JOINS = (exp.Concat, exp.DPipe)
_CHANGES = (*_JOINS, exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Left, exp.Right)
_WRITTEN = {Kind.INTEGER: 40, Kind.DECIMAL: 40, Kind.FLOAT: 32, Kind.BOOLEAN: 5, Kind.DATE: 16, Kind.TIMESTAMP: 32}


def cut(sql: str, longest: int) -> str:
    """A text's first letters. (DuckDB takes them once for each entry of a dictionary; with left, for each row.)"""
    return f"substring({sql}, 1, {longest})"


def cut_where_read(sql: str) -> str:
    """A column's first letters; its octets, which are at least as many, are counted without a look at them."""
    return f"(CASE WHEN strlen({sql}) > {LONGEST} THEN {cut(sql, LONGEST)} ELSE {sql} END)"


def longest_written(value: Typed) -> int:
    """The most letters that a value of its kind is written with."""
    return value.longest if value.kind is Kind.TEXT else _WRITTEN[value.kind]


def refuse_many_texts(query: exp.Expression) -> None:
    """Refuses a query that makes more texts of a row than an engine may have to hold at once."""
    joined = changed = 0
    for node in query.walk():
        is_chained = isinstance(node, exp.DPipe) and isinstance(node.parent, exp.DPipe)
        joined += isinstance(node, _JOINS) and not is_chained
        changed += isinstance(node, _CHANGES) and not is_chained
    for many, most, what in ((joined, _MOST_JOINED, "joined"), (changed, _MOST_CHANGED, "changed")):
        if not many <= most:
            raise Refused(f"{many:,} {what} texts", "Together they may be too wide to be held.", f"at most {most}.")
