"""A question: a query as private rows, group keys and aggregates, separate from what stands above the noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from math import prod

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Distinct, Measure, Part, Ranks
from tacit.query.aggregates.aggregate_calls import CALLS, AggregateReader
from tacit.query.aggregates.aggregate_refusals import without_aggregate
from tacit.query.aggregates.spellings import respelled
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.post_noise.estimates import AboveNoise
from tacit.query.post_noise.post_processing import read_post_processing
from tacit.query.post_noise.scope import canonical, depth
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.from_clause import read_rows
from tacit.query.sql.group_by import group_keys
from tacit.query.sql.known_values import known_domain
from tacit.query.sql.parsed_text import parsed
from tacit.query.sql.rows import Ownership, Rows
from tacit.query.sql.simplification.standard_forms import DEFAULT_SCHEMAS, in_known_forms
from tacit.query.sql.values.domains import domain, kept, refuse_many_texts
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Table
from tacit.schema.kind import Kind

_DEEPEST = 120  # parts that stand inside one another: far fewer than any reader of trees can take
_MOST_LISTED = 10_000  # groups of public tables' values that are shown, empty ones too
_MOST_PARTS = 100  # that are counted below the noise
_CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_", "kind"}


@frozen
class Question:
    """The content of a query: rows, keys, aggregates, and the post-processing of the answers."""

    sql: str
    rows: Rows
    keys: tuple[KeyColumn, ...]
    aggregates: Mapping[str, Aggregate]  # by canonical SQL
    above: AboveNoise
    # the private table that has the column of a name, if that is certain
    origins: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts to count, each once, in the order of the query."""
        return tuple(dict.fromkeys(part for each in self.aggregates.values() for part in each.parts))

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(part for part in self.parts if isinstance(part, Measure))

    @property
    def ranks(self) -> tuple[Ranks, ...]:
        return tuple(part for part in self.parts if isinstance(part, Ranks))

    @property
    def distincts(self) -> tuple[Distinct, ...]:
        return tuple(part for part in self.parts if isinstance(part, Distinct))

    @property
    def has_private_keys(self) -> bool:
        return any(key.domain is None for key in self.keys)


def read_question(sql: str, catalogue: Catalogue, centres: Mapping[tuple[str, str], int] | None = None) -> Question:
    """The question that a query asks; refused, before any data is read, if it has no private answer.

    `centres` gives the centres of columns from an earlier release; means are then computed relative to them.
    """
    select = _parsed(sql, _schemas(catalogue))
    refuse_windows(select)
    rows = read_rows(select, catalogue)
    keys = _keys(_group_nodes(select, rows), rows)
    calls = calls_in(select)
    if not calls and not any(key.domain is None for key in keys):
        raise without_aggregate(select)
    summed = frozenset(node.this.sql("duckdb") for node in calls.values() if isinstance(node, exp.Sum))
    reader = AggregateReader(rows, summed, _has_declared_rows(rows, catalogue), centres or {})
    aggregates = {name: reader.read(node) for name, node in calls.items()}
    many = len({part for each in aggregates.values() for part in each.parts})
    if not many <= _MOST_PARTS:
        why = "They share one price, so that each would drown in noise."
        raise Refused(f"{many:,} columns at once", why, f"at most {_MOST_PARTS}.")
    kinds = {name: each.kind for name, each in aggregates.items()}
    above = read_post_processing(select, {key.name: key.kind for key in keys}, kinds)
    return Question(sql, rows, keys, aggregates, above, _origins(select, rows, catalogue))


def refuse_windows(select: exp.Select) -> None:
    """Refuse window functions over groups."""
    for window in (each for item in select.expressions for each in item.find_all(exp.Window)):
        raise Refused(
            window.sql("duckdb"),
            "A window function combines the answers of several groups.",
            "`tacit workload` for running totals; COUNT(*) FILTER (WHERE …) / COUNT(*) for shares; ORDER BY and LIMIT.",
        )


def _origins(select: exp.Select, rows: Rows, catalogue: Catalogue) -> dict[str, str]:
    """The private table that each unchanged column is read from, by the column's name in lower case.

    Claim: SUM(name) adds up values of that very column. Proof: FROM and JOIN name described tables and nothing else (a
    sub-query or WITH could give any expression the name of a column), and only one of them has a column of this name.
    """
    nodes = [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]
    if select.args.get("with_") or not all(isinstance(node, exp.Table) for node in nodes):
        return {}
    tables = {(node.alias or node.name).lower(): catalogue.table(node.name) for node in nodes}
    times = Counter(name for _, name in rows.columns)
    own = {name: tables[alias] for alias, name in rows.columns if times[name] == 1}
    return {name: table.name for name, table in own.items() if isinstance(table, Table)}


def _schemas(catalogue: Catalogue) -> frozenset[str]:
    """The schemas that a query may name before a table: the usual ones, and those of the described tables."""
    written = (source.source.table or "" for source in catalogue.description.sources)
    return DEFAULT_SCHEMAS | {schema for table in written if (schema := table.rpartition(".")[0])}


