"""Joins: to public tables by their key, and between private tables within one person."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.expressions.rule_registry import type_expression, type_predicate
from tacit.query.sql.known_values import joined_known
from tacit.query.sql.rows import UNIT, Ownership, Rows, Select, SelectItem, quoted
from tacit.query.sql.scan import output_name, reading, visible
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Lookup
from tacit.schema.kind import Kind

_KINDS = {"": "JOIN", "INNER": "JOIN", "LEFT": "LEFT JOIN"}
_LEFT = SelectItem('"__left".*')
_NO_ROWS = Select((), ())  # of lookups for the meaning of names only


def join_kind(join: exp.Join) -> str:
    """JOIN or LEFT JOIN; any other kind is refused."""
    words = " ".join(word for word in (join.method, join.side, join.kind) if word).upper()
    kind = _KINDS.get(words.removesuffix(" OUTER").strip())
    if kind is None or not (join.args.get("on") or join.args.get("using")):
        raise Refused(
            f"{words or 'a comma'} between tables".strip(),
            "Rows that find no partner, or every partner, cannot be bounded by person here.",
            "JOIN … ON … or LEFT JOIN … ON …, with an equality of columns.",
        )
    return kind


def join_private(left: Rows, right: Rows, kind: str, condition: exp.Expression) -> Rows:
    """Rows of two private tables that belong to the same person and meet the condition.

    The lowered SQL itself requires the same person, so every joined row depends on one person only, for any keys.
    People are of one type in all tables (`sql.rows`).
    """
    if Ownership.EACH in (left.ownership, right.ownership):
        raise Refused(
            "a join of private tables",
            "Each row is a person of its own, so a joined row would belong to two.",
            "a join to a public table; or a unit with an identifier column.",
        )
    both = _both(left, right, Ownership.MANY)
    columns = [SelectItem(f'"__right".{typed.sql}', typed.sql) for typed in right.columns.values()]
    same = f'"__left".{UNIT} = "__right".{UNIT}'
    parts = [part for part in conjuncts(condition) if not _is_same_person(part, left, right)]
    rest = [sql for part in parts for sql in (type_predicate(part, both).sql, *_uncut(part, both, right))]
    test = " AND ".join([same, *(f"({part})" for part in rest)])
    origin = (left.select, f' AS "__left" {kind} ', right.select, f' AS "__right" ON {test}')
    select = Select((_LEFT, *columns), origin, is_open=True)
    known = joined_known(left.known, right.known, kind)
    found = replace(both, select=select, columns=_after(both, right, kind), known=known)
    if kind == "JOIN":
        return found
    return replace(found, identifiers=left.identifiers, absent=both.absent | right.identifiers)


def join_public(
    left: Rows,
    lookup: Lookup,
    alias: str,
    kind: str,
    condition: exp.Expression,
    catalogue: Catalogue,
    named: Container[str],
) -> Rows:
    """Each row with the public row that its key names; of several public rows with the same key the least is used.

    `named` has the names of columns that groups may be of: the values of others are not read.
    """
    reads = reading(lookup, alias, catalogue)
    names = [output_name(key) for key in reads]
    key = (alias.lower(), lookup.key.lower())
    listed = ", ".join(f"{typed.sql} AS {output_name(own)}" for own, typed in reads.items())
    known = " AND ".join([f"{output_name(key)} IS NOT NULL", *uncut(visible(reads)[key])])
    chosen = (
        f'SELECT * FROM (SELECT {listed} FROM {quoted(lookup.name)}) AS "__public" WHERE {known} '
        f"QUALIFY row_number() OVER (PARTITION BY {output_name(key)} ORDER BY {', '.join(names)}) = 1"
    )
    public = Rows(_NO_ROWS, visible(reads), frozenset(), left.ownership, frozenset())
    both = _both(left, public, left.ownership)
    if not _is_by_key(condition, key, both, left):
        raise Refused(
            f"a join to {lookup.name}",
            "A public table is joined by its key, so that a row finds one partner at most.",
            f"ON {alias}.{lookup.key} = a column of the private table, and nothing else.",
        )
    _refuse_floats(condition, both, alias, lookup)
    test = type_predicate(condition, both)
    columns = [SelectItem(f'"__right".{name}', name) for name in names]
    origin = (left.select, f' AS "__left" {kind} ({chosen}) AS "__right" ON {test.sql}')
    select = Select((_LEFT, *columns), origin, is_open=True)
    bare = left.bare if kind == "LEFT JOIN" else None
    levels = joined_known(left.known, _levels(lookup, visible(reads), catalogue, named), kind)
    return replace(left, select=select, columns=_after(both, public, kind), bare=bare, known=levels)


def _levels(
    lookup: Lookup, columns: Mapping[tuple[str, str], Typed], catalogue: Catalogue, named: Container[str]
) -> dict[str, Typed]:
    """The columns of a public table whose values are few enough to be listed."""
    found = {}
    for key, typed in columns.items():
        is_listed = key[1] in named and typed.keys is None
        values = catalogue.levels(lookup.name, key[1]) if is_listed else None
        if values is not None:
            found[typed.sql] = replace(
                typed, keys=tuple(value for value in values if value is not None), nullable=None in values
            )
    return found


def conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    """The parts of a condition that must all hold."""
    node = condition
    while isinstance(node, exp.Paren):
        node = node.this
    return [*conjuncts(node.this), *conjuncts(node.expression)] if isinstance(node, exp.And) else [node]


def equal_sides(condition: exp.Expression, left: Rows, right: Rows) -> list[tuple[str, str]]:
    """The SQL of each side of the equalities between rows of one person."""
    both, found = _both(left, right, Ownership.MANY), []
    for part in conjuncts(condition):
        node = part.unnest()
        if isinstance(node, exp.EQ) and not _is_same_person(part, left, right):
            sides = {
                _is_of(side, both, right): type_expression(side, both).sql for side in (node.this, node.expression)
            }
            if sides.keys() == {False, True}:
                found.append((sides[False], sides[True]))
    return found


def _is_of(side: exp.Expression, both: Rows, right: Rows) -> bool | None:
    """Whether an expression reads only the right relation, or only the left one; None where neither is true."""
    read = [both.column(column.name, column.table or None) for column in side.find_all(exp.Column)]
    places = {any(typed is own for own in right.columns.values()) for typed in read}
    return places.pop() if len(places) == 1 else None


def _both(left: Rows, right: Rows, ownership: Ownership) -> Rows:
    taken, more = ({alias for alias, _ in (*of.columns, *of.identifiers, *of.absent)} for of in (left, right))
    again = sorted(taken & more)
    if again:
        raise Refused(f"two tables called {again[0]}", "Their columns could not be told apart.", "an alias for each.")
    return Rows(
        *(_NO_ROWS, {**left.columns, **right.columns}, left.identifiers | right.identifiers, ownership),
        tables=left.tables | right.tables,
        chain=left.chain + right.chain,
        scans=left.scans + right.scans,
        looks=left.looks + right.looks,
        bounds=left.bounds + right.bounds,
        links={**left.links, **right.links},
        absent=left.absent | right.absent,
    )


def _after(both: Rows, right: Rows, kind: str) -> dict[tuple[str, str], Typed]:
    if kind == "JOIN":
        return dict(both.columns)
    return {
        key: replace(typed, nullable=True) if key in right.columns else typed for key, typed in both.columns.items()
    }


def _uncut(condition: exp.Expression, both: Rows, right: Rows) -> list[str]:
    """A further condition on the right side of an equality: a text that may have been cut matches nothing."""
    node = condition.unnest()
    for side in (node.this, node.expression) if isinstance(node, exp.EQ) else ():
        if _is_of(side, both, right):
            return uncut(type_expression(side, both))
    return []


def uncut(key: Typed) -> list[str]:
    """The condition that a text was not cut, by its number of octets."""
    is_whole = key.kind is not Kind.TEXT or key.keys is not None or key.longest < LONGEST
    return [] if is_whole else [f"strlen({key.sql}) < {LONGEST}"]


def _is_same_person(condition: exp.Expression, left: Rows, right: Rows) -> bool:
    """Whether the condition is only that both rows belong to the same person."""
    node = condition.unnest()
    sides = [side.unnest() for side in (node.this, node.expression)] if isinstance(node, exp.EQ) else []
    if len(sides) != 2 or not all(isinstance(side, exp.Column) for side in sides):
        return False
    first, second = ((side.name, side.table or None) for side in sides)
    return (left.is_identifier(*first) and right.is_identifier(*second)) or (
        right.is_identifier(*first) and left.is_identifier(*second)
    )


def _refuse_floats(condition: exp.Expression, both: Rows, alias: str, lookup: Lookup) -> None:
    """Refuse floats: several whole numbers have the same nearest double, so one float could match several rows."""
    if any(both.column(side.name, side.table or None).kind is Kind.FLOAT for side in condition.find_all(exp.Column)):
        raise Refused(
            f"a join to {lookup.name} by a floating-point number",
            "Whole numbers that differ may be equal to it, so a row could find several partners.",
            f"a sub-query with CAST(x AS BIGINT) AS key, and ON {alias}.{lookup.key} = key.",
        )


def _is_by_key(condition: exp.Expression, key: tuple[str, str], both: Rows, left: Rows) -> bool:
    """Whether the condition is exactly: the public key equals a column of the private rows."""
    node = condition.unnest()
    if not isinstance(node, exp.EQ):
        return False
    sides = [side.unnest() for side in (node.this, node.expression)]
    if not all(isinstance(side, exp.Column) for side in sides):
        return False
    found = [both.column(side.name, side.table or None) for side in sides]
    own = both.columns[key]
    others = [typed for typed in found if typed is not own]
    return len(others) == 1 and any(others[0] is typed for typed in left.columns.values())
