"""The most that one person can have in the rows of a question, from what is declared of its tables.

As a limit it cuts no one who keeps to it, so that an interval of the noise holds on all data: a guaranteed one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

from tacit.errors import Refused
from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.aggregates.aggregate_calls import VAST
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.limit import CUTTING_NOBODY, Limit, Origin
from tacit.query.plans.question import Question
from tacit.query.sql.rows import Ownership
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import AtMost


def possible_norms(
    question: Question, catalogue: Catalogue, limits: Mapping[Part, Limit], is_gaussian: bool
) -> dict[Part, Fraction]:
    """The norm of the most that one person can have in each part that holds no limit by construction, if known."""
    if question.rows.ownership is not Ownership.MANY:
        return {}
    at_most = _at_most(question, catalogue)
    norms = {
        part: amount_of(part, question.keys, is_gaussian).possible(at_most)
        for part, limit in limits.items()
        if limit.origin is not Origin.CONSTRUCTION
    }
    return {part: norm for part, norm in norms.items() if norm is not None}


def _at_most(question: Question, catalogue: Catalogue) -> AtMost:
    """The most that one person can have in the rows of a question, from what is declared of its tables.

    Claim: if every person is within what is declared, it holds. Proof: a filter, a grouping by person and a public
    table, which has one row a key, add no row. A join, inner or left, gives a person at most the product of the rows in
    what is joined, where none counts as one; a table that is read several times is a factor as often, and where it is
    not known which one is, the largest stands for it. In it a row of one table is there at most as often as the
    product of all other factors says, and so is its share of a total. Totals hold for a table's own column alone, under
    its own name (`Question.origins`): what a sub-query calls by that name is another number. Nothing holds where a join
    would leave out rows of somebody who is within it (`_leaves_out`).
    """
    tables = {name: catalogue.description.tables[name].at_most for name in question.rows.tables}
    known = {name: each.rows for name, each in tables.items() if each.rows is not None}
    again = question.rows.scans - len(tables)
    if _leaves_out(question, tuple(known.values())):
        return AtMost()
    rows = prod(known.values()) * max(known.values()) ** again if len(known) == len(tables) else None
    totals: dict[str, Fraction] = {}
    for column, name in question.origins.items():
        total = {own.lower(): most for own, most in tables[name].totals.items()}.get(column)
        others = {other: most for other, most in known.items() if other != name}
        if total is not None and not again and len(others) == len(tables) - 1:
            totals[column] = total * prod(others.values())
    return AtMost(rows, totals)


def _leaves_out(question: Question, known: Sequence[int]) -> bool:
    """Whether somebody with so many rows in each table may have more joined rows than a join takes of one person.

    A join of so many tables has at most the product of as many of the largest numbers; where tables stand within
    sub-queries, of all of them. Tables of which nothing is declared are told by a number that is missing.
    """
    rows = question.rows
    if not known or not rows.bounds:
        return False
    each = sorted([*known, *[max(known)] * (rows.scans - len(rows.tables))], reverse=True)
    is_plain = len(rows.bounds[-1].tables) == rows.scans
    groups = [(len(group), joined.most) for joined in rows.bounds for group in joined.groups]
    return any(prod(each[:many] if is_plain else each) > most for many, most in groups)


def refuse_cuts(question: Question, catalogue: Catalogue, limits: Mapping[Part, Limit]) -> None:
    """Refuses a question for guaranteed intervals if a limit could cut what a person can have."""
    for part, limit in limits.items():
        if limit.origin not in CUTTING_NOBODY:
            raise _refused(part, question, catalogue)


def _refused(part: Part, question: Question, catalogue: Catalogue) -> Refused:
    """What must be declared for a guaranteed interval of a part."""
    name = next(name for name, each in question.aggregates.items() if part in each.parts)
    return Refused(
        "--interval guaranteed",
        f"Nothing declares the most of {name} that one person can have.",
        f"{_wanted(part, question, catalogue)}; or --interval usual.",
    )


def _wanted(part: Part, question: Question, catalogue: Catalogue) -> str:
    """The keys of the description that would bound a part."""
    tables = catalogue.description.tables
    lacking = [name for name in sorted(question.rows.tables) if tables[name].at_most.rows is None]
    said = [f"[tables.{name}.at_most] rows = …" for name in lacking]
    known = [most for name in question.rows.tables if (most := tables[name].at_most.rows) is not None]
    if _leaves_out(question, known):
        return "at_most so few rows in each joined table that no join leaves any out"
    is_vast = isinstance(part, Measure) and not part.once and part.size >= VAST  # then rows alone bound nothing
    if not is_vast:
        return " and ".join(said)
    column = (part.subject or "").partition("total ")[2]
    owner = question.origins.get(column)
    if owner is None or question.rows.scans > len(question.rows.tables):
        return "values with closer bounds"
    others = [each for name, each in zip(lacking, said, strict=True) if name != owner]
    return " and ".join([f"[tables.{owner}.at_most] totals = {{ {column} = … }}", *others])
