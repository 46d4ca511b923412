"""The ordered registry of rules, the functions that apply it, and the refusals of other expressions.

A refusal says what is not supported, why, and what is; for an expression without bounds, how to give it some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.dialects.translator import Call
from tacit.query.sql.expressions.arithmetic import ARITHMETIC, DIVISION
from tacit.query.sql.expressions.calendar_functions import CALENDAR
from tacit.query.sql.expressions.cast_rules import CASTING
from tacit.query.sql.expressions.conditional import CONDITIONAL
from tacit.query.sql.expressions.date_formats import FORMATS
from tacit.query.sql.expressions.date_functions import DATES
from tacit.query.sql.expressions.date_truncation import TRUNCATING
from tacit.query.sql.expressions.leaves import COLUMNS, LITERALS
from tacit.query.sql.expressions.number_functions import ELEMENTARY
from tacit.query.sql.expressions.predicates import COMPARISON, LOGIC, truth
from tacit.query.sql.expressions.regular_expressions import EXPRESSIONS
from tacit.query.sql.expressions.rounding import ROUNDING
from tacit.query.sql.expressions.rule import Family, Rule, Scope, SqlFunction
from tacit.query.sql.expressions.second_line import tried
from tacit.query.sql.expressions.text_functions import TEXTS
from tacit.query.sql.expressions.text_operands import PATTERNS
from tacit.query.sql.expressions.text_parts import TEXT_PARTS
from tacit.query.sql.expressions.width_bucket import BUCKETS
from tacit.query.sql.values.domains import weighed
from tacit.query.sql.values.refusal import called, near_functions, refuse, shown
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

FAMILIES: tuple[Family, ...] = (
    LITERALS,
    COLUMNS,
    ARITHMETIC,
    DIVISION,
    COMPARISON,
    LOGIC,
    CONDITIONAL,
    CASTING,
    ROUNDING,
    ELEMENTARY,
    BUCKETS,
    TEXTS,
    TEXT_PARTS,
    PATTERNS,
    EXPRESSIONS,
    TRUNCATING,
    DATES,
    CALENDAR,
    FORMATS,
)
FUNCTIONS: tuple[SqlFunction, ...] = tuple(entry for family in FAMILIES for entry in family.entries)
CALLS: tuple[Call, ...] = tuple(call for entry in FUNCTIONS if entry.lowered for call in entry.lowered.calls)
_NODES: dict[type[exp.Expression], Rule] = {node: rule for family in FAMILIES for node, rule in family.nodes.items()}
_FUNCTIONS: dict[str, Rule] = {name: rule for family in FAMILIES for name, rule in family.functions.items()}
_OPEN = {exp.Paren, *LOGIC.nodes, *COMPARISON.nodes}  # only their operands can fail, not they themselves
_DEEPEST = 200
_LONGEST = 20_000  # letters of SQL: guards repeat their operand, which slows an engine's planner


@frozen
class _Room:
    """The limit on the length of an expression's SQL: computed once for all its parts, and only if one is long."""

    node: exp.Expression
    scope: Scope

    @cached_property
    def letters(self) -> int:
        """The limit in letters, larger for long lists of keys or literals."""
        columns = {(found.name, found.table or None) for found in self.node.find_all(exp.Column)}
        widest = max((len(self.scope.column(*column).sql) for column in columns), default=0)
        return _LONGEST + 8 * (widest + len(self.node.sql()))


@frozen
class _Typing:
    """Type a node by its rule, and its parts recursively.

    Where the node `is_outer`, the second line wraps it; for a condition it wraps the parts one by one, so that an
    equality stays visible to an engine's join.
    """

    scope: Scope
    room: _Room
    depth: int = 0
    is_outer: bool = True

    @property
    def within(self) -> _Typing:
        return replace(self, is_outer=False)

    def over(self, scope: Scope) -> _Typing:
        return replace(self, scope=scope)

    def __call__(self, node: exp.Expression) -> Typed:
        if not self.depth < _DEEPEST:
            raise refuse(node, f"The expression is nested more than {_DEEPEST} deep.", "a shorter expression.")
        rule = self._rule(node)
        if rule is None:
            raise refusal(node, FAMILIES)
        is_open = self.is_outer and type(node) in _OPEN
        typed = rule(node, _Typing(self.scope, self.room, self.depth + 1, is_open))
        if not (len(typed.sql) <= _LONGEST or len(typed.sql) <= self.room.letters):
            why = f"Made safe, it is longer than {_LONGEST} letters of SQL."
            raise refuse(node, why, "a shorter expression, or bounds on its columns, which need fewer guards.")
        return replace(typed, sql=tried(typed.sql)) if self.is_outer and not is_open else typed

    def _rule(self, node: exp.Expression) -> Rule | None:
        if isinstance(node, exp.Anonymous):
            return _FUNCTIONS.get(node.name.lower())
        return _NODES.get(type(node))


def type_expression(node: exp.Expression, scope: Scope) -> Typed:
    """The total, bounded form of a row's expression; others are refused, with what would be accepted."""
    return _weighed(node, _Typing(scope, _Room(node, scope))(node), scope)


def type_predicate(node: exp.Expression, scope: Scope) -> Typed:
    """`type_expression` for a condition, which is a truth value."""
    return _weighed(node, truth(node, _Typing(scope, _Room(node, scope))), scope)


def _weighed(node: exp.Expression, typed: Typed, scope: Scope) -> Typed:
    names = {(column.name, column.table or None) for column in node.find_all(exp.Column)}
    return weighed(node, typed, [scope.column(*name) for name in names])


