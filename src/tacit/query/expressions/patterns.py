"""LIKE and ILIKE with a literal pattern, STARTS_WITH, ENDS_WITH, CONTAINS."""

from __future__ import annotations

from sqlglot import exp

from tacit.query.expressions.comparison import boolean
from tacit.query.expressions.rule import Family, Rule, Typer, part, parts
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import text_sql
from tacit.query.expressions.texts import fixed_text, text
from tacit.query.typed import Typed
from tacit.query.wildcards import Wildcards

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
    """A match in time linear in the text: LIKE where DuckDB looks for pieces, else an expression without steps back."""
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


PATTERNS = Family(
    "patterns",
    ("LIKE", "ILIKE", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "PREFIX", "SUFFIX"),
    {
        exp.Like: _like("LIKE"),
        exp.ILike: _like("ILIKE"),
        exp.Escape: _escaped,
        exp.StartsWith: _test("starts_with"),
        exp.EndsWith: _test("ends_with"),
        exp.Contains: _test("contains"),
    },
    {"prefix": _test("starts_with"), "suffix": _test("ends_with")},
)
