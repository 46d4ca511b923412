"""Queries implied by released tables: if groups and filter are over the tables' keys, an answer is a sum of cells.

Nothing but SQL and the keys' public values is used. A query is implied if it has the tables' own FROM, if its WHERE
adds to theirs conditions over their keys alone, if its keys are computed from theirs, and if its aggregates can be read
from measures of theirs (`implied_ways`).
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
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups, Keys
from tacit.query.post_noise.expression import Expression, KeyReference, as_truth, evaluate
from tacit.query.post_noise.expression_reader import read
from tacit.query.post_noise.post_processing import exact_values
from tacit.query.post_noise.scope import PostNoiseScope, canonical, plain
from tacit.query.sql.group_by import group_keys
from tacit.query.sql.joins import conjuncts
from tacit.schema.kind import Key, Kind
from tacit.workload.alike_in_doubles import is_alike
from tacit.workload.grouping_sets import TablesQuestion
from tacit.workload.implied_ways import AggregateWay, ImpliedWays, plainly
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.public_functions import PublicFunction, Shown, functions_in
from tacit.workload.residual_basis import Attributes
from tacit.workload.shown_values import in_steps, is_number_of_shown, is_of_shown

_MOST = 2**25  # coefficients of all groups together
_ROWS = ("from_", "joins", "with_")


@frozen(eq=False)
class ImpliedGroups:
    """The groups of a query as sums of cells of one table: a row of `cells` a group, 1 where a cell is in it.

    Each aggregate is read in its way, from the cells of a group that it keeps. `values` has the number that a row of
    each cell counts as, in steps, NaN for NULL, of those that are read from numbers of rows.
    """

    attributes: Attributes
    keys: Mapping[str, Keys]
    cells: NDArray[np.float64]
    ways: Mapping[str, AggregateWay]
    kept: Mapping[str, NDArray[np.bool_]]
    values: Mapping[str, NDArray[np.float64]]

    @property
    def size(self) -> int:
        return len(self.cells)


def implied_groups(query: ImpliedWays, asked: TablesQuestion, tables: NoisyTables) -> ImpliedGroups | None:
    """The groups of a query as sums of cells of released tables; None where they are not."""
    select, whole = query.select, plainly(asked.tables[0].whole)
    if any(_text(select.args.get(name)) != _text(whole.args.get(name)) for name in _ROWS):
        return None
    tests = _further_tests(select, whole)
    ways = None if tests is None else query.among(asked.question.measures)
    if tests is None or ways is None:
        return None
    inside = [node for way in ways.values() for node in (*way.tests, *_values(way))]
    functions = _functions(asked.question.keys, [*group_keys(select), *tests, *inside])
    kinds = {key.name: key.kind for key in asked.question.keys} | {each.name: each.kind for each in functions}
    scope = PostNoiseScope.of(kinds, [])
    try:
        keys = [read(plain(node), scope) for node in group_keys(select)]
        filters = [read(plain(node), scope) for node in tests]
        own = {name: [read(plain(node), scope) for node in way.tests] for name, way in ways.items()}
        valued = {name: read(plain(node), scope) for name, way in ways.items() for node in _values(way)}
    except Refused:  # it names a column that is not a key, or a function without a form above the noise
        return None
    return _counted(query.question, asked, tables, ways, functions, keys, filters, own, valued)


def _functions(keys: Sequence[KeyColumn], nodes: Sequence[exp.Expr]) -> list[PublicFunction]:
    """The functions of keys by which values of theirs are put together."""
    known = {key.name: key.kind for key in keys}
    found = {each.name: each for node in nodes for each in functions_in(plain(node)) if each.name not in known}
    return [each for each in found.values() if known.get(each.column) is each.takes]


def _values(way: AggregateWay) -> list[exp.Expr]:
    return [] if way.value is None else [way.value]


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
    ways: Mapping[str, AggregateWay],
    functions: Sequence[PublicFunction],
    keys: Sequence[Expression],
    filters: Sequence[Expression],
    own: Mapping[str, Sequence[Expression]],
    valued: Mapping[str, Expression],
) -> ImpliedGroups | None:
    columns, closed = asked.question.keys, tables.tree.closed
    conditions = [*filters, *(each for tests in own.values() for each in tests)]
    owners = {key.name: key.name for key in columns} | {each.name: each.column for each in functions}
    used = {owners[name] for each in (*keys, *conditions, *valued.values()) for name in each.keys}
    attributes = closed([place for place, key in enumerate(columns) if key.name in used])
    measured = {part: [closed(table) for table in sets] for part, sets in asked.measured().items()}
    if not all(_is_held(attributes, measured[part]) for way in ways.values() for part in way.measures):
        return None
    if not prod(tables.shape(attributes)) <= _MOST:
        return None
    values_of = tables.columns(attributes)
    shown = [[_shown(columns[place], value) for value in values_of[place]] for place in attributes]
    private = {
        columns[place].name: {*values} - {None}
        for place, values in zip(attributes, shown, strict=True)
        if columns[place].domain is None
    }
    hidden = private | {name: set[Shown]() for name, owner in owners.items() if owner in private and name != owner}
    is_shown = all(is_of_shown(each, hidden) for each in conditions)
    is_shown = is_shown and all(is_number_of_shown(each, hidden) for each in valued.values())
    if not is_shown or any(hidden.keys() & each.keys and _key_name(each) not in private for each in keys):
        return None  # values that are not shown lie in no cell of their own
    listed = list(zip(*shown, strict=True)) if shown else [()]
    named = {columns[place].name: _column(columns[place], axis, listed) for axis, place in enumerate(attributes)}
    named |= {
        each.name: Keys(tuple(map(each.of, named[each.column].values)), each.kind)
        for each in functions
        if each.column in named
    }
    known = {name: {*column.values} for name, column in named.items()}
    if not all(is_alike(each, known) for each in (*keys, *conditions, *valued.values())):
        return None
    groups = Groups(named, {}, len(listed))
    kept = {name: _kept(tests, groups) for name, tests in own.items()}
    values = [exact_values(evaluate(each, groups, Fraction(1, 2))) for each in keys]
    placed = _placed(question, values, _kept(filters, groups))
    numbers = {name: in_steps(ways[name].aggregate, _of_cells(each, groups)) for name, each in valued.items()}
    known_numbers = {name: each for name, each in numbers.items() if each is not None}
    if placed is None or len(known_numbers) < len(numbers):
        return None
    return ImpliedGroups(attributes, *placed, ways, kept, known_numbers)


def _of_cells(value: Expression, cells: Groups) -> Sequence[Shown]:
    """The value of each cell."""
    return exact_values(evaluate(value, cells, Fraction(1, 2))).values


def _kept(conditions: Sequence[Expression], cells: Groups) -> NDArray[np.bool_]:
    """The cells in which all conditions are true."""
    kept = np.ones(cells.size, np.bool_)
    for each in conditions:
        kept &= as_truth(evaluate(each, cells, Fraction(1, 2))).true
    return kept


def _is_held(attributes: Attributes, tables: Sequence[Attributes]) -> bool:
    return any(set(attributes) <= set(table) for table in tables)


def _placed(
    question: Question, values: Sequence[Keys], kept: NDArray[np.bool_]
) -> tuple[dict[str, Keys], NDArray[np.float64]] | None:
    """The keys of a query's groups, and the cells in each; None where a cell is in none."""
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
            return None  # the two readings of a key differ, so the query is not answered from these tables
        if is_kept:
            cells[places[group], cell] = 1.0
    named = {
        key.name: Keys(tuple(group[place] for group in groups), Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind)
        for place, key in enumerate(question.keys)
    }
    return named, cells


def _order(group: tuple[Shown, ...]) -> list[tuple[bool, str]]:
    return [(value is None, repr(value)) for value in group]


def _shown(key: KeyColumn, value: Key | None) -> Shown:
    return value / 10**key.scale if key.scale and isinstance(value, int) else value


def _column(key: KeyColumn, axis: int, listed: Sequence[tuple[Shown, ...]]) -> Keys:
    return Keys(tuple(cell[axis] for cell in listed), Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind)


def _key_name(expression: Expression) -> str:
    """The key that an expression is by itself; nothing for any other."""
    return expression.name if isinstance(expression, KeyReference) else ""
