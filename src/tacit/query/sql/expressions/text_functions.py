"""Functions of texts: lengths, letters' case, trimming, parts, joining. Letters are Unicode code points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import BIGINT, INTEGER, VARCHAR, SqlType
from tacit.query.sql.dialects.translator import OWN, Call, Lowered, Piece, Translator, of_text, whole_literal
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, composed, part, parts
from tacit.query.sql.expressions.text_operands import as_text, changed, fixed_number, fixed_text, text
from tacit.query.sql.values.domains import LONGEST_MADE, MOST_PIECES, cut, domain, mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import text_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import TIMES, Key, Kind

_LAST = 2**31 - 1  # in PostgreSQL and Spark; longer than any text here
_SPACES = " \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"  # category Zs
_MOST_PAIRS = 10_000


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


def _side(node: exp.Expression) -> str:
    return {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")


def _trim(node: exp.Expression, typer: Typer) -> Typed:
    value = text(part(node), typer)
    name, letters = _side(node), node.args.get("expression")
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
    items = tuple(_written(item, typer) for item in nodes)
    longest = min(LONGEST_MADE, sum(item.longest for item in items))
    pieces = [cut(item.sql, longest) if item.longest > longest else item.sql for item in items]
    sql = f"concat({', '.join(pieces)})" if nulls_are_empty else f"({' || '.join(pieces)})"
    nullable = not nulls_are_empty and any(item.nullable for item in items)
    keys = _joined_keys(items, longest, nulls_are_empty)
    return Typed(Kind.TEXT, cut(sql, longest), nullable=nullable, keys=keys, longest=longest)


def _written(node: exp.Expression, typer: Typer) -> Typed:
    """A text; or a whole number, a date or a truth value, as it is written beside one."""
    value = typer(node)
    is_plain = value.kind in (Kind.INTEGER, Kind.BOOLEAN, *TIMES)
    return composed("CAST(x AS VARCHAR)", typer, x=value) if is_plain else as_text(node, value)


def _joined_keys(items: tuple[Typed, ...], longest: int, nulls_are_empty: bool) -> tuple[Key, ...] | None:
    """All joined combinations of keys, if there are not too many."""
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


def _trimmed(node: exp.Expression, walk: Translator) -> Piece:
    """Without named letters, every space separator is trimmed."""
    letters = node.args.get("expression")
    taken = walk.literal(_SPACES, VARCHAR) if letters is None else walk(letters)
    return walk.say(_side(node), [walk.convert(walk(node.this), VARCHAR), taken], VARCHAR)


def _cut(call: Call, *places: str) -> Lowered:
    """A part of a text by literal positions, which are 32-bit numbers elsewhere."""

    def translation(node: exp.Expression, walk: Translator) -> Piece:
        given = [node.args[place] for place in places if node.args.get(place) is not None]
        positions = [walk.literal(min(whole_literal(item, walk, call.name), _LAST), INTEGER) for item in given]
        return walk.say(call.name, [walk.convert(walk(node.this), VARCHAR), *positions], VARCHAR)

    return Lowered(translation, (call,))


def _listed(call: Call) -> Lowered:
    """Concatenated texts; concat reads NULL as an empty text, || gives NULL."""

    def translation(node: exp.Expression, walk: Translator) -> Piece:
        given = node.expressions or [node.this, node.expression]
        return walk.say(call.name, [walk.convert(walk(item), VARCHAR) for item in given], VARCHAR)

    return Lowered(translation, (call,))


def _octets(node: exp.Expression, walk: Translator) -> Piece:
    """The length of a text in UTF-8."""
    return walk.say("strlen", [walk.convert(walk(node.expressions[0]), VARCHAR)], BIGINT)


def _concat_in_spark(operands: Sequence[Piece], _result: SqlType) -> str:
    present = (f"`coalesce`({item}, '')" for item in operands)
    return f"`concat`({', '.join(present)})"


TEXTS = Family.of(
    "texts",
    SqlFunction(
        ("LENGTH",),
        _length,
        (exp.Length,),
        of_text(Call("length", "length({0})::bigint", "`char_length`({0})::BIGINT"), BIGINT),
    ),
    SqlFunction(("LOWER",), _cased("lower", str.lower), (exp.Lower,), of_text(Call("lower", OWN, OWN), VARCHAR)),
    SqlFunction(("UPPER",), _cased("upper", str.upper), (exp.Upper,), of_text(Call("upper", OWN, OWN), VARCHAR)),
    SqlFunction(
        ("TRIM", "LTRIM", "RTRIM"),
        _trim,
        (exp.Trim,),
        Lowered(
            _trimmed,
            (
                Call("trim", "btrim({0}, {1.quoted})", "`trim`({1}, {0})"),
                Call("ltrim", "ltrim({0}, {1.quoted})", "`ltrim`({1}, {0})"),
                Call("rtrim", "rtrim({0}, {1.quoted})", "`rtrim`({1}, {0})"),
            ),
        ),
    ),
    SqlFunction(
        ("SUBSTRING", "SUBSTR"), _substring, (exp.Substring,), _cut(Call("substring", "substr"), "start", "length")
    ),
    SqlFunction(("LEFT",), _left, (exp.Left,), _cut(Call("left"), "expression")),
    SqlFunction(("RIGHT",), _right, (exp.Right,), _cut(Call("right"), "expression")),
    SqlFunction(("CONCAT",), _concat, (exp.Concat,), _listed(Call("concat", OWN, _concat_in_spark))),
    SqlFunction(("||",), _pipe, (exp.DPipe,), _listed(Call("||", "({0} || {1})", "concat"))),
    SqlFunction(
        (),
        None,
        lowered=Lowered(_octets, (Call("strlen", "octet_length({0})::bigint", "`octet_length`({0})::BIGINT"),)),
        names=("strlen",),
    ),
    SqlFunction((), None, (exp.MD5,), of_text(Call("md5", spark="`md5`({0}::BINARY)"), VARCHAR)),
)
