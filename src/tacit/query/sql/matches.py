"""Matches: a truth value beside each private row, whether other rows of the same person have the same keys.

This is the lowered form of EXISTS and IN: a LEFT JOIN to keys of which each is there once. Every engine can do it by
hashing, and its work is in proportion to the rows on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.expressions.result_types import unify
from tacit.query.sql.joins import uncut
from tacit.query.sql.rows import UNIT, Ownership, Rows, Select, SelectItem
from tacit.query.sql.scan import output_name
from tacit.query.sql.values.column_reader import filled
from tacit.query.sql.values.storage import as_type, sql_type, unsigned_zero
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_EVERYONE = '"__everyone"'  # stands for the person where the other rows are public


@frozen
class EqualValues:
    """Two values of one type that are to be equal: one of the rows, one of the others.

    `tests` are further conditions on the other: a text that was cut where it was read equals nothing.
    """

    own: Typed
    other: Typed
    tests: tuple[str, ...] = ()

    @classmethod
    def of(cls, node: exp.Expression, own: Typed, other: Typed) -> EqualValues:
        """Both in one type, in which equal values are the same value: a float's zero has no sign.

        An engine keeps the values of the others. Of texts that the query makes it keeps digests.
        """
        same = unify(node, own, other)
        types = {sql_type(item) for item in same}
        target = "HUGEINT" if "HUGEINT" in types else next(iter(types))
        first, second = (replace(item, sql=as_type(item, target)) for item in same)
        is_made = first.kind is Kind.TEXT and bool(own.weight or other.weight)
        one, two = (f"md5({each.sql})" if is_made else unsigned_zero(each) for each in (first, second))
        return cls(replace(first, sql=one), replace(second, sql=two), tuple(uncut(second)))


def unchanged(columns: Sequence[Typed]) -> list[EqualValues]:
    """The pairs by which rows find the same values of their own columns again, NULL among them."""
    found = []
    for column in columns:
        whole = filled(column)
        whole = replace(whole, sql=unsigned_zero(whole))
        found.append(EqualValues(whole, whole))
        if column.nullable:
            is_missing = Typed(Kind.BOOLEAN, f"({column.sql} IS NULL)", nullable=False)
            found.append(EqualValues(is_missing, is_missing))
    return found


def existing(rows: Rows, others: Rows, pairs: Sequence[EqualValues], name: tuple[str, str]) -> Rows:
    """The rows with a truth value: whether one of the others has the same keys, for the same person. Never NULL."""
    return _matched(rows, others, pairs, name, '("__right"."__found" IS NOT NULL)', is_nullable=False)


def among(rows: Rows, others: Rows, pairs: Sequence[EqualValues], value: EqualValues, name: tuple[str, str]) -> Rows:
    """The rows with `value.own IN (the values of the others with the same keys)`, by SQL's three-valued logic.

    Without an equal value it is NULL if the value is NULL and there are any others, or if one of theirs is NULL.
    """
    equal = (name[0], f"{name[1]}_equal")
    found = existing(rows, others, [*pairs, value], equal)
    if not (value.own.nullable or value.other.nullable):
        return _called(found, equal, name)
    missing = f"{value.own.sql} IS NULL OR " if value.own.nullable else ""
    unknown = f'WHEN {missing}"__right"."__missing" = 1 THEN NULL'
    truth = f'CASE WHEN {output_name(equal)} THEN TRUE WHEN "__right"."__found" IS NULL THEN FALSE {unknown}'
    counted = SelectItem(f'MAX(CASE WHEN {value.other.sql} IS NULL THEN 1 ELSE 0 END) AS "__missing"')
    return _matched(found, others, pairs, name, f"({truth} ELSE FALSE END)", counted, is_nullable=True)


def _matched(
    rows: Rows,
    others: Rows,
    pairs: Sequence[EqualValues],
    name: tuple[str, str],
    truth: str,
    *counted: SelectItem,
    is_nullable: bool,
) -> Rows:
    """The rows with a truth value that is found among the others' keys.

    Claim: the rows are the same, each as often as before, and the truth value depends on that person's rows of both
    relations and on public tables alone. Proof: the lowered SQL itself requires the same person, whatever the keys
    are, unless the others are public. On the right each person and key is there once, for they are grouped by the
    very values that are compared; so a row meets at most one, and a LEFT JOIN keeps it if it meets none. (Values that
    are equal are in one group: texts are compared by octets, floats have one zero and no NaN.)
    """
    is_public = not others.tables
    if not is_public and Ownership.EACH in (rows.ownership, others.ownership):
        raise TypeError("rows that are people of their own have no other rows")
    place = _EVERYONE if is_public else UNIT
    owner = SelectItem(f"1 AS {place}" if is_public else place)
    keys = [f'"__key{position}"' for position in range(len(pairs))]
    listed = [SelectItem(f"{pair.other.sql} AS {key}") for pair, key in zip(pairs, keys, strict=True)]
    whole = [test for pair in pairs for test in pair.tests]
    where = f" WHERE {' AND '.join(whole)}" if whole else ""
    grouped = f' AS "__others"{where} GROUP BY {", ".join([place, *keys])}'
    right = Select((owner, *listed, SelectItem('1 AS "__found"'), *counted), (others.select, grouped))
    same = f'"__right".{place} = ' + ("1" if is_public else f'"__left".{UNIT}')
    tests = [same, *(f'({pair.own.sql} = "__right".{key})' for pair, key in zip(pairs, keys, strict=True))]
    column = SelectItem(f"{truth} AS {output_name(name)}", output_name(name))
    origin = (rows.select, ' AS "__left" LEFT JOIN ', right, f' AS "__right" ON {" AND ".join(tests)}')
    select = Select((SelectItem('"__left".*'), column), origin, is_open=True)
    columns = {**rows.columns, name: Typed(Kind.BOOLEAN, output_name(name), nullable=is_nullable)}
    found = replace(rows, select=select, columns=columns, bare=None)
    if not others.bounds:  # then no row is left out of a join
        return replace(found, looks=rows.looks + others.scans + others.looks)
    return replace(
        found,
        looks=rows.looks + others.looks,
        tables=rows.tables | others.tables,
        scans=rows.scans + others.scans,
        bounds=(*rows.bounds, *(each for each in others.bounds if each not in rows.bounds)),
    )


def _called(rows: Rows, name: tuple[str, str], other: tuple[str, str]) -> Rows:
    """The rows with a column by another name for the query."""
    columns = {other if key == name else key: typed for key, typed in rows.columns.items()}
    return replace(rows, columns=columns)
