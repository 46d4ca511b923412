"""Predicates: comparisons, AND, OR and NOT in three-valued logic, and tests of texts.

Comparisons are = <> < <= > >=, IS [NOT] DISTINCT FROM, IS NULL, IS TRUE, BETWEEN and IN. Tests of texts are LIKE and
ILIKE with a literal pattern, STARTS_WITH, ENDS_WITH and CONTAINS.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.query.sql.expressions.result_types import unify
from tacit.query.sql.expressions.rule import Family, Rule, Typer, part, parts
from tacit.query.sql.expressions.second_line import tried
from tacit.query.sql.expressions.text_functions import fixed_text, text
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import as_type, is_null, null_of, sql_type, text_sql
from tacit.query.sql.values.typed import Typed
from tacit.query.sql.values.wildcards import Wildcards
from tacit.schema.kind import Kind

_LONGEST_LIST = 10_000


def boolean(sql: str, *parts: Typed) -> Typed:
    """A truth value that is NULL only where one of `parts` is."""
    is_constant = bool(parts) and all(item.is_constant for item in parts)
    return Typed(Kind.BOOLEAN, sql, nullable=any(item.nullable for item in parts), is_constant=is_constant)


def sides(node: exp.Expression, typer: Typer, *items: Typed) -> tuple[str, ...]:
    """The SQL of items to be compared, in one type; they were typed within."""
    same = unify(node, *items)
    types = {sql_type(item) for item in same}
    target = "HUGEINT" if "HUGEINT" in types else next(iter(types))
    listed = (as_type(item, target) for item in same)
    return tuple(map(tried, listed) if typer.is_outer else listed)


def _compare(operator: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        left, right = typer.within(part(node)), typer.within(part(node, "expression"))
        first, second = sides(node, typer, left, right)
        return boolean(f"({first} {operator} {second})", left, right)

    return rule


def _distinct(operator: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        left, right = typer.within(part(node)), typer.within(part(node, "expression"))
        first, second = sides(node, typer, left, right)
        return boolean(f"({first} {operator} {second})")

    return rule


def _is(node: exp.Expression, typer: Typer) -> Typed:
    value, what = typer(part(node)), node.expression
    if isinstance(what, exp.Null):
        return boolean(f"({value.sql} IS NULL)" if value.nullable else "FALSE")
    if isinstance(what, exp.Boolean) and value.kind is Kind.BOOLEAN:
        return boolean(f"({value.sql} IS NOT DISTINCT FROM {'TRUE' if what.this else 'FALSE'})")
    raise refuse(
        node, "IS asks for NULL, or for TRUE or FALSE of a truth value.", "x IS NULL, x IS NOT NULL, p IS TRUE."
    )


def _between(node: exp.Expression, typer: Typer) -> Typed:
    value, low, high = (typer.within(part(node, name)) for name in ("this", "low", "high"))
    first, second = sides(node, typer, value, low), sides(node, typer, value, high)
    return boolean(f"({first[0]} >= {first[1]} AND {second[0]} <= {second[1]})", value, low, high)


def _in(node: exp.Expression, typer: Typer) -> Typed:
    listed = parts(node)
    if node.args.get("query") is not None or not listed:
        raise refuse(node, "IN takes a list of values, not a query.", "x IN (1, 2, 3).")
    if not len(listed) <= _LONGEST_LIST:
        raise refuse(node, f"The list has more than {_LONGEST_LIST} values.", "a join with a public table.")
    items = [typer.within(item) for item in listed]
    if not all(item.is_constant for item in items):
        raise refuse(node, "IN takes a list of literals.", "x IN (1, 2, 3), or x = y OR x = z.")
    value = typer.within(part(node))
    first, *rest = sides(node, typer, value, *items)
    return boolean(f"({first} IN ({', '.join(rest)}))", value, *items)


_OPERATORS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
COMPARISON = Family(
    "comparison",
    ("=", "<>", "<", "<=", ">", ">=", "IS NULL", "IS DISTINCT FROM", "IS TRUE", "BETWEEN", "IN"),
    {node: _compare(operator) for node, operator in _OPERATORS.items()}
    | {
        exp.NullSafeEQ: _distinct("IS NOT DISTINCT FROM"),
        exp.NullSafeNEQ: _distinct("IS DISTINCT FROM"),
        exp.Is: _is,
        exp.Between: _between,
        exp.In: _in,
    },
)


def truth(node: exp.Expression, typer: Typer) -> Typed:
    """The expression, if it is a truth value."""
    typed = typer(node)
    if is_null(typed):
        return null_of(Kind.BOOLEAN)
    if typed.kind is not Kind.BOOLEAN:
        why = f"A condition is true or false; this is {typed.kind}."
        raise refuse(node, why, "a comparison such as x > 0, or x IS NOT NULL.")
    return typed


def _joined(operator: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        left, right = truth(part(node), typer), truth(part(node, "expression"), typer)
        return boolean(f"({left.sql} {operator} {right.sql})", left, right)

    return rule


def _not(node: exp.Expression, typer: Typer) -> Typed:
    value = truth(part(node), typer)
    keys = None if value.keys is None else tuple(not key for key in value.keys)
    return replace(value, sql=f"(NOT {value.sql})", keys=keys)


LOGIC = Family("logic", ("AND", "OR", "NOT"), {exp.And: _joined("AND"), exp.Or: _joined("OR"), exp.Not: _not})


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
