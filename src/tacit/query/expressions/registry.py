"""The ordered registry of rules, and the two functions that apply it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.expressions.arithmetic import ARITHMETIC
from tacit.query.expressions.buckets import BUCKETS
from tacit.query.expressions.casting import CASTING
from tacit.query.expressions.columns import COLUMNS
from tacit.query.expressions.comparison import COMPARISON
from tacit.query.expressions.conditional import CONDITIONAL
from tacit.query.expressions.dates import DATES
from tacit.query.expressions.division import DIVISION
from tacit.query.expressions.elementary import ELEMENTARY
from tacit.query.expressions.literals import LITERALS
from tacit.query.expressions.logic import LOGIC, truth
from tacit.query.expressions.patterns import PATTERNS
from tacit.query.expressions.refusals import refusal
from tacit.query.expressions.rounding import ROUNDING
from tacit.query.expressions.rule import Family, Rule
from tacit.query.expressions.scope import Scope
from tacit.query.expressions.second_line import tried
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.texts import TEXTS
from tacit.query.expressions.truncating import TRUNCATING
from tacit.query.expressions.widths import weighed
from tacit.query.typed import Typed

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
    PATTERNS,
    TRUNCATING,
    DATES,
)
_NODES: dict[type[exp.Expression], Rule] = {node: rule for family in FAMILIES for node, rule in family.nodes.items()}
_FUNCTIONS: dict[str, Rule] = {name: rule for family in FAMILIES for name, rule in family.functions.items()}
_OPEN = {exp.Paren, *LOGIC.nodes, *COMPARISON.nodes}  # they do not fail, only what they are made of
_DEEPEST = 200
_LONGEST = 20_000  # letters of SQL: guards repeat what they guard, and an engine's planner feels that


@frozen
class _Room:
    """How long the SQL of an expression may be: looked up once for all its parts, and only if one is long."""

    node: exp.Expression
    scope: Scope

    @cached_property
    def letters(self) -> int:
        """Long lists of keys or literals may add to what is short otherwise."""
        columns = {(found.name, found.table or None) for found in self.node.find_all(exp.Column)}
        widest = max((len(self.scope.column(*column).sql) for column in columns), default=0)
        return _LONGEST + 8 * (widest + len(self.node.sql()))


@frozen
class _Typing:
    """Types one node by its rule, its parts by the same.

    Where the node `is_outer`, the second line is put around it; around the parts of a condition one by one, so that an
    equality stays one, by which an engine joins.
    """

    scope: Scope
    room: _Room
    depth: int = 0
    is_outer: bool = True

    @property
    def within(self) -> _Typing:
        return replace(self, is_outer=False)

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
    """The total, bounded form of a row's expression; refuses what has none, saying what would be accepted."""
    return _weighed(node, _Typing(scope, _Room(node, scope))(node), scope)


def type_predicate(node: exp.Expression, scope: Scope) -> Typed:
    """`type_expression` for a condition, which is a truth value."""
    return _weighed(node, truth(node, _Typing(scope, _Room(node, scope))), scope)


def _weighed(node: exp.Expression, typed: Typed, scope: Scope) -> Typed:
    names = {(column.name, column.table or None) for column in node.find_all(exp.Column)}
    return weighed(node, typed, [scope.column(*name) for name in names])
