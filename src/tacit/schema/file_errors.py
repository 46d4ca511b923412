"""What does not fit the grammar of a description file, in words a steward can act on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tacit.schema.names import suggestion

Words = tuple[str, str]
"""Why a value is not taken, and what would be."""

CURES: Final = {
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
NOT_TEXT: Final = ("It is not text.", "text between quotation marks.")
NOT_TRUTH: Final = ("It is neither true nor false.", "true or false.")
NOT_WHOLE: Final = ("It is not a whole number.", "a whole number.")
NOT_NAMES: Final = ("It is not a table of names.", "a table: { name = … }.")
NOT_A_PART: Final = ("It is not a table of keys.", "a table: { key = value, … }.")
NO_KEYS: Final = (
    "It is no form of keys.",
    '["north", "south"], { from = 2015, to = 2024 } or { lookup = "wards", column = "ward" }.',
)


def missing(place: tuple[str, ...]) -> Words:
    """A key that must be there is not."""
    return "It is missing.", CURES.get(place) or CURES.get(place[-1:]) or "a value for this key."


def unknown(key: str, known: Iterable[str]) -> Words:
    """A key is there that means nothing."""
    return "There is no such key here.", suggestion(key, known)


def no_such_word(known: Iterable[object]) -> Words:
    """A value is none of the words that may stand there."""
    *most, last = map(repr, known)
    expected = f"{', '.join(most)} or {last}" if most else last
    return "It is not one of the words known here.", f"{expected}."
