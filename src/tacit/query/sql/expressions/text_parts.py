"""Texts replaced, padded and split at literals, and the place of a text in another. Letters are code points."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import BIGINT, INTEGER, VARCHAR
from tacit.query.sql.dialects.translator import Call, Lowered, Piece, Translator, of_text, whole_literal
from tacit.query.sql.expressions.rule import Family, SqlFunction, Typer, part
from tacit.query.sql.expressions.text_operands import changed, fixed_number, fixed_text, text
from tacit.query.sql.values.domains import LONGEST_MADE, cut
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import text_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_MOST_GROWTH = 8  # times as long may a text become
_MOST_PARTS = 10_000


def _replace(node: exp.Expression, typer: Typer) -> Typed:
    """Each occurrence replaced; of a text that grows, so many first letters count that the result is not too long."""
    accepted = (
        f"REPLACE(x, 'ab', 'c') with literals, the first not empty, the second at most {_MOST_GROWTH} times as long."
    )
    value = text(part(node), typer)
    old = fixed_text(part(node, "expression"), typer, "What is replaced")
    written = node.args.get("replacement")
    new = fixed_text(written, typer, "What replaces it") if isinstance(written, exp.Expression) else ""
    growth = max(1, -(-len(new) // max(1, len(old))))
    if not (old and growth <= _MOST_GROWTH):
        raise refuse(node, "It has no letters to replace, or too many to put there.", accepted)
    most = value.longest
    if growth > 1:
        kept = LONGEST_MADE // growth
        if value.longest > kept:
            value = changed(value, cut(value.sql, kept), lambda key: key[:kept], longest=kept)
        most = value.longest * growth
    sql = f"replace({value.sql}, {text_sql(old)}, {text_sql(new)})"
    return replace(changed(value, sql, lambda key: key.replace(old, new)), longest=most)


def _split(node: exp.Expression, typer: Typer) -> Typed:
    accepted = f"SPLIT_PART(x, '-', 1) with literals; parts are counted from 1 to {_MOST_PARTS:,}."
    value = text(part(node), typer)
    between = fixed_text(part(node, "delimiter"), typer, "What lies between the parts")
    place = fixed_number(part(node, "part_index"), typer, 1, accepted)
    if not (between and place <= _MOST_PARTS):
        raise refuse(node, "Nothing lies between its parts, or they are too many.", accepted)

    def found(key: str) -> str:
        pieces = key.split(between)
        return pieces[place - 1] if place <= len(pieces) else ""

    return changed(value, f"split_part({value.sql}, {text_sql(between)}, {place})", found)


def _pad(node: exp.Expression, typer: Typer) -> Typed:
    name = "lpad" if node.args.get("is_left") else "rpad"
    accepted = f"{name.upper()}(x, 5, '0') with literals; at most {LONGEST_MADE:,} letters."
    value = text(part(node), typer)
    length = fixed_number(part(node, "expression"), typer, 0, accepted)
    filled = node.args.get("fill_pattern")
    letters = fixed_text(filled, typer, "What is filled in") if isinstance(filled, exp.Expression) else " "
    if not (letters and length <= LONGEST_MADE):
        raise refuse(node, "Nothing is filled in, or too much.", accepted)

    def padded(key: str) -> str:
        more = (letters * length)[: max(0, length - len(key))]
        return (more + key if name == "lpad" else key + more)[:length] if len(key) < length else key[:length]

    sql = f"{name}({value.sql}, {length}, {text_sql(letters)})"
    return replace(changed(value, sql, padded), longest=length)


def _place(node: exp.Expression, typer: Typer) -> Typed:
    """Where the second text begins in the first, counted from 1; 0 where it does not occur."""
    if node.args.get("position") is not None or node.args.get("occurrence") is not None:
        raise refuse(node, "It takes two texts.", "STRPOS(x, 'abc').")
    value, sought = text(part(node), typer), text(part(node, "substr"), typer)
    nullable = value.nullable or sought.nullable
    high = Fraction(max(1, value.longest))
    return Typed(Kind.INTEGER, f"strpos({value.sql}, {sought.sql})", Fraction(0), high, nullable)


def _replaced(node: exp.Expression, walk: Translator) -> Piece:
    given = [walk.convert(walk(node.args[name]), VARCHAR) for name in ("this", "expression", "replacement")]
    return walk.say("replace", given, VARCHAR)


def _parted(node: exp.Expression, walk: Translator) -> Piece:
    place = walk.literal(whole_literal(node.args["part_index"], walk, "split_part"), INTEGER)
    given = [walk.convert(walk(node.args[name]), VARCHAR) for name in ("this", "delimiter")]
    return walk.say("split_part", [*given, place], VARCHAR)


def _padded(node: exp.Expression, walk: Translator) -> Piece:
    length = walk.literal(whole_literal(node.expression, walk, "padding"), INTEGER)
    value, letters = (walk.convert(walk(node.args[name]), VARCHAR) for name in ("this", "fill_pattern"))
    return walk.say("lpad" if node.args.get("is_left") else "rpad", [value, length, letters], VARCHAR)


TEXT_PARTS = Family.of(
    "parts of texts",
    SqlFunction(("REPLACE",), _replace, (exp.Replace,), Lowered(_replaced, (Call("replace"),))),
    SqlFunction(("SPLIT_PART",), _split, (exp.SplitPart,), Lowered(_parted, (Call("split_part"),))),
    SqlFunction(("LPAD", "RPAD"), _pad, (exp.Pad,), Lowered(_padded, (Call("lpad"), Call("rpad")))),
    SqlFunction(
        ("STRPOS", "POSITION", "INSTR"),
        _place,
        (exp.StrPosition,),
        of_text(Call("strpos", "strpos({0}, {1})::bigint", "`instr`({0}, {1})::BIGINT"), BIGINT, "substr"),
    ),
)
