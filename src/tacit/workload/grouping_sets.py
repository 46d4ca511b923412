"""CUBE, ROLLUP, GROUPING SETS and several SELECTs, read into tables over one set of private rows.

Every grouping set is a table of its own. All of them are over the same FROM and WHERE, so that one question, by all
keys together, says what is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TypeVar

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Measure
from tacit.query.aggregates.aggregate_calls import CALLS
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.plans.question import Question, parsed_selects, read_question, refuse_windows
from tacit.query.post_noise.expression import KeyReference
from tacit.query.post_noise.post_processing import Item, PostProcessing, read_post_processing
from tacit.query.post_noise.scope import canonical
from tacit.query.sql.group_by import GROUPINGS, resolved_key
from tacit.schema.catalogue import Catalogue
from tacit.workload.residual_basis import Attributes

_MOST_KEYS = 12  # of one table: a CUBE of them has 4,096 tables
_MOST_TABLES = 5_000
_ABOVE = ("having", "order", "limit", "offset", "distinct", "qualify", "windows")
_ROWS = ("from_", "joins", "where", "with_", "laterals")

_T = TypeVar("_T")
_Nodes = dict[str, exp.Expression]  # by canonical SQL, each once


@frozen(eq=False)
class TableRequest:
    """One table: its keys (by their places in the question), and the columns and aggregates that its SELECT shows.

    What a SELECT shows is read with all keys of all tables.
    """

    attributes: Attributes
    whole: exp.Select  # without GROUP BY
    shown: PostProcessing
    aggregates: tuple[str, ...]  # that it shows, by canonical SQL

    def key_names(self, question: Question) -> tuple[str, ...]:
        """Its keys as its SELECT calls them."""
        items = [item for item in self.whole.expressions if isinstance(item, exp.Alias)]
        aliases = {canonical(item.this): item.alias for item in items}
        names = (question.keys[place].name for place in self.attributes)
        return tuple(aliases.get(name, name) for name in names)

    def above(self, question: Question) -> PostProcessing:
        """What this table shows: all of its keys, and no item that mentions another key outside of aggregates."""
        own = {question.keys[place].name: question.keys[place].kind for place in self.attributes}
        items = tuple(item for item in self.shown.items if item.expression.keys <= own.keys())
        keys = [item for item in items if isinstance(item.expression, KeyReference)]
        shown = {item.expression.name for item in items if isinstance(item.expression, KeyReference)}
        lacking = [Item(name, KeyReference(name, kind)) for name, kind in own.items() if name not in shown]
        rest = [item for item in items if item not in keys]
        return PostProcessing((*keys, *lacking, *rest) if lacking else items)


@frozen(eq=False)
class TablesQuestion:
    """Several tables over the same rows; `question` asks for all their aggregates by all their keys together."""

    sql: str
    question: Question
    tables: tuple[TableRequest, ...]

    def measured(self) -> Mapping[Measure, tuple[Attributes, ...]]:
        """For each measure, the tables that show it."""
        found: dict[Measure, dict[Attributes, None]] = {}
        for table in self.tables:
            for name in table.aggregates:
                for part in self.question.aggregates[name].parts:
                    if isinstance(part, Measure):
                        found.setdefault(part, {})[table.attributes] = None
        return {part: tuple(sets) for part, sets in found.items()}


def asks_for_tables(sql: str) -> bool:
    """Whether a text asks for several tables: several SELECTs, or CUBE, ROLLUP, GROUPING SETS in one."""
    selects = parsed_selects(sql)
    groups = [group for select in selects if (group := select.args.get("group")) is not None]
    return len(selects) > 1 or any(each.find(*GROUPINGS) or each.args.get("totals") for each in groups)


def read_tables(sql: str, catalogue: Catalogue, centres: Mapping[tuple[str, str], int] | None = None) -> TablesQuestion:
    """The tables that a text of SELECTs asks for; refused, before any data is read, if they have no joint release."""
    selects = parsed_selects(sql)
    _refuse_unlike(selects)
    sets = [list(_grouping_sets(select)) for select in selects]
    if not sum(map(len, sets)) <= _MOST_TABLES:
        raise Refused(f"{sum(map(len, sets)):,} tables", "They share one price.", f"at most {_MOST_TABLES:,}.")
    keys = {name: node for each in sets for nodes in each for name, node in nodes.items()}
    places = {name: place for place, name in enumerate(keys)}
    for select in selects:
        select.set("group", None)
    question = read_question(_joint(selects, list(keys.values())).sql("duckdb"), catalogue, centres)
    _refuse_unadditive(question.aggregates)
    kinds = {key.name: key.kind for key in question.keys}
    tables = []
    for select, each in zip(selects, sets, strict=True):
        shown = read_post_processing(select, kinds, list(question.aggregates))
        asked = tuple(_aggregates(select))
        tables += [TableRequest(tuple(sorted(places[name] for name in nodes)), select, shown, asked) for nodes in each]
    return TablesQuestion(sql, question, tuple(tables))


def _refuse_unlike(selects: Sequence[exp.Select]) -> None:
    """Refuse SELECTs over different rows, and clauses above the noise that would choose among cells."""
    for select in selects:
        refuse_windows(select)
        extra = [name for name in _ABOVE if select.args.get(name)]
        if extra:
            raise Refused(
                f"{extra[0].upper()}{' BY' if extra[0] == 'order' else ''} in tables",
                "Tables are released whole, and sorted by their keys.",
                "the tables without it; afterwards a query with it is answered from them for free.",
            )
        if any(node.find(exp.Grouping, exp.GroupingId) for node in select.expressions):
            raise Refused("GROUPING()", "Each grouping set is a table of its own.", "SELECT without it.")
    rows = {tuple(str(_text(select.args.get(name))) for name in _ROWS) for select in selects}
    if len(rows) > 1:
        raise Refused(
            "tables over different rows",
            "One release of tables has one FROM and one WHERE: its tables add up.",
            "the same FROM and WHERE in every SELECT, with FILTER (WHERE …) in aggregates; or several releases.",
        )


def _text(clause: object) -> str:
    parts = clause if isinstance(clause, list) else [clause]
    return " ".join(canonical(part) for part in parts if isinstance(part, exp.Expr))


def _grouping_sets(select: exp.Select) -> Iterator[_Nodes]:
    """The sets of GROUP BY, as SQL has them: those of its elements, each joined with each."""
    group = select.args.get("group")
    if group is None:
        yield {}
        return
    items = select.expressions
    if group.args.get("all"):
        yield _named([item.unalias() for item in items if not item.find(*CALLS)])
        return
    if group.args.get("totals"):
        raise Refused("GROUP BY … WITH TOTALS", "DuckDB does not know it.", "GROUPING SETS ((a, b), ()).")
    with_words = [name for name in ("rollup", "cube") if group.args.get(name)]
    if with_words:
        nodes = [resolved_key(node, items) for node in group.expressions]
        yield from map(_named, _rolled(nodes) if with_words == ["rollup"] else _cubed(nodes))
        return
    elements = [list(_element(node, items)) for node in group.expressions]
    for chosen in product(*elements):
        yield _checked({name: node for nodes in chosen for name, node in nodes.items()})


def _element(node: exp.Expression, items: list[exp.Expression]) -> Iterator[_Nodes]:
    if isinstance(node, exp.GroupingSets):
        for part in node.expressions:
            yield from _element(part, items)
        return
    if isinstance(node, (exp.Cube, exp.Rollup)):
        columns = [_columns(part, items) for part in node.expressions]
        if not len(columns) <= _MOST_KEYS:
            raise Refused(
                f"{len(columns)} keys in one CUBE or ROLLUP", "It has too many tables.", f"at most {_MOST_KEYS}."
            )
        for nodes in _cubed(columns) if isinstance(node, exp.Cube) else _rolled(columns):
            yield {name: column for columns in nodes for name, column in columns.items()}
        return
    yield _columns(node, items)


def _columns(node: exp.Expression, items: list[exp.Expression]) -> _Nodes:
    """A key, or several keys in brackets, which are used together."""
    inside: list[exp.Expression] = node.expressions if isinstance(node, exp.Tuple) else [node]
    while len(inside) == 1 and isinstance(inside[0], exp.Paren):
        inside = [inside[0].this]
    return _named([resolved_key(part, items) for part in inside])


def _named(nodes: Sequence[exp.Expression]) -> _Nodes:
    return {canonical(node): node for node in nodes}


def _cubed(parts: Sequence[_T]) -> Iterator[tuple[_T, ...]]:
    for size in range(len(parts), -1, -1):
        yield from combinations(parts, size)


def _rolled(parts: Sequence[_T]) -> Iterator[tuple[_T, ...]]:
    for size in range(len(parts), -1, -1):
        yield tuple(parts[:size])


def _checked(nodes: _Nodes) -> _Nodes:
    if not len(nodes) <= _MOST_KEYS:
        raise Refused(f"a table by {len(nodes)} keys", "It has too many margins.", f"at most {_MOST_KEYS}.")
    return nodes


def _joint(selects: Sequence[exp.Select], keys: Sequence[exp.Expression]) -> exp.Select:
    """All aggregates by all keys."""
    joint = selects[0].copy()
    calls = {name: node for select in selects for name, node in _aggregates(select).items()}
    joint.set("expressions", [node.copy() for node in (*keys, *calls.values())])
    joint.set("group", exp.Group(expressions=[node.copy() for node in keys]) if keys else None)
    return joint


def _aggregates(select: exp.Select) -> _Nodes:
    """The aggregates of a SELECT."""
    return _named([node for item in select.expressions for node in _calls(item)])


def _calls(node: exp.Expression) -> Iterator[exp.Expression]:
    if isinstance(node, CALLS):
        yield node
    else:
        for part in node.iter_expressions():
            yield from _calls(part)


def _refuse_unadditive(aggregates: Mapping[str, Aggregate]) -> None:
    for name, aggregate in aggregates.items():
        is_sum = isinstance(aggregate, (Total, Mean))
        if not (is_sum and all(isinstance(part, Measure) and not part.once for part in aggregate.parts)):
            raise Refused(
                f"{name} in tables",
                "Tables that add up hold counts, sums and means: those of a margin follow from its cells.",
                "COUNT(*), COUNT(x), SUM(x) and AVG(x) here; a query of its own for the rest.",
            )
    if not aggregates:
        raise Refused("tables without an aggregate", "There is nothing to count.", "COUNT(*), SUM(x), AVG(x).")
