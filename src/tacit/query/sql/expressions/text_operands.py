"""Texts as operands: literals, texts changed letter by letter, and tests of texts (LIKE, ILIKE, STARTS_WITH …)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import BOOLEAN, VARCHAR
from tacit.query.sql.dialects.translator import OWN, Call, Lowered, Piece, Translator, of_text
from tacit.query.sql.expressions.predicates import boolean
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, part, parts
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, null_of, text_sql
from tacit.query.sql.values.typed import Typed
from tacit.query.sql.values.wildcards import ESCAPE, Wildcards
from tacit.schema.kind import Kind

_LAST = 2**32 - 1  # position


def text(node: exp.Expression, typer: Typer) -> Typed:
    """The expression; refused unless it is a text."""
    return as_text(node, typer(node))


def as_text(node: exp.Expression, value: Typed) -> Typed:
    """The value of the expression; refused unless it is a text."""
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
    """A text that is not longer than its operand, and has at most `longest` letters if that is given.

    Its keys are computed here where the engine certainly computes the same.
    """
    keys = None
    if value.keys is not None and not (only_ascii and not all(str(key).isascii() for key in value.keys)):
        keys = mapped(value, lambda key: function(str(key)))
    is_constant = value.is_constant and keys is not None
    most = value.longest if longest is None else min(longest, value.longest)
    return replace(value, sql=sql, keys=keys, is_constant=is_constant, longest=most)


_MOST_WILDCARDS = 8
_LONGEST = 200


def _like(word: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        return _match(node, node, typer, word, None)

    return rule


def _escaped(node: exp.Expression, typer: Typer) -> Typed:
    inner = part(node)
    if not isinstance(inner, (exp.Like, exp.ILike)):
        raise refuse(node, "ESCAPE belongs to LIKE or ILIKE.", "x LIKE '50!%' ESCAPE '!'.")
    escape = fixed_text(part(node, "expression"), typer, "The escape letter")
    if not (len(escape) == 1 and escape.isascii() and escape not in "%_"):
        raise refuse(node, "The escape must be one ASCII letter other than % and _.", "x LIKE '50!%' ESCAPE '!'.")
    return _match(node, inner, typer, "LIKE" if isinstance(inner, exp.Like) else "ILIKE", escape)


def _match(node: exp.Expression, like: exp.Expression, typer: Typer, word: str, escape: str | None) -> Typed:
    value, pattern = text(part(like), typer), fixed_text(part(like, "expression"), typer, "The pattern")
    if not (len(pattern) <= _LONGEST and pattern.count("%") <= _MOST_WILDCARDS):
        accepted = f"at most {_LONGEST} letters and {_MOST_WILDCARDS} of %."
        raise refuse(node, "The pattern is too long to be matched in steady time.", accepted)
    if escape is not None and _ends_open(pattern, escape):
        raise refuse(node, "The pattern ends with an escape that escapes nothing.", f"{escape}{escape} at the end.")
    negated = "NOT " if like.args.get("negate") else ""
    signs = Wildcards.of_like(pattern, escape)
    if signs.searches > 1:
        return boolean(_linear(value.sql, negated, word, signs), value)
    end = "" if escape is None else f" ESCAPE {text_sql(escape)}"
    return boolean(f"({value.sql} {negated}{word} {text_sql(pattern)}{end})", value)


def _linear(sql: str, negated: str, word: str, signs: Wildcards) -> str:
    """A match in time linear in the text: LIKE where DuckDB searches for pieces, else without backtracking."""
    if word == "ILIKE":
        sql, signs = f"lower({sql})", signs.changed(lambda letter: letter.lower()[:1])
    if signs.is_plain:
        return f"({sql} {negated}LIKE {text_sql(signs.plain())})"
    return f"({negated}regexp_full_match({sql}, {text_sql(signs.regex())}, 's'))"


def _ends_open(pattern: str, escape: str) -> bool:
    index = 0
    while index < len(pattern):
        if pattern[index] == escape:
            if index + 1 == len(pattern):
                return True
            index += 1
        index += 1
    return False


def _test(name: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        if isinstance(node, exp.Anonymous):
            given = parts(node)
            if len(given) != 2:
                raise refuse(node, f"{name.upper()} takes two texts.", f"{name.upper()}(x, 'abc').")
            first, second = text(given[0], typer), text(given[1], typer)
        else:
            first, second = text(part(node), typer), text(part(node, "expression"), typer)
        return boolean(f"{name}({first.sql}, {second.sql})", first, second)

    return rule


def _liked(node: exp.Expression, walk: Translator) -> Piece:
    inner = node.this if isinstance(node, exp.Escape) else node
    word = "ILIKE" if isinstance(inner, exp.ILike) else "LIKE"
    escape = [walk(node.expression)] if isinstance(node, exp.Escape) else []
    matched = walk.say(word, [walk(inner.this), walk(inner.expression), *escape], BOOLEAN)
    return walk.say("NOT", [matched], BOOLEAN) if inner.args.get("negate") else matched


def _full_match(node: exp.Expression, walk: Translator) -> Piece:
    """A pattern of LIKE that DuckDB matches as a regular expression."""
    texts = [walk.literal(text, VARCHAR) for text in (Wildcards.of_regex(node.expression.name).like(), ESCAPE)]
    return walk.say("LIKE", [walk.convert(walk(node.this), VARCHAR), *texts], BOOLEAN)


PATTERNS = Family.of(
    "patterns",
    SqlFunction(("LIKE",), _like("LIKE"), (exp.Like,), Lowered(_liked, (Call("LIKE", OWN, OWN),))),
    SqlFunction(("ILIKE",), _like("ILIKE"), (exp.ILike,), Lowered(_liked, (Call("ILIKE", OWN, OWN),))),
    SqlFunction((), _escaped, (exp.Escape,), Lowered(_liked)),
    SqlFunction((), None, (exp.RegexpFullMatch,), Lowered(_full_match)),
    SqlFunction(
        ("STARTS_WITH",),
        _test("starts_with"),
        (exp.StartsWith,),
        of_text(Call("starts_with", spark="startswith"), BOOLEAN, "expression"),
    ),
    SqlFunction(("PREFIX",), _test("starts_with"), names=("prefix",)),
    SqlFunction(
        ("ENDS_WITH",),
        _test("ends_with"),
        (exp.EndsWith,),
        of_text(Call("ends_with", OWN, "endswith"), BOOLEAN, "expression"),
    ),
    SqlFunction(("SUFFIX",), _test("ends_with"), names=("suffix",)),
    SqlFunction(
        ("CONTAINS",),
        _test("contains"),
        (exp.Contains,),
        of_text(Call("contains", "(strpos({0}, {1}) > 0)"), BOOLEAN, "expression"),
    ),
)
