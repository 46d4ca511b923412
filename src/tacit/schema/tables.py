"""Tables of private rows, from what a file declares of them."""

from __future__ import annotations

from pathlib import Path

from tacit.schema.columns import KeysOf, read_columns
from tacit.schema.description import Source, Table, Unit
from tacit.schema.file_models import SourceFile, TableFile
from tacit.schema.limits import read_limits
from tacit.schema.names import check_name
from tacit.schema.owners import check_owners, read_owner
from tacit.schema.problems import Problems
from tacit.schema.sources import read_source


def read_tables(
    written: dict[str, TableFile], unit: Unit, folder: Path, keys_of: KeysOf, problems: Problems
) -> dict[str, Table]:
    """The private tables, each by its name, with every row's owner reachable."""
    if not written:
        problems.add(("tables",), "There is no table.", "at least one part [tables.NAME] with source and columns.")
    tables = {name: _table(name, table, unit, folder, keys_of, problems) for name, table in written.items()}
    check_owners(tables, problems)
    return tables


def _table(name: str, written: TableFile, unit: Unit, folder: Path, keys_of: KeysOf, problems: Problems) -> Table:
    place = ("tables", name)
    problems.attempt(place, None, check_name, name)
    columns = read_columns(written.columns, (*place, "columns"), keys_of, problems)
    owner = read_owner(name, written.unit, unit.identifier, problems)
    limits = read_limits(name, written.limits, columns, owner, problems)
    return Table(name, source_of(written, place, folder, problems), columns, owner, limits)


def source_of(written: SourceFile, place: tuple[str, ...], folder: Path, problems: Problems) -> Source:
    """The source of a table or a lookup."""
    nowhere = Source("parquet", Path(*place))
    return problems.attempt(
        (*place, "source"), nowhere, read_source, written.source, folder, written.table, written.delimiter
    )
