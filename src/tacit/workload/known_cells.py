"""The steward's public facts about the cells of released tables: zeros, and public sums.

They apply where they are linear in what is released: zeros to every measure by the keys that they name; totals to
COUNT(*) of a whole table in which no unit is scaled, because scaled units do not add up to a number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacit.query.aggregates.aggregate import Measure
from tacit.schema.kind import Key
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.residual_basis import Attributes
from tacit.workload.table_estimates import KnownSum
from tacit.workload.tables_plan import TablesPlan

Integers = NDArray[np.int64]
_MOST = 1_000  # facts that are joined by dense least squares
_MOST_NUMBERS = 2**25  # one for each fact and contrast, which they need at once
_WHOLE = ("joins", "where", "with_", "laterals")


def known_cells(plan: TablesPlan, tables: NoisyTables) -> Mapping[str, tuple[KnownSum, ...]]:
    """For each measure, by its identity, the known facts about its tables' cells."""
    return {plan.base.identity(part): _known(plan, tables, part) for part in plan.measures}


def structure_notes(plan: TablesPlan, tables: NoisyTables) -> tuple[str, ...]:
    """The effect of the steward's structure and numbers on tables, in words."""
    found, keys = [], plan.base.question.keys
    places = plan.tree.places
    for depth, place in enumerate(places[1:], 1):
        below, above = keys[place].name, keys[places[depth - 1]].name
        where = "counts nowhere" if None not in tables.domains[place] else f"counts as NULL of {below}"
        found.append(f"A row whose {below} does not lie in its {above} {where}.")
    if plan.structure.impossible:
        are_few = all(
            len(_zeros(plan, tables, sets)) <= _room(plan, tables, part) for part, sets in plan.measured.items()
        )
        said = "are 0" if are_few else "are estimated, being too many to be set to 0"
        found.append(f"Rows in cells that the description calls impossible do not count; these cells {said}.")
    if any(_applied_totals(plan, tables, part) for part in plan.measures):
        found.append(
            "Counts agree with the public totals of the description, and intervals assume that these are true."
        )
    return tuple(found)


def _known(plan: TablesPlan, tables: NoisyTables, part: Measure) -> tuple[KnownSum, ...]:
    found = []
    for keys, count in _applied_totals(plan, tables, part):
        table = min(
            (each for each in plan.measured[part] if set(plan.tree.closed([*keys])) <= set(each)),
            key=lambda each: (-len(each), each),
        )
        mask = _mask(tables, table, {place: (value,) for place, value in keys.items()})
        if mask.any():  # else the hierarchy has no such cell, and the number is 0
            found.append(KnownSum(table, np.flatnonzero(mask), Fraction(count)))
    zeros = _zeros(plan, tables, plan.measured[part])
    return (*found, *(zeros if len(zeros) + len(found) <= _room(plan, tables, part) else ()))


def _room(plan: TablesPlan, tables: NoisyTables, part: Measure) -> int:
    """The number of facts that a measure's contrasts can be joined with."""
    strategy = tables.measures[plan.base.identity(part)].strategy
    return min(_MOST, _MOST_NUMBERS // sum(prod(strategy.values_shape(each)) for each in strategy.scales))


def _zeros(plan: TablesPlan, tables: NoisyTables, measured: Sequence[Attributes]) -> list[KnownSum]:
    if not plan.structure.impossible:
        return []
    largest = [table for table in measured if not any(set(table) < set(other) for other in measured)]
    found = []
    for table in largest:
        mask = np.zeros(prod(tables.shape(table)), np.bool_)
        for each in plan.structure.impossible:
            if {*each} <= set(table):
                mask |= _mask(tables, table, each)
        found += [KnownSum(table, np.array([cell]), Fraction(0)) for cell in np.flatnonzero(mask)]
    return found


def _applied_totals(plan: TablesPlan, tables: NoisyTables, part: Measure) -> list[tuple[dict[int, Key], int]]:
    """The totals by the places of keys that a measure's tables can be moved to."""
    table, question = plan.structure.table, plan.base.question
    counted = question.aggregates.get("COUNT(*)")
    whole = plan.asked.tables[0].whole
    is_whole = isinstance(whole.args["from_"].this, exp.Table) and not any(whole.args.get(name) for name in _WHOLE)
    if table is None or plan.is_scaled or counted is None or counted.parts != (part,) or not is_whole:
        return []
    places = {key.column: place for place, key in enumerate(question.keys) if key.domain is not None}
    found = []
    for total in table.totals:
        keys = {places.get(name.lower(), -1): value for name, value in total.keys.items()}
        closed = set(plan.tree.closed([*keys]))
        if -1 not in keys and any(closed <= set(each) for each in plan.measured[part]):
            found.append((keys, total.count))
    return found if len(found) <= _room(plan, tables, part) else []


def _mask(tables: NoisyTables, table: Attributes, values: Mapping[int, Sequence[Key]]) -> NDArray[np.bool_]:
    """The cells of a table in which each of these keys has one of its values."""
    tree, depth = tables.tree, tables.tree.depth(table)
    nodes = np.array(tree.paths(depth), np.int64).reshape(tree.size(depth), depth)
    fits = np.ones(len(nodes), np.bool_)
    for axis, place in enumerate(tree.places[:depth]):
        if place in values:
            own = tables.domains[place]
            fits &= np.isin(nodes[:, axis], [own.index(value) for value in values[place] if value in own])
    found = fits
    for place in tree.flat(table):
        domain = tables.domains[place]
        among = np.array([place not in values or value in values[place] for value in domain], np.bool_)
        found = np.logical_and.outer(found, among).ravel()
    return found


def blocks(known: Sequence[KnownSum], size: int) -> list[tuple[Integers, Fraction]]:
    """Sets of cells of one table, no two with a cell in common, the sum of each of which is known.

    Where totals lie within one another, all of them are sums of these: of a larger one, what the smaller ones leave.
    Cells that are known to be 0 come first.
    """
    labels = np.full(size, -1)
    zeros = np.unique(np.concatenate([each.cells for each in known if not each.value] or [np.zeros(0, np.int64)]))
    labels[zeros] = 0
    found: list[tuple[Integers, Fraction]] = [(zeros, Fraction(0))]
    for each in sorted((one for one in known if one.value), key=lambda one: len(one.cells)):
        within, counts = np.unique(labels[each.cells], return_counts=True)
        inside = [(place, count) for place, count in zip(within.tolist(), counts.tolist(), strict=True) if place > 0]
        own = each.cells[labels[each.cells] < 0]
        if len(own) and all(count == len(found[place][0]) for place, count in inside):
            labels[own] = len(found)
            found.append((own, each.value - sum((found[place][1] for place, _ in inside), Fraction(0))))
    return found if len(zeros) else found[1:]
