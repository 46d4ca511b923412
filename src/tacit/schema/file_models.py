"""The grammar of a description file: which keys may stand where, and of which shape their values are.

Numbers and dates are taken as they come here (`object`); what they must be depends on the column, and is read there.
A key that has a default may be left out. `Annotated` says how the file spells a key that has another name here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class FileSection:
    """A part of the file: keys it does not know are refused, and no value is bent into another type."""

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)


class UnitFile(FileSection):
    """`unit` of the data set: whose rows are hidden together."""

    id: str | None = None
    row: Literal[True] | None = None
    hides: str
    relation: Literal["add/remove", "replace"] = "add/remove"


class BudgetFile(FileSection):
    """`budget`: everything that may ever be released of these data."""

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
    """A column: its type, and what is declared of its values."""

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
    """`limits`: how much of one person counts."""

    rows: object = None
    keys: object = None
    totals: Mapping[str, object] = _NONE


class SourceFile(FileSection):
    """Where rows are."""

    source: str
    table: str | None = None
    delimiter: str | None = None


class TableFile(SourceFile):
    """`[tables.…]`: private rows."""

    unit: OwnerFile | None = None
    limits: LimitsFile = LimitsFile()
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
