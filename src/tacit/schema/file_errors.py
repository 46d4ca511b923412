"""What does not fit the grammar of a description file, in words a steward can act on."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tacit.schema.file_models import (
    SHAPES,
    BudgetFile,
    ColumnFile,
    DatasetFile,
    DescriptionFile,
    KeyLookup,
    KeyRange,
    LimitsFile,
    LookupFile,
    OwnerFile,
    Part,
    TableFile,
    UnitFile,
)
from tacit.schema.names import suggestion
from tacit.schema.problems import Problems

CURES = {
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
    ("from",): "both ends: { from = 2015, to = 2024 }.",
    ("to",): "both ends: { from = 2015, to = 2024 }.",
    ("type",): "one of int, decimal, money, float, text, bool, date, timestamp.",
}
PARTS: dict[tuple[str, ...], tuple[type[Part], ...]] = {
    (): (DescriptionFile,),
    ("dataset",): (DatasetFile,),
    ("dataset", "unit"): (UnitFile,),
    ("dataset", "budget"): (BudgetFile,),
    ("tables", "*"): (TableFile,),
    ("tables", "*", "unit"): (OwnerFile,),
    ("tables", "*", "limits"): (LimitsFile,),
    ("tables", "*", "columns", "*"): (ColumnFile,),
    ("tables", "*", "columns", "*", "keys"): (KeyLookup, KeyRange),
    ("lookups", "*"): (LookupFile,),
    ("lookups", "*", "columns", "*"): (ColumnFile,),
    ("lookups", "*", "columns", "*", "keys"): (KeyLookup, KeyRange),
}
_WANTED = {
    "string_type": ("It is not text.", "text between quotation marks."),
    "bool_type": ("It is neither true nor false.", "true or false."),
    "int_type": ("It is not a whole number.", "a whole number."),
    "dict_type": ("It is not a table of names.", "a table: { name = … }."),
    "model_type": ("It is not a table of keys.", "a table: { key = value, … }."),
    "union_tag_not_found": (
        "It is no form of keys.",
        '["north", "south"], { from = 2015, to = 2024 } or { lookup = "wards", column = "ward" }.',
    ),
}


def note_errors(error: ValidationError, problems: Problems) -> None:
    """Adds each thing that pydantic found to the problems."""
    for found in error.errors(include_url=False, include_input=False):
        place = _place(found["loc"])
        why, cure = _words(found["type"], place, found.get("ctx", {}))
        problems.add(place, why, cure)


def _place(found: tuple[int | str, ...]) -> tuple[str, ...]:
    """Where the error is in the file: pydantic also names which form of keys it tried."""
    steps = [str(step) for step in found]
    if steps[2:5:2] == ["columns", "keys"] and steps[5:6] and steps[5] in SHAPES:
        del steps[5]
    return tuple(steps)


def _words(kind: str, place: tuple[str, ...], context: dict[str, Any]) -> tuple[str, str]:
    if kind == "missing":
        return "It is missing.", CURES.get(place) or CURES.get(place[-1:]) or "a value for this key."
    if kind == "extra_forbidden":
        return "There is no such key here.", suggestion(place[-1], _keys_beside(place))
    if kind == "literal_error":
        return "It is not one of the words known here.", f"{context['expected']}."
    return _WANTED.get(kind, ("It is not of the form that belongs here.", "what the guide shows for this key."))


def _keys_beside(place: tuple[str, ...]) -> list[str]:
    """The keys that the grammar knows in the part where this place is."""
    steps = list(place[:-1])
    if steps and steps[0] in ("tables", "lookups"):
        steps[1:2] = ["*"]
        if steps[2:3] == ["columns"]:
            steps[3:4] = ["*"]
    parts = PARTS[tuple(steps)]
    return [field.alias or name for part in parts for name, field in part.model_fields.items()]
