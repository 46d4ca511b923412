"""The grammar check of a description file: what does not fit is noted at its place, with a cure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from tacit.schema.file_models import DescriptionFile, FileSection
from tacit.schema.names import suggestion
from tacit.schema.problems import Problems

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


Place: TypeAlias = tuple[str, ...]
_PLAIN: Final = {str: NOT_TEXT, bool: NOT_TRUTH, int: NOT_WHOLE}


def read_file(written: Mapping[str, object], problems: Problems) -> DescriptionFile:
    """The file by its grammar; it is whole if no problem was noted."""
    return DescriptionFile(**_values(DescriptionFile, written, (), problems))


def _values(
    part: Any, written: Mapping[str, object], place: Place, problems: Problems, known: Iterable[str] = ()
) -> dict[str, object]:
    """What is written of a part, by the names that its values have here."""
    keys, values = _keys_of(part), {}
    for key, (name, shape) in keys.items():
        if key in written:
            values[name] = _value(shape, written[key], (*place, key), problems)
        elif not hasattr(part, name):
            problems.add((*place, key), *missing((*place, key)))
    for key in written:
        if key not in keys:
            problems.add((*place, key), *unknown(key, known or keys))
    return values


@cache
def _keys_of(part: Any) -> Mapping[str, tuple[str, Any]]:
    """Every key that a part may have, as the file spells it: its name here, and the shape of its value."""
    keys = {}
    for name, shape in get_type_hints(part, include_extras=True).items():
        plain, key = get_args(shape) if get_origin(shape) is Annotated else (shape, name)
        keys[key] = (name, plain)
    return keys


def _value(shape: Any, written: object, place: Place, problems: Problems) -> object:
    """The value; a problem is noted if it has not the shape."""
    kind, forms = get_origin(shape), [form for form in get_args(shape) if form is not NoneType]
    if kind in (Union, UnionType):
        return _value(forms[0], written, place, problems) if len(forms) == 1 else _keys(forms, written, place, problems)
    if kind is Mapping and isinstance(written, dict):
        return {name: _value(forms[1], each, (*place, name), problems) for name, each in written.items()}
    if isinstance(shape, type) and issubclass(shape, FileSection) and isinstance(written, dict):
        return shape(**_values(shape, written, place, problems))
    if kind is Literal:
        if not any(type(written) is type(word) and written == word for word in forms):
            problems.add(place, *no_such_word(forms))
    elif shape in _PLAIN:
        if type(written) is not shape:
            problems.add(place, *_PLAIN[shape])
    elif shape is not object:
        problems.add(place, *(NOT_NAMES if kind is Mapping else NOT_A_PART))
    return written


def _keys(forms: list[Any], written: object, place: Place, problems: Problems) -> object:
    """Public keys: a list, or else the part whose first key is there."""
    if isinstance(written, dict):
        keys = {part: list(_keys_of(part)) for part in forms[1:]}
        meant = next((part for part, own in keys.items() if own[0] in written), forms[-1])
        return meant(**_values(meant, written, place, problems, [key for own in keys.values() for key in own]))
    if not isinstance(written, list):
        problems.add(place, *NO_KEYS)
    return written
