"""Tables of private rows as a file declares them: source, owner of each row, contribution limits.

A row belongs to a unit by a column of its own, by being a unit of its own, or through a foreign key. Contribution
limits say how much of one unit counts, where the steward sets them, and `at_most` how much one can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from tacit.errors import Refused
from tacit.exact import positive
from tacit.frozen import frozen
from tacit.schema.columns import KeysOf, read_columns
from tacit.schema.description import AtMost, Column, EachRow, Limits, OwnColumn, Owner, Source, Table, Through, Unit
from tacit.schema.file_models import AtMostFile, LimitsFile, OwnerFile, SourceFile, TableFile
from tacit.schema.kind import Kind
from tacit.schema.names import Problems, check_name, folded, number_from, suggestion, whole_from
from tacit.schema.public_facts import check_facts, read_hierarchies, read_impossible, read_totals
from tacit.schema.sources import FRAME, SPARK, read_by_spark, read_catalogue_source, read_frame_source, read_source

_MOST = 2**62  # the largest limit on rows or keys of one unit


def read_limits(
    table: str, written: LimitsFile, columns: Mapping[str, Column], owner: Owner, problems: Problems
) -> Limits:
    """The limits of a table: whole numbers of rows and of keys, and a largest total for numeric columns."""
    place = ("tables", table, "limits")
    rows = _count(written.rows, (*place, "rows"), owner, problems)
    keys = _count(written.keys, (*place, "keys"), owner, problems)
    return Limits(rows, keys, _totals(written.totals, place, columns, problems))


def read_at_most(
    table: str, written: AtMostFile, columns: Mapping[str, Column], owner: Owner, limits: Limits, problems: Problems
) -> AtMost:
    """The most that one unit can have; a limit above it is noted as a problem of the limit."""
    place = ("tables", table, "at_most")
    rows = _count(written.rows, (*place, "rows"), owner, problems)
    at_most = AtMost(rows, _totals(written.totals, place, columns, problems))
    above, cure = (
        "It is more than at_most says that one person can have.",
        "at most what at_most says; or leave it out.",
    )
    if rows is not None and limits.rows is not None and limits.rows > rows:
        problems.add(("tables", table, "limits", "rows"), above, cure)
    for name, most in at_most.totals.items():
        if limits.totals.get(name, most) > most:
            problems.add(("tables", table, "limits", "totals", name), above, cure)
    return at_most


def _totals(
    written: Mapping[str, object], place: tuple[str, ...], columns: Mapping[str, Column], problems: Problems
) -> dict[str, Fraction]:
    return {
        name: problems.attempt((*place, "totals", name), Fraction(1), _total, name, value, columns)
        for name, value in written.items()
    }


def _count(value: object, place: tuple[str, ...], owner: Owner, problems: Problems) -> int | None:
    if value is None:
        return None
    count = problems.attempt(place, 1, whole_from, value, place[-1], 1)
    if count > _MOST:
        problems.add(place, "It is more than can be counted.", "at most 2^62, or leave it out.")
    if isinstance(owner, EachRow) and count != 1:
        problems.add(place, "Each row is a person of its own, so one row is all there is.", "1, or leave it out.")
    return count


def _total(name: str, value: object, columns: Mapping[str, Column]) -> Fraction:
    if name not in columns:
        raise Refused(name, "There is no such column.", suggestion(name, columns))
    if not columns[name].kind.is_number:
        raise Refused(name, "Its values cannot be added up.", "a total of an int, decimal, money or float column.")
    return positive(number_from(value, name), name)


_FORMS = '{ id = "pid" }, or { column = "visit_id", table = "visits", key = "visit_id" }; or leave unit out.'


def read_owner(table: str, written: OwnerFile | None, identifier: str | None, problems: Problems) -> Owner:
    """The owner of a table's rows; `identifier` is the data set's own, None where each row is a unit."""
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
    """Note foreign keys that lead nowhere or in a circle, and identifiers that would merge units."""
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
    """Follow the foreign keys of a table until they reach a table with an identifier."""
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
    """The columns of a table that determine the owners of its rows, or of other tables' rows."""
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


@frozen
class Place:
    """The place of a description: paths are relative to its folder, and data frames belong to its data set's name."""

    folder: Path
    dataset: str
    spark: str | None = None  # the cluster that reads the tables, if one does


def read_tables(
    written: Mapping[str, TableFile], unit: Unit, place: Place, keys_of: KeysOf, problems: Problems
) -> dict[str, Table]:
    """The private tables by name; the owner of every row is reachable."""
    if not written:
        problems.add(("tables",), "There is no table.", "at least one part [tables.NAME] with source and columns.")
    tables = {name: _table(name, table, unit, place, keys_of, problems) for name, table in written.items()}
    check_owners(tables, problems)
    return tables


def _table(name: str, written: TableFile, unit: Unit, place: Place, keys_of: KeysOf, problems: Problems) -> Table:
    part = ("tables", name)
    problems.attempt(part, None, check_name, name)
    columns = read_columns(written.columns, (*part, "columns"), keys_of, problems)
    owner = read_owner(name, written.unit, unit.identifier, problems)
    limits = read_limits(name, written.limits, columns, owner, problems)
    at_most = read_at_most(name, written.at_most, columns, owner, limits, problems)
    hierarchies = read_hierarchies(name, written.hierarchies, columns, problems)
    impossible = read_impossible(name, written.impossible, columns, problems)
    totals = read_totals(name, written.totals, columns, problems)
    check_facts(name, columns, hierarchies, impossible, totals, problems)
    source = source_of(written, part, place, problems)
    return Table(name, source, columns, owner, limits, at_most, hierarchies, impossible, totals)


def source_of(written: SourceFile, part: tuple[str, str], place: Place, problems: Problems) -> Source:
    """The source of a table or a lookup."""
    nowhere, key, more = Source("parquet", Path(*part)), (*part, "source"), (written.table, written.delimiter)
    if written.source == SPARK:
        return problems.attempt(key, nowhere, read_catalogue_source, place.spark, *more)
    if written.source == FRAME:
        source = problems.attempt(key, nowhere, read_frame_source, place.dataset, part[1], *more)
    else:
        source = problems.attempt(key, nowhere, read_source, written.source, place.folder, *more)
    return source if place.spark is None else problems.attempt(key, nowhere, read_by_spark, source, place.spark)
