"""What released tables imply: a query whose groups and filter are over the tables' keys is a sum of their cells.

Nothing but SQL and the keys' public values is used. A query is implied if it has the tables' own FROM, if its WHERE
adds to theirs conditions over their keys alone, if its keys are computed from theirs, and if it asks for measures of
theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.plans.group_keys import KeyColumn, public_groups
from tacit.query.plans.question import Question, parsed_selects
from tacit.query.post_noise.estimates import Groups, Keys
from tacit.query.post_noise.expression import Expression, KeyReference, as_truth, evaluate
from tacit.query.post_noise.expression_reader import read
from tacit.query.post_noise.post_processing import exact_values
from tacit.query.post_noise.scope import PostNoiseScope, canonical, plain
from tacit.query.sql.from_clause import group_keys
from tacit.query.sql.joins import conjuncts
from tacit.schema.kind import Key, Kind
from tacit.workload.grouping_sets import TablesQuestion
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.residual_basis import Attributes

_MOST = 2**25  # coefficients of all groups together
_ROWS = ("from_", "joins", "with_")

Shown = Key | float | None


@frozen(eq=False)
class ImpliedGroups:
    """The groups of a query as sums of cells of one table: a row of `cells` a group, 1 where a cell is in it."""

    attributes: Attributes
    keys: Mapping[str, Keys]
    cells: NDArray[np.float64]

    @property
    def size(self) -> int:
        return len(self.cells)


def implied_groups(question: Question, asked: TablesQuestion, tables: NoisyTables) -> ImpliedGroups | None:
    """The groups of a query as sums of cells of tables that were asked for; None where they are none."""
    select, whole = (_plainly(each) for each in (parsed_selects(question.sql)[0], asked.tables[0].whole))
    if any(_text(select.args.get(name)) != _text(whole.args.get(name)) for name in _ROWS):
        return None
    tests = _further_tests(select, whole)
    if tests is None or not set(question.parts) <= set(asked.question.parts):
        return None
    scope = PostNoiseScope.of({key.name: key.kind for key in asked.question.keys}, [])
    try:
        keys = [read(plain(node), scope) for node in group_keys(select)]
        filters = [read(plain(node), scope) for node in tests]
    except Refused:  # it names a column that is no key, or a function that has no form above the noise
        return None
    return _counted(question, asked, tables, keys, filters)


def _plainly(select: exp.Select) -> exp.Select:
    """The same SELECT without the alias of its table, where it has one table."""
    copy: exp.Select = select.copy()
    origin = copy.args.get("from_")
    if origin is not None and isinstance(origin.this, exp.Table) and not copy.args.get("joins"):
        origin.this.set("alias", None)
        for column in copy.find_all(exp.Column):
            column.set("table", None)
    return copy


def _text(clause: object) -> str:
    parts = clause if isinstance(clause, list) else [clause]
    return " ".join(canonical(part) for part in parts if isinstance(part, exp.Expr))


def _further_tests(select: exp.Select, whole: exp.Select) -> list[exp.Expression] | None:
    """The conditions that a query adds to those of the tables; None where it lacks one of theirs."""
    own, theirs = ([] if not (where := each.args.get("where")) else conjuncts(where.this) for each in (select, whole))
    needed = [canonical(node) for node in theirs]
    if not set(needed) <= {canonical(node) for node in own}:
        return None
    return [node for node in own if canonical(node) not in needed]


def _counted(
    question: Question,
    asked: TablesQuestion,
    tables: NoisyTables,
    keys: Sequence[Expression],
    filters: Sequence[Expression],
) -> ImpliedGroups | None:
    columns, closed = asked.question.keys, tables.tree.closed
    used = {name for each in (*keys, *filters) for name in each.keys}
    attributes = closed([place for place, key in enumerate(columns) if key.name in used])
    measured = {part: [closed(table) for table in sets] for part, sets in asked.measured().items()}
    if not all(_is_held(attributes, measured.get(part, ())) for part in question.measures):
        return None
    private = {columns[place].name for place in attributes if columns[place].domain is None}
    if any(private & each.keys for each in filters) or any(
        private & each.keys and _key_name(each) not in private for each in keys
    ):
        return None  # values that are not shown lie in no cell of their own
    if not prod(tables.shape(attributes)) <= _MOST:
        return None
    values_of = tables.columns(attributes)
    shown = [[_shown(columns[place], value) for value in values_of[place]] for place in attributes]
    listed = list(zip(*shown, strict=True)) if shown else [()]
    groups = Groups(
        {columns[place].name: _column(columns[place], axis, listed) for axis, place in enumerate(attributes)},
        {},
        len(listed),
    )
    kept = np.ones(len(listed), np.bool_)
    for each in filters:
        kept &= as_truth(evaluate(each, groups, Fraction(1, 2))).true
    values = [exact_values(evaluate(each, groups, Fraction(1, 2))) for each in keys]
    return _placed(question, attributes, values, kept)


def _is_held(attributes: Attributes, tables: Sequence[Attributes]) -> bool:
    return any(set(attributes) <= set(table) for table in tables)


def _placed(
    question: Question, attributes: Attributes, values: Sequence[Keys], kept: NDArray[np.bool_]
) -> ImpliedGroups | None:
    found = list(zip(*(column.values for column in values), strict=True)) if values else [()] * len(kept)
    if question.has_private_keys:
        groups = sorted({each for each, is_kept in zip(found, kept, strict=True) if is_kept}, key=_order)
    else:
        columns = [[_shown(key, value) for value in key.domain or ()] for key in question.keys]
        groups = [] if public_groups(question.keys) is None else list(product(*columns))
    places = {group: place for place, group in enumerate(groups)}
    if not len(groups) * len(kept) <= _MOST:
        return None
    cells = np.zeros((len(groups), len(kept)))
    for cell, (group, is_kept) in enumerate(zip(found, kept, strict=True)):
        if is_kept and group not in places:
            return None  # the two readings of a key do not agree: it is not answered from here
        if is_kept:
            cells[places[group], cell] = 1.0
    named = {
        key.name: Keys(tuple(group[place] for group in groups), Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind)
        for place, key in enumerate(question.keys)
    }
    return ImpliedGroups(attributes, named, cells)


def _order(group: tuple[Shown, ...]) -> list[tuple[bool, str]]:
    return [(value is None, repr(value)) for value in group]


def _shown(key: KeyColumn, value: Key | None) -> Shown:
    return value / 10**key.scale if key.scale and isinstance(value, int) else value


def _column(key: KeyColumn, axis: int, listed: Sequence[tuple[Shown, ...]]) -> Keys:
    return Keys(tuple(cell[axis] for cell in listed), Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind)


def _key_name(expression: Expression) -> str:
    """The key that an expression is by itself; nothing for any other."""
    return expression.name if isinstance(expression, KeyReference) else ""
