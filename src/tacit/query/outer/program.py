"""An outer query as a list of SELECTs over named tables, with the weights of its linear columns beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.outer.annotated_select import BEGIN, END, AnnotatedQuery, OuterColumn
from tacit.query.outer.column_forms import TWIN, Form, Linear, NamedColumns
from tacit.query.post_noise.post_processing import column_names
from tacit.query.sql.group_by import resolved_key

_TWINS: Final = re.compile(f"{BEGIN}([^{BEGIN}{END}]*){END}")


@frozen(eq=False)
class OuterProgram:
    """Queries in an order in which each comes after those it reads; the last is the answer."""

    tables: tuple[tuple[str, exp.Query], ...]
    answer: exp.Query
    sources: tuple[NamedColumns, ...]  # the table of released groups, and public ones

    @classmethod
    def of(cls, outer: exp.Query, *sources: NamedColumns) -> OuterProgram:
        """The same query with each sub-query of FROM as a common table."""
        whole = outer.copy()
        tables: list[tuple[str, exp.Query]] = []
        clause = whole.args.get("with_")
        for part in clause.expressions if clause else []:
            tables += _lifted(part.this, len(tables))
            tables.append((part.alias, part.this))
        whole.set("with_", None)
        tables += _lifted(whole, len(tables))
        for _, query in (*tables, ("", whole)):
            for select in query.find_all(exp.Select):
                _say_keys(select)
                _name_columns(select)
        return cls(tuple(tables), whole, sources)

    def plain_sql(self) -> str:
        """The SQL of the answer alone."""
        return _written([(name, query.sql("duckdb", identify=True)) for name, query in self.tables], self.answer)

    @cached_property
    def columns(self) -> tuple[OuterColumn, ...]:
        """The columns of the answer."""
        return self._annotated[1]

    @cached_property
    def is_chosen(self) -> bool:
        """Whether noise chooses the rows of the answer."""
        return self._annotated[2]

    def weights_sql(self, numbers: Sequence[int]) -> str:
        """The SQL of the answer with the parts of its columns, and their twins for some released numbers."""
        text = self._annotated[0]
        while BEGIN in text:
            text = _TWINS.sub(lambda found: _each(found[1], numbers), text)
        return text

    @cached_property
    def _annotated(self) -> tuple[str, tuple[OuterColumn, ...], bool]:
        known: dict[str, NamedColumns] = {source.alias: source for source in self.sources}
        written = []
        for name, query in self.tables:
            made = AnnotatedQuery.of(query.copy(), known, is_last=False)
            written.append((name, made.query.sql("duckdb", identify=True)))
            columns = {column.name.lower(): column.form for column in made.columns}
            known[name] = NamedColumns(name, columns, made.is_chosen)
        last = AnnotatedQuery.of(self.answer.copy(), known, is_last=True)
        return _written(written, last.query), last.columns, last.is_chosen


def released_source(name: str, keys: int, calls: int) -> NamedColumns:
    """The table of released groups: exact keys, and numbers that are linear in themselves."""
    columns: dict[str, Form] = {f"k{place}": Linear(exp.Null()) for place in range(keys)}
    columns |= {f"a{place}": Linear(exp.Null(), exp.Null()) for place in range(calls)}
    return NamedColumns(name, columns, False)


def public_source(name: str, columns: Iterable[str]) -> NamedColumns:
    """A public table, whose values are exact."""
    return NamedColumns(name, {column.lower(): Linear(exp.Null()) for column in columns}, False)


def _each(text: str, numbers: Sequence[int]) -> str:
    return "".join(f", {text.replace(TWIN, twin_name('', number))}" for number in numbers)


def twin_name(column: str, number: int) -> str:
    """The name of the twin of a column for one released number."""
    return f"{column}{TWIN}{number}"


def _written(tables: Sequence[tuple[str, str]], answer: exp.Query) -> str:
    listed = ", ".join(f'"{name}" AS ({text})' for name, text in tables)
    return f"{f'WITH {listed} ' if tables else ''}{answer.sql('duckdb', identify=True)}"


def _lifted(query: exp.Query, begin: int) -> list[tuple[str, exp.Query]]:
    """The sub-queries of FROM, the innermost first; tables with their names stand in their places."""
    found: list[tuple[str, exp.Query]] = []
    for sub in reversed(list(query.find_all(exp.Subquery, bfs=True))):
        if isinstance(sub.parent, exp.From | exp.Join) and sub is not query:
            name = f"__part_{begin + len(found)}"
            table = exp.to_table(name)
            table.set("alias", sub.args.get("alias"))
            sub.replace(table)
            found.append((name, sub.this))
    return found


def _name_columns(select: exp.Select) -> None:
    """Give each column a name of its own."""
    if not any(item.is_star for item in select.expressions):
        names = column_names(select.expressions, [False] * len(select.expressions))
        items = zip(select.expressions, names, strict=True)
        select.set("expressions", [_called(item, name) for item, name in items])


def _called(item: exp.Expr, name: str) -> exp.Expr:
    is_so = isinstance(item, exp.Column) and item.name == name
    return item if is_so else exp.Alias(this=item.unalias(), alias=exp.to_identifier(name, quoted=True))


def _say_keys(select: exp.Select) -> None:
    """Write out the keys of GROUP BY and ORDER BY that are given by position, or by ALL."""
    items, group, order = select.expressions, select.args.get("group"), select.args.get("order")
    if group is not None and group.args.get("all"):
        keys = [item.unalias().copy() for item in items if not item.find(exp.AggFunc, exp.WithinGroup)]
        select.set("group", exp.Group(expressions=keys) if keys else None)
    elif group is not None:
        group.set("expressions", [resolved_key(node, items).copy() for node in group.expressions])
    for each in order.expressions if order is not None else []:
        node = each.this
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
            place = int(node.name)
            if 1 <= place <= len(items) and not any(item.is_star for item in items):
                each.set("this", items[place - 1].unalias().copy())
