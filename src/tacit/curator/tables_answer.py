"""The answer of a release of tables: every grouping set with its title and notes, and one certificate for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import count
from math import prod

from tacit.curator.certifier import statement_of
from tacit.curator.open_data import Opened
from tacit.curator.planner import Planner
from tacit.curator.tables_job import ReleasedTables, find_tables, release_tables
from tacit.curator.tables_words import (
    guess_words,
    margins_words,
    publication_words,
    tables_interval_words,
    tables_notes,
)
from tacit.errors import Failed, Refused
from tacit.ledger.certificate import Certificate, Grounds
from tacit.ledger.signature import present_folder, sign
from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.aggregates.moments import Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import PUBLISHED, Groups, Keys, Rendered
from tacit.query.post_noise.expression import AggregateReference, KeyReference
from tacit.query.post_noise.post_processing import Item, PostProcessing
from tacit.release.price import PriceWords, price_words
from tacit.release.release import IntervalWords, Release
from tacit.release.tables_release import TOTAL, ReleasedTable, TablesRelease
from tacit.schema.kind import Key, Kind
from tacit.workload.grouping_sets import TableRequest
from tacit.workload.known_cells import known_cells
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.residual_basis import Attributes
from tacit.workload.table_bound import optimality_words
from tacit.workload.table_reading import ReadSum, TableReader, finest_of, kinds_of, read_aggregate
from tacit.workload.tables_plan import TablesPlan

_MOST_LETTERS = 80  # of a file name


def ask_tables(
    planner: Planner, plan: TablesPlan, price: Price | None, analyst: str, confidence: Fraction, fresh: bool
) -> TablesRelease:
    """The tables of a plan at a price; without one, from an earlier release of them, at any accuracy."""
    if price is None:
        earlier = None if fresh else find_tables(planner, plan, planner.usual_keys_delta, Fraction(0))
        if earlier is None:
            accepted = (
                "epsilon (--epsilon 1); `tacit explain` says what that would cost, free. "
                "A table that larger ones imply is free as a query of its own."
            )
            raise Refused("tables without a price", "No earlier release holds them.", accepted)
        return answer_tables(planner.opened, plan, earlier, confidence)
    found = release_tables(planner, plan, price, analyst, fresh)
    try:
        return answer_tables(planner.opened, plan, found, confidence)
    except Exception:
        if found.free:
            raise
        raise Failed from None  # the answer is paid for and stored, so asking again is free


def answer_tables(opened: Opened, plan: TablesPlan, found: ReleasedTables, confidence: Fraction) -> TablesRelease:
    """All tables of a release, for display."""
    price = price_words(opened.filter, found.grounds.price, found.share, found.free, found.charge)
    words = tables_interval_words(plan, found.tables)
    reader = TableReader(found.tables, known_cells(plan, found.tables))
    names: set[str] = set()
    tables = []
    for request in plan.asked.tables:
        title = ", ".join(request.key_names(plan.base.question)) or TOTAL
        spelled = ", ".join(plan.base.question.keys[place].name for place in request.attributes) or TOTAL
        rendered = partial(_rendered, plan, request, found.tables, reader, confidence)
        read = partial(_released, rendered, confidence, price, words)
        size = _size(request.attributes, found.tables)
        tables.append(ReleasedTable(title, _file_name(title, names), read, size, spelled))
    first = tables[0].release.rendered
    return TablesRelease(
        tuple(tables),
        margins_words(plan, found.tables, sum(each.size for each in tables)),
        optimality_words(plan, found.tables, found.charge),
        tables_notes(plan, found.tables),
        price,
        words,
        publication_certifier(opened, found.grounds, found.entry, plan.asked.sql),
        opened.description.name,
        publication_words(plan, found.tables, len(first.measured.columns) < len(first.columns)),
        guess_words(found.charge, plan.base),
        "Every later question that is a sum of their cells is free.",
    )


def groups_of(question: Question, attributes: Attributes, tables: NoisyTables) -> dict[str, Keys]:
    """The key columns of a table: every possible combination of values, in order."""
    columns, keys = tables.columns(tables.tree.closed(attributes)), question.keys
    return {
        keys[place].name: Keys(
            tuple(_shown(value, keys[place].scale) for value in columns[place])
            if keys[place].scale
            else columns[place],
            Kind.FLOAT if keys[place].kind is Kind.DECIMAL else keys[place].kind,
        )
        for place in attributes
    }


def _size(attributes: Attributes, tables: NoisyTables) -> int:
    return prod(tables.shape(tables.tree.closed(attributes)))


def _released(
    rendered: Callable[[], Rendered], confidence: Fraction, price: PriceWords, words: IntervalWords
) -> Release:
    return Release(rendered(), confidence, (), price, None, words)


def _shown(key: Key | None, scale: int) -> Key | float | None:
    return key / 10**scale if scale and isinstance(key, int) else key


def _rendered(
    plan: TablesPlan, request: TableRequest, tables: NoisyTables, reader: TableReader, confidence: Fraction
) -> Rendered:
    question, above = plan.base.question, request.above(plan.base.question)
    keys, whole = groups_of(question, request.attributes, tables), plan.closed(request.attributes)
    size = _size(request.attributes, tables)

    def groups(is_bounded: bool) -> Groups:
        sums: dict[Part, ReadSum] = {}
        for name in request.aggregates:
            for part in question.aggregates[name].parts:
                if isinstance(part, Measure) and part not in sums:
                    sums[part] = reader.table(plan.base.identity(part), whole, is_bounded=is_bounded)
        read = {name: read_aggregate(question.aggregates[name], sums) for name in request.aggregates}
        return Groups(keys, read, size)

    is_usual = IntervalKind.USUAL in kinds_of(tables)
    made, shown = groups(False), above
    for item in above.items:
        column = _published(plan, request, tables, reader, item)
        name = f"{item.name}{PUBLISHED}"
        if column is not None and all(name != each.name for each in above.items):
            made = replace(made, keys={**made.keys, name: column})
            shown = _with_item(shown, item, Item(name, KeyReference(name, Kind.INTEGER)))
    bounded = replace(groups(True), keys=made.keys) if is_usual else None
    return shown.render(made, confidence, bounded)


def _with_item(above: PostProcessing, item: Item, beside: Item) -> PostProcessing:
    place = above.items.index(item) + 1
    return replace(above, items=(*above.items[:place], beside, *above.items[place:]))


def _published(
    plan: TablesPlan, request: TableRequest, tables: NoisyTables, reader: TableReader, item: Item
) -> Keys | None:
    """The column for publication beside a count, where one table holds all others as margins."""
    if not isinstance(item.expression, AggregateReference):
        return None
    aggregate = plan.base.question.aggregates[item.expression.name]
    if not (isinstance(aggregate, Total) and isinstance(aggregate.part, Measure) and aggregate.part.subject == "rows"):
        return None
    identity = plan.base.identity(aggregate.part)
    finest = finest_of(tables.measures[identity])
    if finest is None:
        return None
    cells = reader.published(identity, finest)
    if cells is None:
        return None
    shown = tables.tree.margin(cells, finest, plan.closed(request.attributes))
    return Keys(tuple(shown.ravel().tolist()), Kind.INTEGER)


def _file_name(title: str, taken: set[str]) -> str:
    """A file name of plain letters that no other table has."""
    plain = re.sub(r"[^a-z0-9_]+", "-", title.lower()).strip("-")[:_MOST_LETTERS] or "table"
    numbered = (f"{plain}-{place}" for place in count(2))
    name = plain if plain not in taken else next(each for each in numbered if each not in taken)
    taken.add(name)
    return name


def publication_certifier(
    opened: Opened, grounds: Grounds, entry: int, asked: str
) -> Callable[[TablesRelease, Mapping[str, bytes]], Certificate]:
    """One certificate for all files of a publication."""

    def certify(release: TablesRelease, files: Mapping[str, bytes]) -> Certificate:
        statement = statement_of(opened, grounds, entry, asked, release.digest)
        return present_folder(sign(statement, opened.signing_key), files, opened.signing_key)

    return certify
