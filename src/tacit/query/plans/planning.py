"""From a question to a plan: each part's limit, by construction, declared, from the profile, or to be found."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.query.aggregates.parts import Distinct, Measure, Part, Ranks
from tacit.query.aggregates.rank_grid import nodes_of
from tacit.query.aggregates.reading import VAST
from tacit.query.catalogue import Catalogue
from tacit.query.plans.choosing import root_up, row_norm
from tacit.query.plans.key_column import public_groups
from tacit.query.plans.key_rule import MOST_KEYS
from tacit.query.plans.limit import Limit, Origin
from tacit.query.plans.plan import Plan
from tacit.query.plans.question import Question
from tacit.query.relations.rows import Ownership
from tacit.schema.description import Limits

MOST_NODES = 2**25
"""Counts of all trees of a plan: some fifty octets each while noise is added to them, and nine in the ledger."""


def make_plan(question: Question, catalogue: Catalogue, is_gaussian: bool) -> Plan:
    """The plan of a question; limits that nobody declared and no construction gives are left to be chosen."""
    unit = catalogue.description.unit
    declared = _declared(question, catalogue)
    limits: Mapping[Part, Limit] = {part: _limit(part, question, declared, is_gaussian) for part in question.parts}
    _refuse_many_trees(question)
    most = 1 if question.rows.ownership is not Ownership.MANY else max(declared.keys or 0, MOST_KEYS)
    return Plan(question, unit.relation, unit.hides, limits, most)


def _refuse_many_trees(question: Question) -> None:
    """Refuses quantiles whose trees of counts, one a public group, would not fit into memory or the ledger."""
    sizes = [nodes_of(part.levels) for part in question.parts if isinstance(part, Ranks)]
    groups = len(public_groups(question.keys) or ()) if sizes else 0
    if not groups * sum(sizes) <= MOST_NODES:
        raise Refused(
            f"quantiles in {groups:,} groups",
            f"Each is read from a tree of {sum(sizes):,} counts, and all of them must fit into memory together.",
            f"at most {MOST_NODES // sum(sizes):,} groups: coarser keys, or coarser values: CAST(x / 100 AS BIGINT).",
        )


def _declared(question: Question, catalogue: Catalogue) -> Limits:
    """The limits of the table; of several, the widest, and only what all of them declare."""
    tables = [catalogue.description.tables[name].limits for name in sorted(question.rows.tables)]
    rows = [table.rows for table in tables if table.rows is not None]
    keys = [table.keys for table in tables if table.keys is not None]
    totals = {name: total for table in tables for name, total in table.totals.items()} if len(tables) == 1 else {}
    return Limits(
        max(rows) if len(rows) == len(tables) else None, max(keys) if len(keys) == len(tables) else None, totals
    )


def _limit(part: Part, question: Question, declared: Limits, is_gaussian: bool) -> Limit:
    if question.rows.ownership is not Ownership.MANY:
        if isinstance(part, Ranks):
            return Limit(row_norm(part, is_gaussian), Origin.CONSTRUCTION)
        if isinstance(part, Distinct):
            return Limit(Fraction(1), Origin.CONSTRUCTION)
        if question.rows.ownership is Ownership.EACH or part.size < VAST:
            return Limit(Fraction(part.size), Origin.CONSTRUCTION)
        return Limit(None, Origin.FOUND)  # a person's own total, which nobody bounded
    if isinstance(part, Measure) and part.once and not question.keys:
        return Limit(Fraction(1), Origin.CONSTRUCTION)
    norm = _declared_norm(part, declared, is_gaussian)
    return Limit(norm, Origin.FOUND if norm is None else Origin.DECLARED)


def _declared_norm(part: Part, declared: Limits, is_gaussian: bool) -> Fraction | None:
    if isinstance(part, Distinct):
        most = declared.keys or declared.rows
        return None if most is None else Fraction(most)
    if isinstance(part, Ranks):
        return None if declared.rows is None else declared.rows * row_norm(part, is_gaussian)
    if part.once:
        held = declared.keys or declared.rows
        return None if held is None else (root_up(held) if is_gaussian else Fraction(held))
    if part.subject is not None and part.subject.startswith("total "):
        total = declared.totals.get(part.subject.removeprefix("total "))
        if total is not None:
            return max(Fraction(1), total / part.step)
    return None if declared.rows is None or part.size >= VAST else Fraction(declared.rows * max(1, part.size))
