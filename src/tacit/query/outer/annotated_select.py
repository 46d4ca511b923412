"""A query of an outer program with hidden columns beside those that have a form: their parts and their twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.outer.column_forms import Form, Linear, LinearRatio, NamedColumns, hidden, twin_of
from tacit.query.outer.linear_forms import Forms, forms_of

BEGIN: Final = "\x01"
"""Before a twin in SQL, which is written once for each released number; END is behind it."""

END: Final = "\x02"


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
class AnnotatedQuery:
    """A query with hidden columns beside those that have a form."""

    query: exp.Query
    columns: tuple[OuterColumn, ...]
    is_chosen: bool

    @classmethod
    def of(cls, query: exp.Query, known: dict[str, NamedColumns], *, is_last: bool) -> AnnotatedQuery:
        selects = list(_selects(query))
        read = [_AnnotatedSelect.of(select, known, is_last=is_last and len(selects) == 1) for select in selects]
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
        if not is_all and not _all_exact([column.form for column in columns]):
            chosen = True  # equal rows are one row: noise says which are
        return cls(query, tuple(columns), chosen)


@frozen(eq=False)
class _AnnotatedSelect:
    """A SELECT with the forms of its columns."""

    select: exp.Select
    columns: tuple[OuterColumn, ...]
    is_chosen: bool

    @classmethod
    def of(cls, select: exp.Select, known: dict[str, NamedColumns], *, is_last: bool) -> _AnnotatedSelect:
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
        if not forms.groups_exactly(select):
            columns = [
                OuterColumn(each.name, None) if item.find(exp.AggFunc, exp.Window) else each
                for each, item in zip(columns, select.expressions, strict=True)
            ]
        if select.args.get("distinct"):
            columns = [each if _all_exact([each.form]) else OuterColumn(each.name, None) for each in columns]
        return cls(select, tuple(columns), forms.is_chosen_by(select, is_read=not is_last))

    def add(self, name: str, form: Form) -> None:
        """Add the hidden columns of one that is called so."""
        parts, twins = hidden(name, form)
        items = [exp.alias_(part.copy(), own, quoted=True) for own, part in parts.items()]
        texts = [exp.alias_(part.copy(), own, quoted=True).sql("duckdb", identify=True) for own, part in twins.items()]
        last = self.select.expressions[-1]
        self.select.set("expressions", [*self.select.expressions, *items])
        if texts:
            last = self.select.expressions[-1]
            marked = "".join(f"{BEGIN}{text}{END}" for text in texts)
            last.replace(exp.Var(this=f"{last.sql('duckdb', identify=True)}{marked}"))


def _selects(query: exp.Expr) -> list[exp.Select]:
    if isinstance(query, exp.SetOperation):
        return [*_selects(query.this), *_selects(query.expression)]
    if isinstance(query, exp.Subquery):
        return _selects(query.this)
    assert isinstance(query, exp.Select)
    return [query]


def _adds_rows(query: exp.Expr) -> bool:
    """Whether a set operation is UNION ALL throughout."""
    if isinstance(query, exp.SetOperation):
        is_all = isinstance(query, exp.Union) and not query.args.get("distinct")
        return is_all and _adds_rows(query.this) and _adds_rows(query.expression)
    return True


def _all_exact(forms: Sequence[Form]) -> bool:
    return all(isinstance(form, Linear) and form.twin is None for form in forms)


def _alike(forms: Sequence[Form]) -> list[Form]:
    """The forms of one column in each SELECT of UNION ALL, all of one kind; all None if one is."""
    one = exp.Literal.number(1)

    def noisy(form: Linear) -> Linear:
        return Linear(form.value, twin_of(form))

    if any(form is None for form in forms) or _all_exact(forms):
        return list(forms) if _all_exact(forms) else [None] * len(forms)
    if all(isinstance(form, Linear) for form in forms):
        return [noisy(form) for form in forms if isinstance(form, Linear)]
    known = [form for form in forms if form is not None]
    pairs = [form if isinstance(form, LinearRatio) else LinearRatio(form, Linear(one)) for form in known]
    return [LinearRatio(noisy(pair.top), noisy(pair.bottom)) for pair in pairs]


def _unrounded(node: exp.Expr) -> tuple[exp.Expr, int | None]:
    """What is rounded at the end, and to how many digits."""
    if isinstance(node, exp.Round):
        places = node.args.get("decimals")
        if places is None or (isinstance(places, exp.Literal) and places.name.isdigit()):
            return node.this, 0 if places is None else int(places.name)
    if isinstance(node, exp.Cast | exp.TryCast) and node.to.this in (exp.DataType.Type.INT, exp.DataType.Type.BIGINT):
        return node.this, 0
    return node, None


def _without_stars(select: exp.Select, forms: Forms) -> list[exp.Expr]:
    """The items with * written out, so that it brings no hidden column."""
    merged = {name.name.lower() for join in select.args.get("joins") or [] for name in join.args.get("using") or []}
    items: list[exp.Expr] = []
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