_NOT_REPEATABLE = "Its value changes from run to run, so a release could not be repeated."
_REGEX = "Regular expressions can take time that depends on the data."
_LIKE = "LIKE, ILIKE, STARTS_WITH, ENDS_WITH or CONTAINS with a literal."
_REASONS: tuple[tuple[tuple[type, ...], str, str], ...] = (
    ((exp.Rand, exp.Uuid), _NOT_REPEATABLE, "an expression of columns and literals."),
    (
        (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime),
        _NOT_REPEATABLE,
        "the date itself, such as DATE '2024-01-31'.",
    ),
    ((exp.RegexpILike, exp.Glob, exp.RegexpExtract, exp.RegexpReplace), _REGEX, _LIKE),
    (
        (exp.Window,),
        "It looks at other rows.",
        "an expression of one row; or OVER (PARTITION BY the person …) in a sub-query.",
    ),
    ((exp.Placeholder, exp.Parameter), "There are no parameters here.", "the value itself."),
    ((exp.AggFunc,), "An aggregate stands where one row's value is wanted.", "an expression of columns of one row."),
    (
        (exp.Subquery, exp.Select, exp.Exists, exp.All, exp.Any),
        "A query inside an expression looks at other rows.",
        "a query of its own first, and its answer as a number; EXISTS (…) or x IN (SELECT …) in WHERE; or a join.",
    ),
    ((exp.Star,), "A star is not a value.", "the name of a column."),
    ((exp.Collate,), "Texts are compared letter by letter, without collation.", "LOWER(x) = 'text'."),
    ((exp.AtTimeZone,), "Times here have no zone; what is stored with one is read in UTC.", "the time without a zone."),
    ((exp.Interval,), "An interval is not a value here.", "day + INTERVAL 1 DAY, or date_diff('day', a, b)."),
    ((exp.Array, exp.Struct, exp.Bracket, exp.Lambda), "Lists and structs are not values here.", "plain columns."),
    ((exp.Tuple,), "A tuple is not a value here.", "a = 1 AND b = 2."),
)
_CHANGING = {"now", "today", "get_current_timestamp", "transaction_timestamp", "nextval", "current_localtimestamp"}


def refusal(node: exp.Expression, families: Sequence[Family]) -> Refused:
    """The refusal of a node without a rule."""
    for nodes, why, accepted in _REASONS:
        if isinstance(node, nodes):
            return refuse(node, why, accepted)
    if isinstance(node, exp.Func):
        name = called(node)
        if name.lower() in _CHANGING:
            return refuse(node, _NOT_REPEATABLE, "the date itself, such as DATE '2024-01-31'.")
        words = [word for family in families for entry in family.entries for word in entry.words]
        return refuse(node, f"The function {name} is not supported.", near_functions(name, words))
    operators = ", ".join(word for family in families for word in family.words if not word.isidentifier())
    return refuse(node, "There is no such form of an expression here.", f"columns, functions, {operators}.")


@frozen
class Unbounded:
    """The innermost part that has no bound: the reason, and what would be accepted instead."""

    why: str
    cure: str

    def __str__(self) -> str:
        return self.why


def unbounded_reason(node: exp.Expression, scope: Scope) -> Unbounded | None:
    """Why the numbers of `node` have no bounds; None if they have them, or are no numbers."""
    if _is_bounded(node, scope):
        return None
    for inner in node.iter_expressions():
        found = unbounded_reason(inner, scope)
        if found is not None:
            return found
    return _reason(node, scope)


def _is_bounded(node: exp.Expression, scope: Scope) -> bool:
    """It has bounds, or is no number of its own (a unit, a type, a text)."""
    try:
        typed = type_expression(node, scope)
    except Refused:
        return not any(not _is_bounded(inner, scope) for inner in node.iter_expressions())
    return typed.kind is not Kind.FLOAT or (typed.low is not None and typed.high is not None)


def _reason(node: exp.Expression, scope: Scope) -> Unbounded:
    text = shown(node)
    if isinstance(node, exp.Column):
        cure = f"declare min and max of {node.name} in the description, or LEAST(GREATEST({text}, 0), 100)."
        return Unbounded(f"{text} has no declared bounds.", cure)
    if isinstance(node, exp.Div):
        below = shown(node.expression)
        divisor = type_expression(node.expression, scope)
        small = "GREATEST" if divisor.low is not None and divisor.low >= 0 else "LEAST"
        limit = 1 if small == "GREATEST" else -1
        if divisor.low is not None and divisor.high is not None and divisor.low < 0 < divisor.high:
            why = f"{text} has no bound because {below} may come arbitrarily near to 0."
            return Unbounded(why, f"{shown(node.this)} / GREATEST({below}, 1), or a bounded form of the quotient.")
        is_never_0 = isinstance(node.expression.unnest(), exp.Nullif)
        how = "may come arbitrarily near to 0" if is_never_0 else "may be 0"
        why = f"{text} has no bound because {below} {how}."
        return Unbounded(why, f"{shown(node.this)} / {small}({below}, {limit}).")
    bounded = next((entry.bounded for entry in FUNCTIONS if type(node) in entry.nodes and entry.bounded), None)
    cure = f"LEAST(GREATEST({text}, 0), 100)." if bounded is None else bounded.format(shown(node.this))
    return Unbounded(f"{text} may be larger than any number kept.", cure)
