"""Whose each row is: by a column of its own, by being a person of its own, or through a foreign key."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.schema.description import Column, EachRow, OwnColumn, Owner, Table, Through
from tacit.schema.file_models import OwnerFile
from tacit.schema.kind import Kind
from tacit.schema.names import check_name, folded, suggestion
from tacit.schema.problems import Problems

_FORMS = '{ id = "pid" }, or { column = "visit_id", table = "visits", key = "visit_id" }; or leave unit out.'


def read_owner(table: str, written: OwnerFile | None, identifier: str | None, problems: Problems) -> Owner:
    """The owner of a table's rows; `identifier` is the data set's own, None where each row is a person."""
    place = ("tables", table, "unit")
    if identifier is None:
        if written is not None:
            problems.add(place, "Each row is a person of its own in this data set.", "leave unit out here.")
        return EachRow()
    if written is None:
        return OwnColumn(identifier)
    for name in (written.id, written.column, written.key):
        if name is not None:
            problems.attempt(place, None, check_name, name)
    match written:
        case OwnerFile(id=str() as column, column=None, table=None, key=None):
            return OwnColumn(column)
        case OwnerFile(id=None, column=str() as column, table=str() as other, key=str() as key):
            return Through(column, other, key)
    problems.add(place, "It names neither one column nor a whole foreign key.", _FORMS)
    return OwnColumn(identifier)


def check_owners(tables: Mapping[str, Table], problems: Problems) -> None:
    """Notes foreign keys that lead nowhere or in a circle, and identifiers that would merge people."""
    for table in tables.values():
        if isinstance(table.owner, Through):
            _check_way(table.name, tables, problems)
    for table in tables.values():
        for name in identifiers(table, tables):
            for column in table.columns:
                if column != name and folded(column) == folded(name):
                    why = f"To SQL it is the same name as {name}, which says whose a row is."
                    problems.add(("tables", table.name, "columns", column), why, "the same spelling in both places.")
            if name in table.columns:
                _check_identifier(table.name, table.columns[name], problems)


def _check_way(table: str, tables: Mapping[str, Table], problems: Problems) -> None:
    """Follows the foreign keys of a table until they reach a table that knows its people."""
    passed = [table]
    while isinstance(owner := tables[passed[-1]].owner, Through):
        if owner.table not in tables:
            others = [name for name in tables if name != passed[-1]]
            place = ("tables", passed[-1], "unit", "table")
            problems.add(place, "There is no such private table.", suggestion(owner.table, others))
            return
        if owner.table in passed:
            problems.add(
                ("tables", table, "unit"),
                "Its foreign keys lead in a circle and reach nobody.",
                "a way that ends at a table with an identifier of its own.",
            )
            return
        passed.append(owner.table)


def identifiers(table: Table, tables: Mapping[str, Table]) -> list[str]:
    """The columns of a table that say whose its rows are, or whose other tables' rows are."""
    own = set() if isinstance(table.owner, EachRow) else {table.owner.column}
    owners = [other.owner for other in tables.values()]
    pointed = {owner.key for owner in owners if isinstance(owner, Through) and owner.table == table.name}
    return sorted(own | pointed)


def _check_identifier(table: str, column: Column, problems: Problems) -> None:
    place = ("tables", table, "columns", column.name)
    if column.low is not None or column.high is not None or column.keys is not None:
        problems.add(place, "It says whose a row is; bounds or keys would merge people.", "a type alone.")
    if not column.nullable:
        problems.add(
            (*place, "nullable"),
            "It says whose a row is; rows without a person are left out, and not given to anybody.",
            "leave nullable out.",
        )
    if column.kind not in (Kind.INTEGER, Kind.TEXT):
        problems.add((*place, "type"), f"A {column.kind} does not tell people apart safely.", "int or text.")
