"""The grammar of a description file: its keys and the shapes of their values.

Numbers and dates are of any type here (`object`); they are checked later, since their type depends on the column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from tacit.schema.file_grammar import FileSection, Place, read_section
from tacit.schema.names import Problems

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class UnitFile(FileSection):
    """`unit` of the data set: whose rows are hidden together."""

    id: str | None = None
    row: Literal[True] | None = None
    hides: str
    relation: Literal["add/remove", "replace"] = "add/remove"


class BudgetFile(FileSection):
    """`budget`: the total privacy loss allowed for these data."""

    epsilon: object = None
    delta: object = None
    rho: object = None
    currency: Literal["zcdp", "sums"] | None = None


class DatasetFile(FileSection):
    """`[dataset]`: the name, the unit and the budget."""

    name: str
    unit: UnitFile
    budget: BudgetFile
    analysts: Mapping[str, object] = _NONE
    ledger: str | None = None
    spark: str | None = None
    floor: object = None
    breaker: object = None


class KeyRange(FileSection):
    """`keys = { from = …, to = … }`: whole numbers or days, both ends included."""

    first: Annotated[object, "from"]
    last: Annotated[object, "to"]


class KeyLookup(FileSection):
    """`keys = { lookup = …, column = … }`: every value of a public table's column."""

    lookup: str
    column: str


class ColumnFile(FileSection):
    """A column: its type, and the declared facts about its values."""

    type: Literal["int", "decimal", "money", "float", "text", "bool", "date", "timestamp"]
    low: Annotated[object, "min"] = None
    high: Annotated[object, "max"] = None
    nullable: bool = True
    scale: int | None = None
    keys: list[object] | KeyLookup | KeyRange | None = None


class OwnerFile(FileSection):
    """`unit` of a table: its own identifier column, or the foreign key through which its rows are owned."""

    id: str | None = None
    column: str | None = None
    table: str | None = None
    key: str | None = None


class LimitsFile(FileSection):
    """`limits`: how much of one unit counts."""

    rows: object = None
    keys: object = None
    totals: Mapping[str, object] = _NONE


class AtMostFile(FileSection):
    """`at_most`: the most that one unit can have."""

    rows: object = None
    totals: Mapping[str, object] = _NONE


class HierarchyFile(FileSection):
    """`hierarchies.…`: columns that are levels, and which members lie in which."""

    levels: list[str]
    members: object


class TotalFile(FileSection):
    """`[[….totals]]`: a public number of rows."""

    count: object
    keys: Mapping[str, object] = _NONE


class SourceFile(FileSection):
    """The source of the rows."""

    source: str
    table: str | None = None
    delimiter: str | None = None


class TableFile(SourceFile):
    """`[tables.…]`: private rows."""

    unit: OwnerFile | None = None
    limits: LimitsFile = LimitsFile()
    at_most: AtMostFile = AtMostFile()
    hierarchies: Mapping[str, HierarchyFile] = _NONE
    impossible: Sequence[Mapping[str, object]] = ()
    totals: Sequence[TotalFile] = ()
    columns: Mapping[str, ColumnFile] = _NONE


class LookupFile(SourceFile):
    """`[lookups.…]`: a public table."""

    key: str
    columns: Mapping[str, ColumnFile]


class DescriptionFile(FileSection):
    """A whole file."""

    dataset: DatasetFile
    tables: Mapping[str, TableFile]
    lookups: Mapping[str, LookupFile] = _NONE


CURES: Final[Mapping[Place, str]] = {
    ("dataset",): "a part [dataset] with name, unit and budget.",
    ("dataset", "name"): 'name = "clinic", for instance.',
    (
        "dataset",
        "unit",
    ): 'unit = { id = "patient_id", hides = "one patient, all visits" }.',
    ("dataset", "unit", "hides"): 'in words what is hidden: hides = "one patient, all visits".',
    (
        "dataset",
        "budget",
    ): "budget = { epsilon = 1, delta = 1e-7 }, { epsilon = 1 } or { rho = 0.1 }, as you choose.",
    ("tables",): "a part [tables.NAME] with source and columns, for each table.",
    ("source",): 'source = "visits.parquet", or a .csv or .duckdb file; or "frame", for a data frame.',
    ("columns",): 'a part [tables.NAME.columns] with a line such as  age = { type = "int", min = 0, max = 110 }.',
    ("key",): "the column of the public table that tells its rows apart.",
    ("keys",): '["north", "south"], { from = 2015, to = 2024 } or { lookup = "wards", column = "ward" }.',
    ("levels",): 'levels = ["region", "ward"], the coarsest first.',
    ("members",): 'members = { north = ["w1", "w2"], south = ["w3"] }.',
    ("count",): 'count = 12345, beside keys = { region = "north" }.',
    ("from",): "both ends: { from = 2015, to = 2024 }.",
    ("to",): "both ends: { from = 2015, to = 2024 }.",
    ("type",): "one of int, decimal, money, float, text, bool, date, timestamp.",
}


def read_file(written: object, problems: Problems) -> DescriptionFile:
    """The file read by its grammar; it is complete if no problem was noted."""
    return read_section(DescriptionFile, written, problems, CURES)
