"""All rows of a described table, with every column as declared and the owner of each row."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from tacit.errors import Refused
from tacit.query.sql.rows import UNIT, Ownership, Rows, Select, SelectItem, in_type, key_type, quoted, unit_type
from tacit.query.sql.values.column_reader import read_column
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import EachRow, Lookup, OwnColumn, Table, Through


def scan(table: Table, alias: str, catalogue: Catalogue) -> Rows:
    """The table's rows; rows without an owner are excluded.

    A row owned through a foreign key goes to the owner of the row it points to. If it points to several (the key is
    declared unique but may not be), there is one row for each, which depends on one person.
    """
    reads = reading(table, alias, catalogue)
    is_each = isinstance(table.owner, EachRow)
    names = [SelectItem(f"{quoted(key[1])} AS {output_name(key)}", output_name(key)) for key in reads]
    listed = (names if is_each else [SelectItem(UNIT), *names]) or [SelectItem('"__row"')]
    select = Select(tuple(listed), (_read_rows(table, reads, catalogue), ' AS "__read"'))
    ownership = Ownership.EACH if is_each else Ownership.MANY
    identifiers = _identifiers(table, alias, catalogue)
    known = (select, visible(reads), identifiers, ownership, frozenset({table.name}), table.name)
    return Rows(*known, links=_links(table, alias, catalogue))


def public_rows(lookup: Lookup, alias: str, catalogue: Catalogue) -> Rows:
    """All rows of a public table: they belong to no one, and no private table is read."""
    reads = reading(lookup, alias, catalogue)
    listed = [SelectItem(f"{typed.sql} AS {output_name(key)}", output_name(key)) for key, typed in reads.items()]
    select = Select(tuple(listed), (quoted(lookup.name),))
    return Rows(select, visible(reads), frozenset(), Ownership.EACH, frozenset(), scans=0)


def read_rows(table: Table, catalogue: Catalogue) -> Select:
    """The same rows for any alias of the table: "__unit" and the columns under their own names."""
    return _read_rows(table, reading(table, table.name, catalogue), catalogue)


def _read_rows(table: Table, reads: Mapping[tuple[str, str], Typed], catalogue: Catalogue) -> Select:
    place = quoted(table.name)
    columns = [SelectItem(f"{typed.sql} AS {quoted(name)}", quoted(name)) for (_, name), typed in reads.items()]
    if isinstance(table.owner, EachRow):
        return Select(tuple(columns), (place,))
    if isinstance(table.owner, OwnColumn):
        unit = _unit(table, table.owner, catalogue)
        return Select((SelectItem(f"{unit} AS {UNIT}"), *columns), (f"{place} WHERE {unit} IS NOT NULL",))
    link = f'{_link(table, table.owner, catalogue)[0]} = "__owner"."__key"'
    unit = f'"__owner"."__unit" AS {UNIT}'
    parents = owners(table, catalogue)
    return Select((SelectItem(unit), *columns), (f'{place} JOIN ({parents}) AS "__owner" ON {link}',))


def owners(table: Table, catalogue: Catalogue) -> str:
    """SQL for the pairs ("__key", "__unit") of the table through which this one's rows are owned."""
    owner = table.owner
    if not isinstance(owner, Through):
        raise TypeError("rows that own themselves have no parents")
    parent, key = catalogue.table(owner.table), _link(table, owner, catalogue)[1]
    if isinstance(parent, Lookup):
        raise TypeError("a public table owns no rows")
    place, found = quoted(parent.name), f'SELECT DISTINCT {key} AS "__key"'
    if isinstance(parent.owner, OwnColumn):
        unit = _unit(parent, parent.owner, catalogue)
        return f"{found}, {unit} AS {UNIT} FROM {place} WHERE {unit} IS NOT NULL AND {key} IS NOT NULL"
    if isinstance(parent.owner, EachRow):
        raise TypeError("rows that are people of their own carry no person to other tables")
    link = f'{_link(parent, parent.owner, catalogue)[0]} = "__owner"."__key"'
    above = owners(parent, catalogue)
    return (
        f'{found}, "__owner"."__unit" AS {UNIT} FROM {place} '
        f'JOIN ({above}) AS "__owner" ON {link} WHERE {key} IS NOT NULL'
    )


def _unit(table: Table, owner: OwnColumn, catalogue: Catalogue) -> str:
    """The owner of a row of the table."""
    return _in_type(table.name, owner.column, unit_type(catalogue), catalogue)


def _link(table: Table, owner: Through, catalogue: Catalogue) -> tuple[str, str]:
    """A table's foreign key, and the key that it is compared with."""
    common = key_type(table.name, owner, catalogue)
    ends = ((table.name, owner.column), (owner.table, owner.key))
    own, other = (_in_type(*end, common, catalogue) for end in ends)
    return own, other


def _in_type(table: str, column: str, common: str, catalogue: Catalogue) -> str:
    return in_type(f"{quoted(table)}.{quoted(column)}", catalogue.physical_type(table, column), common)


def reading(table: Table | Lookup, alias: str, catalogue: Catalogue) -> Mapping[tuple[str, str], Typed]:
    """Each declared column but the person's, read from the physical table."""
    place = quoted(table.name)
    person = table.owner.column if isinstance(table, Table) and isinstance(table.owner, OwnColumn) else None
    return {
        (alias.lower(), name.lower()): read_column(
            column, f"{place}.{quoted(column.name)}", catalogue.physical_type(table.name, column.name)
        )
        for name, column in table.columns.items()
        if person is None or name.lower() != person.lower()
    }


def visible(reads: Mapping[tuple[str, str], Typed]) -> Mapping[tuple[str, str], Typed]:
    """The same columns, by their names after reading."""
    return {key: replace(typed, sql=output_name(key)) for key, typed in reads.items()}


def output_name(key: tuple[str, str]) -> str:
    """The name of a column in the SQL of a relation."""
    return quoted(f"{key[0]}.{key[1]}")


def once_named(alias: str, name: str, *taken: Container[tuple[str, str]]) -> tuple[str, str]:
    """The key of a sub-query's column, refused if another has it, because their bounds could be confused."""
    key = (alias.lower(), name.lower())
    if any(key in names for names in taken):
        raise Refused(f"two columns called {name}", "The outer query could not tell them apart.", "… AS another_name.")
    return key


def _links(table: Table, alias: str, catalogue: Catalogue) -> dict[tuple[str, str], frozenset[tuple[str, str]]]:
    """The table's foreign key to its owners, and the keys by which it owns other tables' rows."""
    found: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
    for child in catalogue.description.tables.values():
        owner = child.owner
        if isinstance(owner, Through):
            ends = ((child.name, owner.column), (owner.table, owner.key))
            for column in (column for name, column in ends if name.lower() == table.name.lower()):
                own = (alias.lower(), column.lower())
                found[own] = found.get(own, frozenset()) | {(owner.table.lower(), owner.key.lower())}
    return found


def _identifiers(table: Table, alias: str, catalogue: Catalogue) -> frozenset[tuple[str, str]]:
    name = table.owner.column if isinstance(table.owner, OwnColumn) else catalogue.description.unit.identifier
    return frozenset() if name is None else frozenset({(alias.lower(), name.lower())})
