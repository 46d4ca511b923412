"""An outer query as a list of SELECTs over named tables, with the weights of its linear columns beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.outer.linear_forms import (
    TWIN,
    Form,
    Forms,
    Linear,
    Ratio,
    Source,
    forms_of,
    hidden,
)
from tacit.query.post_noise.post_processing import column_names
from tacit.query.sql.from_clause import resolved_key

_BEGIN, _END = "\x01", "\x02"
_TWINS: Final = re.compile(f"{_BEGIN}([^{_BEGIN}{_END}]*){_END}")


@frozen(eq=False)
class OuterColumn:
    """A column of the answer: its form, and the digits that it is rounded to at the end, if it is."""

    name: str
    form: Form
    digits: int | None = None

    @property
    def is_exact(self) -> bool:
        return isinstance(self.form, Linear) and self.form.twin is None


@frozen(eq=False)
class Program:
    """Queries in an order in which each comes after those it reads; the last is the answer."""

    tables: tuple[tuple[str, exp.Query], ...]
    answer: exp.Query
    source: Source  # the table of released groups

    @classmethod
    def of(cls, outer: exp.Query, source: Source) -> Program:
        """The same query with each sub-query of FROM as a common table."""
        whole, tables = outer.copy(), []
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
        return cls(tuple(tables), whole, source)

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
        while _BEGIN in text:
            text = _TWINS.sub(lambda found: _each(found[1], numbers), text)
        return text

    @cached_property
    def _annotated(self) -> tuple[str, tuple[OuterColumn, ...], bool]:
        known: dict[str, Source] = {self.source.alias: self.source}
        written = []
        for name, query in self.tables:
            made = _Annotated.of(query.copy(), known, is_last=False)
            written.append((name, made.query.sql("duckdb", identify=True)))
            known[name] = Source(name, {column.name.lower(): column.form for column in made.columns}, made.is_chosen)
        last = _Annotated.of(self.answer.copy(), known, is_last=True)
        return _written(written, last.query), last.columns, last.is_chosen


def released_source(name: str, keys: int, calls: int) -> Source:
    """The table of released groups: exact keys, and numbers that are linear in themselves."""
    exact: dict[str, Form] = {f"k{place}": Linear(exp.Null()) for place in range(keys)}
    return Source(name, {**exact, **{f"a{place}": Linear(exp.Null(), exp.Null()) for place in range(calls)}}, False)


def _each(text: str, numbers: Sequence[int]) -> str:
    return "".join(f", {text.replace(TWIN, twin_name('', number))}" for number in numbers)


def twin_name(column: str, number: int) -> str:
    """The name of the twin of a column for one released number."""
    return f"{column}{TWIN}{number}"


def _written(tables: Sequence[tuple[str, str]], answer: exp.Query) -> str:
    listed = ", ".join(f'"{name}" AS ({text})' for name, text in tables)
    return f"WITH {listed} {answer.sql('duckdb', identify=True)}"


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


def _called(item: exp.Expression, name: str) -> exp.Expression:
    is_so = isinstance(item, exp.Column) and item.name == name
    return item if is_so else exp.alias_(item.unalias(), name, quoted=True)


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


@frozen(eq=False)
class _Annotated:
    """A query with hidden columns beside those that have a form."""

    query: exp.Query
    columns: tuple[OuterColumn, ...]
    is_chosen: bool

    @classmethod
    def of(cls, query: exp.Query, known: dict[str, Source], *, is_last: bool) -> _Annotated:
        selects = list(_selects(query))
        read = [_Read.of(select, known, is_last=is_last and len(selects) == 1) for select in selects]
        is_all = not isinstance(query, exp.SetOperation) or _adds_rows(query)
        names = [column.name for column in read[0].columns]
        if any(len(each.columns) != len(names) for each in read):
            return cls(query, tuple(OuterColumn(name, None) for name in names), True)
        columns = []
        for place, name in enumerate(names):
            forms = [each.columns[place].form for each in read]
            made = forms if len(read) == 1 else _alike(forms) if is_all or _all_exact(forms) else [None] * len(read)
            columns.append(OuterColumn(name, made[0], read[0].columns[place].digits))
            for each, form in zip(read, made, strict=True):
                each.add(name, form)
        chosen = any(each.is_chosen for each in read)
        if isinstance(query, exp.SetOperation) and (query.args.get("limit") or query.args.get("offset")):
            chosen = True
        return cls(query, tuple(columns), chosen)


@frozen(eq=False)
class _Read:
    """A SELECT with the forms of its columns."""

    select: exp.Select
    columns: tuple[OuterColumn, ...]
    is_chosen: bool

    @classmethod
    def of(cls, select: exp.Select, known: dict[str, Source], *, is_last: bool) -> _Read:
        forms = forms_of(select, known)
        if forms is None:
            return cls(select, tuple(OuterColumn(item.alias_or_name, None) for item in select.expressions), True)
        select.set("expressions", _without_stars(select, forms))
        columns: list[OuterColumn] = []
        for item in select.expressions:
            inner, digits = _unrounded(item.unalias()) if is_last else (item.unalias(), None)
            form = forms.of(inner)
            columns.append(OuterColumn(item.alias_or_name, form, digits))
            if isinstance(item, exp.Alias):
                forms.aliases.setdefault(item.alias.lower(), form if digits is None else None)
        if select.args.get("distinct"):
            columns = [each if _all_exact([each.form]) else OuterColumn(each.name, None) for each in columns]
        return cls(select, tuple(columns), forms.is_chosen_by(select))

    def add(self, name: str, form: Form) -> None:
        """Add the hidden columns of one that is called so."""
        parts, twins = hidden(name, form)
        items = [exp.alias_(part.copy(), own, quoted=True) for own, part in parts.items()]
        texts = [exp.alias_(part.copy(), own, quoted=True).sql("duckdb", identify=True) for own, part in twins.items()]
        last = self.select.expressions[-1]
        self.select.set("expressions", [*self.select.expressions, *items])
        if texts:
            last = self.select.expressions[-1]
            marked = "".join(f"{_BEGIN}{text}{_END}" for text in texts)
            last.replace(exp.Var(this=f"{last.sql('duckdb', identify=True)}{marked}"))


def _selects(query: exp.Expression) -> list[exp.Select]:
    if isinstance(query, exp.SetOperation):
        return [*_selects(query.this), *_selects(query.expression)]
    if isinstance(query, exp.Subquery):
        return _selects(query.this)
    assert isinstance(query, exp.Select)
    return [query]


def _adds_rows(query: exp.Expression) -> bool:
    """Whether a set operation is UNION ALL throughout."""
    if isinstance(query, exp.SetOperation):
        is_all = isinstance(query, exp.Union) and not query.args.get("distinct")
        return is_all and _adds_rows(query.this) and _adds_rows(query.expression)
    return True


def _all_exact(forms: Sequence[Form]) -> bool:
    return all(isinstance(form, Linear) and form.twin is None for form in forms)


def _alike(forms: Sequence[Form]) -> list[Form]:
    """The forms of one column in each SELECT of UNION ALL, all of one kind; all None if one is."""
    zero, one = exp.Literal.number(0), exp.Literal.number(1)

    def noisy(form: Linear) -> Linear:
        return Linear(form.value, form.twin or zero)

    if any(form is None for form in forms) or _all_exact(forms):
        return list(forms) if _all_exact(forms) else [None] * len(forms)
    if all(isinstance(form, Linear) for form in forms):
        return [noisy(form) for form in forms if isinstance(form, Linear)]
    pairs = [form if isinstance(form, Ratio) else Ratio(form, Linear(one)) for form in forms if form is not None]
    return [Ratio(noisy(pair.top), noisy(pair.bottom)) for pair in pairs]


def _unrounded(node: exp.Expression) -> tuple[exp.Expression, int | None]:
    """What is rounded at the end, and to how many digits."""
    if isinstance(node, exp.Round):
        places = node.args.get("decimals")
        if places is None or (isinstance(places, exp.Literal) and places.name.isdigit()):
            return node.this, 0 if places is None else int(places.name)
    if isinstance(node, exp.Cast | exp.TryCast) and node.to.this in (exp.DataType.Type.INT, exp.DataType.Type.BIGINT):
        return node.this, 0
    return node, None


def _without_stars(select: exp.Select, forms: Forms) -> list[exp.Expression]:
    """The items with * written out, so that it brings no hidden column."""
    merged = {name.name.lower() for join in select.args.get("joins") or [] for name in join.args.get("using") or []}
    items: list[exp.Expression] = []
    for item in select.expressions:
        if not item.is_star:
            items.append(item)
            continue
        taken: set[str] = set()
        for source in forms.sources:
            if isinstance(item, exp.Star) or item.table.lower() == source.alias.lower():
                names = [name for name in source.columns if not (name in merged and name in taken)]
                items += [exp.column(name, table=source.alias, quoted=True) for name in names]
                taken |= set(names)
    return items
