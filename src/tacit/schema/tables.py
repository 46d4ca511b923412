"""Tables of private rows, from what a file declares of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tacit.frozen import frozen
from tacit.schema.columns import KeysOf, read_columns
from tacit.schema.description import Source, Table, Unit
from tacit.schema.file_models import SourceFile, TableFile
from tacit.schema.limits import read_limits
from tacit.schema.names import check_name
from tacit.schema.owners import check_owners, read_owner
from tacit.schema.problems import Problems
from tacit.schema.sources import FRAME, read_frame_source, read_source
from tacit.schema.spark_source import SPARK, read_by_spark, read_catalogue_source


@frozen
class Place:
    """Where a description stands: paths are seen from its folder, data frames are known by its data set's name."""

    folder: Path
    dataset: str
    spark: str | None = None  # the cluster that reads the tables, if one does


def read_tables(
    written: Mapping[str, TableFile], unit: Unit, place: Place, keys_of: KeysOf, problems: Problems
) -> dict[str, Table]:
    """The private tables, each by its name, with every row's owner reachable."""
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
    return Table(name, source_of(written, part, place, problems), columns, owner, limits)


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
