"""One run of a plan: find its limits, count, add noise.

A join needs no cut where no person has that many rows: then a statement without the cut gives the same rows faster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.noise.bits import Bits
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.aggregates.aggregate import Part, Ranks
from tacit.query.aggregates.rank_grid import nodes_of
from tacit.query.bounding.amount_histogram import Bins
from tacit.query.bounding.histogram_sql import BINS, FindingBlock
from tacit.query.bounding.limit_choice import chosen
from tacit.query.bounding.usual_limits import ClippedLimit, find_usual
from tacit.query.engines.protocol import Counting, Fetched, Session, Stage, add_up, fetch
from tacit.query.execution.noisy_table import Group, NoisyColumn, NoisyTable, in_group_order, integers, key_columns
from tacit.query.execution.program import finding, norm_of, program
from tacit.query.lowering.tally import TallyBlock
from tacit.query.materialized.statements import NORMS, STATEMENTS, TOTALS, Statements
from tacit.query.plans.limit import CUTTING_NOBODY, IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import NoiseShare, Price
from tacit.query.sql.rows import UNIT, Joined, Ownership, Rows

Integers = NDArray[np.int64]
_HAS_WEIGHT: Final = "w > 0"
"""A key without weight is never shown (`KeyRule`, `GeometricRule`): one person may hold any number of them."""
_FEW: Final = 1000  # up to this many groups, Python values are as fast as Arrow


class PlanRun:
    """The stages of a plan at a price: missing limits are found, then rows are counted.

    No exception, shape or order depends on a person. Shapes are those of the plan where keys are public; where they are
    private, only keys that passed are shown. Totals computed to find limits stay in the session for the counts. A run
    that continues in another session counts without them, with the same sums.
    """

    def __init__(self, plan: Plan, price: Price, statements: Statements = STATEMENTS) -> None:
        self._plan, self._price, self._statements = plan, price, statements
        self._block: FindingBlock | None = finding(plan, price)
        self._session: Session | None = None
        self._kept: str | None = None
        self._norms: dict[Ranks, str] = {}

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages: noisy numbers of people by bin, then the noisy table. Each draws noise once and returns bytes."""
        return (self._count,) if self._block is None else (self._find, self._count)

    def _find(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        plan, block, statements = self._plan, self._block, self._sent(session)
        if block is None:
            raise TypeError("there is nothing to find")
        if plan.measures and statements.totals(plan) is None:
            session.keep(TOTALS, statements.people(plan))
            self._kept = f'"{TOTALS}"'
        for place, (ranks, sql) in enumerate(statements.norms(block).items()):
            session.keep(f"{NORMS}{place}", sql)
            self._norms[ranks] = f'"{NORMS}{place}"'
        counted = add_up(session, statements.bins(plan, block, self._norms), is_few=True)
        counts = bin_counts(counted, len(block.parts), block.bins)
        noisy = with_noise((counts * block.unit).ravel(), block.noise, bits).reshape(counts.shape)
        return noisy[self._order(block)].astype("<i8").tobytes()

    def found(self, released: Sequence[bytes]) -> tuple[Plan, Mapping[Part, ClippedLimit]]:
        """The plan with all its limits, and the clipping bias where intervals are usual ones."""
        plan, price, block = self._plan, self._price, self._block
        if block is None:
            return plan, {}
        noisy = np.empty((len(block.parts), len(block.bins)), np.int64)
        noisy[self._order(block)] = np.frombuffer(released[0], "<i8").reshape(noisy.shape)
        if plan.interval is not IntervalKind.USUAL:
            return plan.with_limits(chosen(plan, price, block, noisy)), {}
        found = find_usual(plan, price, block, noisy)
        return plan.with_limits({part: each.norm for part, each in found.items()}), found

    def _order(self, block: FindingBlock) -> list[int]:
        """The parts in the order of their identities: a query with another order of columns may continue the run."""
        return sorted(range(len(block.parts)), key=lambda place: self._plan.identity(block.parts[place]))

    def _count(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        plan, price, statements = self._plan, self._price, self._sent(session)
        final, found = self.found(released)
        blocks = program(final, price)
        groups: Sequence[Group] | None = final.groups
        noisy: dict[Part, NoisyColumn] = {}
        if blocks.tally is not None:
            where = _HAS_WEIGHT if blocks.tally.rule else None
            table = add_up(session, statements.tally(blocks.tally, self._kept), _is_few(groups), where)
            groups = _tallied(final, blocks.tally, table, noisy, bits)
        if groups is None:
            raise TypeError("private keys are always chosen by a tally")
        for ranks in blocks.ranks:
            table = add_up(session, statements.ranks(ranks, self._norms.get(ranks.ranks)))
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
        columns = {plan.identity(part): _labelled(noisy[part], plan, part, found) for part in plan.question.parts}
        return NoisyTable(tuple(groups) if plan.is_selecting else None, columns, plan.strength(price)).to_bytes()

    def _sent(self, session: Session) -> Statements:
        """The statements for this session, with uncut joins where no person has too many rows.

        Nothing is kept in it yet.
        """
        if self._session is not session:
            self._session, self._kept, self._norms = session, None, {}
            self._statements = joined_whole(self._plan.question.rows, session, self._statements)
        return self._statements


def _is_few(groups: Sequence[Group] | None) -> bool:
    """Whether rows come as Python values, which depends on the number of public groups."""
    return groups is not None and len(groups) <= _FEW


def _labelled(column: NoisyColumn, plan: Plan, part: Part, found: Mapping[Part, ClippedLimit]) -> NoisyColumn:
    """The column with the kind of its interval, and what its limit cut off.

    Bounded ones have no name, as ever. People who are counted beside a mean have, since its factor once shrank them.
    """
    if plan.interval is IntervalKind.BOUNDED:
        is_named = plan.is_joint and part in plan.apart and plan.question.rows.ownership is Ownership.MANY
        return replace(column, interval=IntervalKind.GUARANTEED) if is_named else column
    if plan.limits[part].origin in CUTTING_NOBODY:
        return replace(column, interval=IntervalKind.GUARANTEED)
    if part not in found:
        return column
    if found[part].is_sure:
        return replace(column, interval=IntervalKind.GUARANTEED)
    return replace(column, interval=IntervalKind.USUAL, bias=found[part].bias)


def bin_counts(table: Fetched, parts: int, bins: Bins = BINS) -> Integers:
    """People by part and bin, bins without people as zero."""
    counts = np.zeros((parts, len(bins)), np.int64)
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
    """The index of each row's group among the groups; −1 for unexpected keys."""
    if not keys:
        return np.zeros(many, np.int64)
    place = {group: row for row, group in enumerate(groups)}
    found = [place.get(group, -1) for group in zip(*key_columns(table, keys), strict=True)]
    return np.array(found, np.int64)


def with_noise(values: Integers, noise: NoiseShare, bits: Bits) -> Integers:
    """values + independent noise in each place."""
    return saturated_sum(values, slabs(noise.law).draw(values.size, bits))


def joined_whole(rows: Rows, session: Session, statements: Statements) -> Statements:
    """Statements of the same sums, with joins uncut where no person has too many rows.

    The numbers of rows affect only the time: where they show that nothing is cut, the cut would leave the rows
    unchanged (`Joined`). Only the engine learns them.
    """
    if not isinstance(session, Counting):
        return statements
    found = [(each.node, each.whole) for each in reversed(rows.bounds) if _is_whole(each, session, statements)]
    return replace(statements, instead=tuple(found))


def _is_whole(joined: Joined, session: Counting, statements: Statements) -> bool:
    for group in joined.groups:
        most = [session.most_rows(statements.read(table).under(UNIT)) for table in group]
        if any(rows is None for rows in most) or prod(max(rows or 1, 1) for rows in most) > joined.most:
            return False
    return True