def _parsed(sql: str, schemas: frozenset[str]) -> exp.Select:
    selects = parsed_selects(sql, schemas)
    if len(selects) != 1:
        accepted = "one SELECT; or `tacit tables`, which releases several together at one price."
        raise Refused(f"{len(selects)} SELECTs in one query", "A query is one table.", accepted)
    select = _grouped(selects[0])
    extra = {name for name, value in select.args.items() if value} - _CLAUSES
    if extra:
        named = ", ".join(sorted(name.strip("_").replace("_", " ").upper() for name in extra))
        raise Refused(named, "It has no private form here.", "SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT.")
    return select


def parsed_selects(sql: str, schemas: frozenset[str] = DEFAULT_SCHEMAS) -> list[exp.Select]:
    """The SELECT statements of a text, in the forms that the planner knows; other statements are refused."""
    trees = parsed(sql)
    for tree in trees:
        if not depth(tree) <= _DEEPEST:
            asked = "a query nested this deeply"
            raise Refused(asked, f"More than {_DEEPEST} parts stand inside one another.", "shorter sums and cases.")
    if not trees:
        raise Refused("an empty text", "It asks nothing.", "SELECT … FROM … .")
    selects = [tree for tree in trees if isinstance(tree, exp.Select)]
    if any(isinstance(tree, exp.SetOperation) for tree in trees):
        accepted = "SELECTs by themselves; `tacit tables` releases several together, with a semicolon between them."
        raise Refused("UNION, INTERSECT or EXCEPT", "The same people may stand in both of its SELECTs.", accepted)
    if len(selects) < len(trees):
        raise Refused("this statement", "Only questions are answered.", "SELECT … FROM … .")
    for select in selects:
        refuse_many_texts(select)
    found = [respelled(select) for select in selects]
    for select in found:
        in_known_forms(select, schemas)
    return found


def _grouped(select: exp.Select) -> exp.Select:
    """SELECT DISTINCT of columns is GROUP BY all of them."""
    distinct = select.args.get("distinct")
    is_plain = distinct is not None and not distinct.args.get("on") and not select.args.get("group")
    if not is_plain or any(True for item in select.expressions for _ in _outermost(item)):
        return select
    grouped = select.copy()
    grouped.set("distinct", None)
    grouped.set("group", exp.Group(all=True))
    return grouped


def _group_nodes(select: exp.Select, rows: Rows) -> list[exp.Expression]:
    nodes = group_keys(select)
    for node in nodes:
        if isinstance(node, exp.Column) and rows.is_identifier(node.name, node.table or None):
            raise Refused(
                f"GROUP BY {node.sql('duckdb')}",
                "Each group would be one person.",
                "GROUP BY the person in a sub-query, and aggregate over it.",
            )
        if isinstance(node, exp.Column) and rows.link(node.name, node.table or None):
            raise Refused(
                f"GROUP BY {node.sql('duckdb')}",
                "Each of its values belongs to one person, so each group would be one person.",
                "GROUP BY what many people share; or a count by person in a sub-query, and an aggregate over it.",
            )
    return nodes


def _keys(nodes: list[exp.Expression], rows: Rows) -> tuple[KeyColumn, ...]:
    """The keys with the values that they can have.

    Columns of public tables have private keys nevertheless where their combinations are too many to be read.
    """
    declared = [type_expression(node, rows) for node in nodes]
    values = kept(declared)
    plain = tuple(map(_key, nodes, values, values))
    known = [
        known_domain(node, typed, rows) if typed is own else typed
        for node, typed, own in zip(nodes, values, declared, strict=True)
    ]
    keys = tuple(map(_key, nodes, values, known))
    became_public = any(key.domain is None for key in plain) and all(key.domain is not None for key in keys)
    is_wide = prod(len(key.domain or ()) for key in keys) > _MOST_LISTED
    return plain if became_public and is_wide else keys


def _key(node: exp.Expression, typed: Typed, known: Typed) -> KeyColumn:
    if typed.kind is Kind.FLOAT:
        raise Refused(
            f"GROUP BY {node.sql('duckdb')}",
            "Floating-point numbers that look alike may differ.",
            f"ROUND({node.sql('duckdb')})::BIGINT, FLOOR(x / 10)::BIGINT, or CASE with the groups you want.",
        )
    values = domain(known)
    column = node.name.lower() if isinstance(node, exp.Column) else None
    public = None if values is None else (*values, *((None,) if known.nullable else ()))
    return KeyColumn(canonical(node), typed.sql, typed.kind, typed.scale, public, column)


def calls_in(select: exp.Select) -> dict[str, exp.Expression]:
    """The aggregate calls of SELECT, HAVING and ORDER BY, by canonical SQL."""
    clauses = [*select.expressions, *(part for part in map(select.args.get, ("having", "order")) if part)]
    return {canonical(node): node for clause in clauses for node in _outermost(clause)}


def _outermost(node: exp.Expression) -> Iterator[exp.Expression]:
    if isinstance(node, CALLS):
        yield node
    else:
        for part in node.iter_expressions():
            yield from _outermost(part)


def _has_declared_rows(rows: Rows, catalogue: Catalogue) -> bool:
    tables = catalogue.description.tables
    return rows.ownership is not Ownership.MANY or all(tables[name].limits.rows is not None for name in rows.tables)
