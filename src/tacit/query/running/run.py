"""One run of a plan: find its limits, count, add noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.noise.bits import Bits
from tacit.noise.saturate import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.aggregates.parts import Part, Ranks
from tacit.query.engine import Fetched, Session, add_up, fetch
from tacit.query.lowering.finding import BINS
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.choosing import chosen
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.program import finding, norm_of, program
from tacit.query.prepared.statements import NORMS, STATEMENTS, TOTALS, Statements
from tacit.query.running.group_order import Group, in_group_order, integers, key_columns
from tacit.query.running.noisy_table import NoisyColumn, NoisyTable

Integers = NDArray[np.int64]
_FEW: Final = 1000  # groups: as many rows are had as quickly as Python values


def run(plan: Plan, price: Price, session: Session, bits: Bits, statements: Statements = STATEMENTS) -> NoisyTable:
    """The noisy integers of a plan; whatever happens, no exception, shape or order depends on a person.

    Shapes are those of the plan where keys are public; where they are private, only keys that passed are shown.
    """
    final, kept, norms = _with_limits(plan, price, session, bits, statements)
    bits = bits.next_stage()
    blocks = program(final, price)
    groups: Sequence[Group] | None = final.groups
    noisy: dict[Part, NoisyColumn] = {}
    if blocks.tally is not None:
        table = add_up(session, statements.tally(blocks.tally, kept), _is_few(groups))
        groups = _tallied(final, blocks.tally, table, noisy, bits)
    if groups is None:
        raise TypeError("private keys are always chosen by a tally")
    for ranks in blocks.ranks:
        cells = FAN**ranks.ranks.levels
        counts = _placed(
            add_up(session, statements.ranks(ranks, norms.get(ranks.ranks))), len(ranks.keys), groups, ["y0"], cells
        )[0]
        shapes = [(len(groups), FAN**d, FAN ** (ranks.ranks.levels - d)) for d in range(1, ranks.ranks.levels + 1)]
        levels = [counts.reshape(shape).sum(axis=2) for shape in shapes]
        tree = np.concatenate(levels, axis=1)
        drawn = with_noise(tree.ravel(), ranks.noise, bits).reshape(tree.shape)
        noisy[ranks.ranks] = NoisyColumn(drawn, ranks.noise.law, Fraction(ranks.unit), ranks.limit)
    for distinct in blocks.distincts:
        table = fetch(session, statements.distinct(distinct), _is_few(final.groups))
        counts = _placed(table, len(distinct.keys), groups, ["y0"], None)[0]
        drawn = with_noise(counts * distinct.unit, distinct.noise, bits)
        noisy[distinct.distinct] = NoisyColumn(
            drawn, distinct.noise.law, Fraction(distinct.unit), Fraction(distinct.limit)
        )
    columns = {plan.identity(part): noisy[part] for part in plan.question.parts}
    return NoisyTable(tuple(groups) if plan.is_selecting else None, columns, plan.strength(price))


def _with_limits(
    plan: Plan, price: Price, session: Session, bits: Bits, statements: Statements
) -> tuple[Plan, str | None, Mapping[Ranks, str]]:
    """The plan with every limit known, and the names under which people's totals and norms were added up on the way."""
    block = finding(plan, price)
    if block is None:
        return plan, None, {}
    kept = None
    if plan.measures and statements.totals(plan) is None:
        session.keep(TOTALS, statements.people(plan))
        kept = f'"{TOTALS}"'
    norms = {}
    for place, (ranks, sql) in enumerate(statements.norms(block).items()):
        session.keep(f"{NORMS}{place}", sql)
        norms[ranks] = f'"{NORMS}{place}"'
    counted = add_up(session, statements.bins(plan, block, norms), is_few=True)
    counts = bin_counts(counted, len(block.parts))
    noisy = with_noise((counts * block.unit).ravel(), block.noise, bits).reshape(counts.shape)
    return plan.with_limits(chosen(plan, price, block, noisy)), kept, norms


def _is_few(groups: Sequence[Group] | None) -> bool:
    """Whether rows come as Python values: that depends on how many groups everybody knows of."""
    return groups is not None and len(groups) <= _FEW


def bin_counts(table: Fetched, parts: int) -> Integers:
    """People by part and bin, bins without people as zero."""
    counts = np.zeros((parts, len(BINS)), np.int64)
    places = (integers(table, name) for name in ("part", "bin"))
    counts[tuple(places)] = integers(table, "y0")
    return counts


def _tallied(
    plan: Plan, block: TallyBlock, table: Fetched, noisy: dict[Part, NoisyColumn], bits: Bits
) -> Sequence[Group]:
    names = [f"y{place}" for place in range(len(block.measures))]
    groups: Sequence[Group] | None = plan.groups
    if groups is None:
        groups = in_group_order(key_columns(table, len(block.keys)))
    rule = block.rule
    columns = _placed(table, len(block.keys), groups, [*names, "w"] if rule else names, None)
    shown = np.ones(len(groups), np.bool_)
    if rule:
        weights = columns.pop()
        shown = rule.shown(weights, bits)
    for measure, scaling, column in zip(block.measures, block.scalings, columns, strict=True):
        drawn = with_noise(column[shown], block.noise, bits)
        noisy[measure] = NoisyColumn(drawn, block.noise.law, scaling.scale, norm_of(plan, measure))
    return [group for group, is_shown in zip(groups, shown, strict=True) if is_shown]


def _placed(table: Fetched, keys: int, groups: Sequence[Group], names: list[str], cells: int | None) -> list[Integers]:
    """The columns of an engine's table in the order of the groups, zero where a group or cell is absent."""
    place = {group: row for row, group in enumerate(groups)}
    numbers = {name: integers(table, name) for name in names}
    rows_array = np.zeros(len(numbers[names[0]]), np.int64)
    if keys:
        rows_array[:] = [place.get(group, -1) for group in zip(*key_columns(table, keys), strict=True)]
    known = rows_array >= 0
    shape = (len(groups),) if cells is None else (len(groups), cells)
    found = []
    for name in names:
        column = np.zeros(shape, np.int64)
        values = numbers[name][known]
        if cells is None:
            column[rows_array[known]] = values
        else:
            column[rows_array[known], integers(table, "cell")[known]] = values
        found.append(column)
    return found


def with_noise(values: Integers, noise: NoiseShare, bits: Bits) -> Integers:
    """values + independent noise in each place."""
    return saturated_sum(values, slabs(noise.law).draw(values.size, bits))
