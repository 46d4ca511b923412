"""Functions of texts: lengths, letters' case, trimming, parts, joining. Letters are Unicode code points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from sqlglot import exp

from tacit.query.sql.expressions.rule import Family, Rule, Typer, part, parts
from tacit.query.sql.values.domains import LONGEST_MADE, MOST_PIECES, cut, domain, mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, null_of, text_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_LAST = 2**32 - 1  # position
_MOST_PAIRS = 10_000


def text(node: exp.Expression, typer: Typer) -> Typed:
    """The expression, if it is a text."""
    value = typer(node)
    if is_null(value):
        return null_of(Kind.TEXT)
    if value.kind is not Kind.TEXT:
        raise refuse(node, f"A text is wanted here; this is {value.kind}.", "CAST(… AS VARCHAR) around it.")
    return value


def fixed_text(node: exp.Expression, typer: Typer, what: str) -> str:
    """The text of a literal."""
    value = text(node, typer)
    if not (value.is_constant and value.keys):
        raise refuse(node, f"{what} must be a literal.", "a quoted text such as 'abc'.")
    return str(value.keys[0])


def fixed_number(node: exp.Expression, typer: Typer, least: int, accepted: str) -> int:
    """The integer of a literal."""
    value = typer(node)
    if not (value.is_constant and value.kind is Kind.INTEGER and value.keys):
        raise refuse(node, "Positions and lengths must be literals.", accepted)
    number = int(str(value.keys[0]))
    if not least <= number <= _LAST:
        raise refuse(node, f"It must be at least {least}.", accepted)
    return number


def changed(
    value: Typed, sql: str, function: Callable[[str], str], only_ascii: bool = False, longest: int | None = None
) -> Typed:
    """A text that is not longer than the one it is made of, and has `longest` letters at most if that is given.

    Its keys are worked out here where this is sure to be what the engine does.
    """
    keys = None
    if value.keys is not None and not (only_ascii and not all(str(key).isascii() for key in value.keys)):
        keys = mapped(value, lambda key: function(str(key)))
    is_constant = value.is_constant and keys is not None
    most = value.longest if longest is None else min(longest, value.longest)
    return replace(value, sql=sql, keys=keys, is_constant=is_constant, longest=most)


def _length(node: exp.Expression, typer: Typer) -> Typed:
    value = text(part(node), typer)
    keys: tuple[Key, ...] | None = None if value.keys is None else mapped(value, lambda key: len(str(key)))
    low, high = 0, value.longest
    if keys is not None:
        low, high = min(map(int, map(str, keys)), default=0), max(map(int, map(str, keys)), default=0)
    return Typed(Kind.INTEGER, f"length({value.sql})", Fraction(low), Fraction(high), value.nullable, keys=keys)


def _cased(name: str, function: Callable[[str], str]) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        value = text(part(node), typer)
        return changed(value, cut(f"{name}({value.sql})", value.longest), function, only_ascii=True)

    return rule


def _trim(node: exp.Expression, typer: Typer) -> Typed:
    value = text(part(node), typer)
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    letters = node.args.get("expression")
    chars = " " if letters is None else fixed_text(letters, typer, "What is trimmed")
    function = {"ltrim": str.lstrip, "rtrim": str.rstrip, "trim": str.strip}[name]
    sql = f"{name}({value.sql})" if letters is None else f"{name}({value.sql}, {text_sql(chars)})"
    return changed(value, sql, lambda key: function(key, chars) if chars else key, only_ascii=True)


def _substring(node: exp.Expression, typer: Typer) -> Typed:
    accepted = "SUBSTRING(x, start, length) with literals, start ≥ 1 and length ≥ 0."
    value = text(part(node), typer)
    start = fixed_number(part(node, "start"), typer, 1, accepted)
    if node.args.get("length") is None:
        return changed(value, f"substring({value.sql}, {start})", lambda key: key[start - 1 :])
    length = fixed_number(part(node, "length"), typer, 0, accepted)
    sql = f"substring({value.sql}, {start}, {length})"
    return changed(value, sql, lambda key: key[start - 1 : start - 1 + length], longest=length)


def _left(node: exp.Expression, typer: Typer) -> Typed:
    value = text(part(node), typer)
    count = fixed_number(part(node, "expression"), typer, 0, "LEFT(x, 3).")
    return changed(value, f"left({value.sql}, {count})", lambda key: key[:count], longest=count)


def _right(node: exp.Expression, typer: Typer) -> Typed:
    value = text(part(node), typer)
    count = fixed_number(part(node, "expression"), typer, 0, "RIGHT(x, 3).")
    kept = f"right({value.sql}, {count})"
    return changed(value, kept, lambda key: key[len(key) - min(count, len(key)) :], longest=count)


def _pipe(node: exp.Expression, typer: Typer) -> Typed:
    nodes: list[exp.Expression] = []
    while isinstance(node, exp.DPipe):
        nodes.append(part(node, "expression"))
        node = part(node)
    return _joined(node, (node, *reversed(nodes)), typer, nulls_are_empty=False)


def _concat(node: exp.Expression, typer: Typer) -> Typed:
    return _joined(node, parts(node), typer, nulls_are_empty=True)


def _joined(node: exp.Expression, nodes: Sequence[exp.Expression], typer: Typer, nulls_are_empty: bool) -> Typed:
    """The first letters of several texts, one after the other; no piece is longer than the whole may be."""
    if not len(nodes) <= MOST_PIECES:
        raise refuse(node, f"More than {MOST_PIECES} texts are joined.", f"at most {MOST_PIECES}.")
    items = tuple(text(item, typer) for item in nodes)
    longest = min(LONGEST_MADE, sum(item.longest for item in items))
    pieces = [cut(item.sql, longest) if item.longest > longest else item.sql for item in items]
    sql = f"concat({', '.join(pieces)})" if nulls_are_empty else f"({' || '.join(pieces)})"
    nullable = not nulls_are_empty and any(item.nullable for item in items)
    keys = _joined_keys(items, longest, nulls_are_empty)
    return Typed(Kind.TEXT, cut(sql, longest), nullable=nullable, keys=keys, longest=longest)


def _joined_keys(items: tuple[Typed, ...], longest: int, nulls_are_empty: bool) -> tuple[Key, ...] | None:
    """Every way to join a key of each, if those are not too many."""
    sizes, choices = 1, []
    for item in items:
        known = domain(item)
        if known is None:
            return None
        choices.append((*known, "") if nulls_are_empty and item.nullable else known)
        sizes *= len(choices[-1])
        if not sizes <= _MOST_PAIRS:
            return None
    return tuple(dict.fromkeys("".join(map(str, chosen))[:longest] for chosen in product(*choices)))


TEXTS = Family(
    "texts",
    ("LENGTH", "LOWER", "UPPER", "TRIM", "LTRIM", "RTRIM", "SUBSTRING", "SUBSTR", "LEFT", "RIGHT", "CONCAT", "||"),
    {
        exp.Length: _length,
        exp.Lower: _cased("lower", str.lower),
        exp.Upper: _cased("upper", str.upper),
        exp.Trim: _trim,
        exp.Substring: _substring,
        exp.Left: _left,
        exp.Right: _right,
        exp.Concat: _concat,
        exp.DPipe: _pipe,
    },
)
