"""The reading of a statement that is no question by itself: a private core, and an outer query over its groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.duckdb.sealed import PublicTable
from tacit.query.outer.allowed import refuse_foreign, total
from tacit.query.outer.cores import Splitter
from tacit.query.outer.merged_cores import RELEASED, Core, differ, key_conditions
from tacit.query.outer.outer_query import OuterQuery
from tacit.query.outer.program import OuterProgram, public_source, released_source
from tacit.query.plans.group_keys import public_groups
from tacit.query.plans.question import Question, read_question
from tacit.query.post_noise.scope import depth
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Lookup, Through

_DEEPEST = 120


@frozen(eq=False)
class _Reader:
    """Reads the SELECTs of a statement as private questions."""

    catalogue: Catalogue
    centres: Mapping[tuple[str, str], int] | None

    def question(self, select: exp.Select) -> Question:
        return read_question(select.sql("duckdb"), self.catalogue, self.centres)

    def lookup(self, name: str) -> str | None:
        """The public table that a name means."""
        return next((own for own in self.catalogue.description.lookups if own.lower() == name.lower()), None)


def read_statement(
    sql: str,
    catalogue: Catalogue,
    centres: Mapping[tuple[str, str], int] | None,
    refusal: Refused,
    public: Callable[[Lookup], PublicTable],
) -> Question:
    """The private core of a statement that is no question by itself, with the outer query above it.

    The outer query is no part of the question's identity: one over an earlier release is free. Where there is no core
    the statement's own refusal stands. `public` reads a public table.
    """
    tree = _tree(sql)
    if tree is None or not (_has_sub_query(tree) or tree.find(exp.Window)):
        raise refusal from None
    read = _Reader(catalogue, centres)
    splitter = Splitter(read.question, read.lookup)
    try:
        statement = splitter.split(tree)
    except Refused as other:
        raise (other if splitter.cores else refusal) from None
    if statement is None:
        raise refusal from None
    question = read.question(statement.core)
    if statement.needs_public_keys and question.has_private_keys:
        raise Refused(
            "several private answers by private groups",
            "The rows of each would choose the groups of the others.",
            "keys declared for the columns; or one query for each.",
        )
    _refuse_other_groups(question, splitter.cores, read)
    _refuse_owned_keys(question, catalogue)
    outer = total(statement.outer)
    names = {table.name for table in outer.find_all(exp.Table)}
    lookups = {name: public(own) for name, own in catalogue.description.lookups.items() if name in names}
    refuse_foreign(outer, {RELEASED, *lookups})
    source = released_source(RELEASED, len(statement.keys), len(statement.calls))
    sources = [source, *(public_source(name, table.columns) for name, table in lookups.items())]
    if len(question.aggregates) != len(statement.calls) or len(question.keys) != len(statement.keys):
        raise Refused("aggregates that are written in two ways", "They are one.", "one spelling of each.")
    above = OuterQuery(OuterProgram.of(outer, *sources), question.keys, question.aggregates, lookups)
    above.check()
    return replace(question, above=above)


def _refuse_other_groups(question: Question, cores: Sequence[Core], read: _Reader) -> None:
    """Refuse cores whose WHERE leaves other groups by themselves than together, unless it says so of the keys."""
    for core in [each for each in cores if each.keys] if differ(cores) else []:
        if not key_conditions(core) and public_groups(read.question(core.question).keys) != public_groups(
            question.keys
        ):
            raise Refused(
                f"WHERE {_short(core)} in one of several private answers",
                "It leaves fewer groups than the others, which would show as zeros.",
                "a condition of the keys themselves; or one query for each.",
            )


def _short(core: Core) -> str:
    return "" if core.where is None else core.where.sql("duckdb")[:60]


def _refuse_owned_keys(question: Question, catalogue: Catalogue) -> None:
    """Refuse groups of one person each, such as orders: none of them would be shown."""
    tables = catalogue.description.tables
    links = {name: own.owner for name, own in tables.items() if isinstance(own.owner, Through)}
    owned = {(name, link.column.lower()) for name, link in links.items()}
    owned |= {(link.table, link.key.lower()) for link in links.values()}
    for key in question.keys:
        if key.column is not None and any((table, key.column) in owned for table in question.rows.tables):
            raise Refused(
                f"groups by {key.column}",
                "Each group belongs to one person, so that none of them would be shown.",
                "GROUP BY the person in the sub-query; or by something that many people share.",
            )


def _tree(sql: str) -> exp.Query | None:
    """The statement as one query with other SELECTs or windows in it; None if it is anything else."""
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect="duckdb") if not isinstance(tree, exp.Semicolon | None)]
    except (SqlglotError, RecursionError):
        return None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select | exp.SetOperation) or depth(trees[0]) > _DEEPEST:
        return None
    return trees[0]


def _has_sub_query(tree: exp.Query) -> bool:
    return isinstance(tree, exp.SetOperation) or any(node is not tree for node in tree.find_all(exp.Select))
