"""The grammar of a description file: which keys may stand where, and of which shape their values are.

Numbers and dates are taken as they come here (`object`); what they must be depends on the column, and is read there.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

SHAPES = ("list of keys", "keys of a lookup", "range of keys")


class Part(BaseModel):
    """A part of the file: keys it does not know are refused, and no value is bent into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class UnitFile(Part):
    """`unit` of the data set: whose rows are hidden together."""

    id: str | None = None
    row: Literal[True] | None = None
    hides: str
    relation: Literal["add/remove", "replace"] = "add/remove"


class BudgetFile(Part):
    """`budget`: everything that may ever be released of these data."""

    epsilon: object = None
    delta: object = None
    rho: object = None
    currency: Literal["zcdp", "sums"] | None = None


class DatasetFile(Part):
    """`[dataset]`: the name, the unit and the budget."""

    name: str
    unit: UnitFile
    budget: BudgetFile
    analysts: dict[str, object] = {}
    ledger: str | None = None
    spark: str | None = None


class KeyRange(Part):
    """`keys = { from = …, to = … }`: whole numbers or days, both ends included."""

    first: object = Field(alias="from")
    last: object = Field(alias="to")


class KeyLookup(Part):
    """`keys = { lookup = …, column = … }`: every value of a public table's column."""

    lookup: str
    column: str


def _shape(value: object) -> str | None:
    if isinstance(value, list):
        return SHAPES[0]
    if isinstance(value, dict):
        return SHAPES[1] if "lookup" in value else SHAPES[2]
    return None


Keys: TypeAlias = Annotated[
    Annotated[list[object], Tag(SHAPES[0])]
    | Annotated[KeyLookup, Tag(SHAPES[1])]
    | Annotated[KeyRange, Tag(SHAPES[2])],
    Discriminator(_shape),
]


class ColumnFile(Part):
    """A column: its type, and what is declared of its values."""

    type: Literal["int", "decimal", "money", "float", "text", "bool", "date", "timestamp"]
    low: object = Field(default=None, alias="min")
    high: object = Field(default=None, alias="max")
    nullable: bool = True
    scale: int | None = None
    keys: Keys | None = None


class OwnerFile(Part):
    """`unit` of a table: its own identifier column, or the foreign key through which its rows are owned."""

    id: str | None = None
    column: str | None = None
    table: str | None = None
    key: str | None = None


class LimitsFile(Part):
    """`limits`: how much of one person counts."""

    rows: object = None
    keys: object = None
    totals: dict[str, object] = {}


class SourceFile(Part):
    """Where rows are."""

    source: str
    table: str | None = None
    delimiter: str | None = None


class TableFile(SourceFile):
    """`[tables.…]`: private rows."""

    unit: OwnerFile | None = None
    limits: LimitsFile = LimitsFile()
    columns: dict[str, ColumnFile] = {}


class LookupFile(SourceFile):
    """`[lookups.…]`: a public table."""

    key: str
    columns: dict[str, ColumnFile]


class DescriptionFile(Part):
    """A whole file."""

    dataset: DatasetFile
    tables: dict[str, TableFile]
    lookups: dict[str, LookupFile] = {}
