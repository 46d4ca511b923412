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
from tacit.query.aggregates.rank_grid import nodes_of
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
from tacit.query.running.joined_whole import joined_whole
from tacit.query.running.noisy_table import NoisyColumn, NoisyTable

Integers = NDArray[np.int64]
_HAS_WEIGHT: Final = "w > 0"
"""A key without weight is never shown (`KeyRule`, `GeometricRule`): one person may hold any number of them."""
_FEW: Final = 1000  # groups: as many rows are had as quickly as Python values


def run(plan: Plan, price: Price, session: Session, bits: Bits, statements: Statements = STATEMENTS) -> NoisyTable:
    """The noisy integers of a plan; whatever happens, no exception, shape or order depends on a person.

    Shapes are those of the plan where keys are public; where they are private, only keys that passed are shown.
    """
    statements = joined_whole(plan.question.rows, session, statements)
    final, kept, norms = _with_limits(plan, price, session, bits, statements)
    bits = bits.next_stage()
    blocks = program(final, price)
    groups: Sequence[Group] | None = final.groups
    noisy: dict[Part, NoisyColumn] = {}
    if blocks.tally is not None:
        where = _HAS_WEIGHT if blocks.tally.rule else None
        table = add_up(session, statements.tally(blocks.tally, kept), _is_few(groups), where)
        groups = _tallied(final, blocks.tally, table, noisy, bits)
    if groups is None:
        raise TypeError("private keys are always chosen by a tally")
    for ranks in blocks.ranks:
        table = add_up(session, statements.ranks(ranks, norms.get(ranks.ranks)))
        tree = _tree(table, len(ranks.keys), groups, ranks.ranks.levels)
        drawn = with_noise(tree.ravel(), ranks.noise, bits).reshape(tree.shape)
        noisy[ranks.ranks] = NoisyColumn(drawn, ranks.noise.law, Fraction(ranks.unit), ranks.limit)
    for distinct in blocks.distincts:
        table = fetch(session, statements.distinct(distinct), _is_few(final.groups))
        counts = _placed(table, len(distinct.keys), groups, ["y0"])[0]
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
    columns = _placed(table, len(block.keys), groups, [*names, "w"] if rule else names)
    shown = np.ones(len(groups), np.bool_)
    if rule:
        weights = columns.pop()
        shown = rule.shown(weights, bits)
    for measure, scaling, column in zip(block.measures, block.scalings, columns, strict=True):
        drawn = with_noise(column[shown], block.noise, bits)
        noisy[measure] = NoisyColumn(drawn, block.noise.law, scaling.scale, norm_of(plan, measure))
    return [group for group, is_shown in zip(groups, shown, strict=True) if is_shown]


def _placed(table: Fetched, keys: int, groups: Sequence[Group], names: list[str]) -> list[Integers]:
    """The columns of an engine's table in the order of the groups, zero where a group is absent."""
    columns = [integers(table, name) for name in names]
    rows = _rows(table, keys, groups, len(columns[0]))
    found = []
    for values in columns:
        placed = np.zeros(len(groups), np.int64)
        placed[rows[rows >= 0]] = values[rows >= 0]
        found.append(placed)
    return found


def _tree(table: Fetched, keys: int, groups: Sequence[Group], levels: int) -> Integers:
    """Groups × nodes, the coarsest level first: counts of cells, added up level by level; zero where one is absent."""
    values, cells = integers(table, "y0"), integers(table, "cell")
    rows = _rows(table, keys, groups, len(values))
    nodes = nodes_of(levels)
    tree = np.zeros((len(groups), nodes), np.int64)
    begin = nodes - FAN**levels
    tree[rows[rows >= 0], begin + cells[rows >= 0]] = values[rows >= 0]
    for level in range(levels - 1, 0, -1):
        finer = tree[:, begin : begin + FAN ** (level + 1)].reshape(len(groups), FAN**level, FAN)
        begin -= FAN**level
        tree[:, begin : begin + FAN**level] = finer.sum(axis=2)
    return tree


def _rows(table: Fetched, keys: int, groups: Sequence[Group], many: int) -> Integers:
    """The place of each row's group among the groups; −1 for keys that nobody expects."""
    if not keys:
        return np.zeros(many, np.int64)
    place = {group: row for row, group in enumerate(groups)}
    found = [place.get(group, -1) for group in zip(*key_columns(table, keys), strict=True)]
    return np.array(found, np.int64)


def with_noise(values: Integers, noise: NoiseShare, bits: Bits) -> Integers:
    """values + independent noise in each place."""
    return saturated_sum(values, slabs(noise.law).draw(values.size, bits))
