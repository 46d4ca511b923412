"""A description file held against its grammar: whatever does not fit is noted, each at its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from tacit.schema import file_errors
from tacit.schema.file_models import DescriptionFile, Part
from tacit.schema.problems import Problems

Place: TypeAlias = tuple[str, ...]
_PLAIN: Final = {str: file_errors.NOT_TEXT, bool: file_errors.NOT_TRUTH, int: file_errors.NOT_WHOLE}


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
            problems.add((*place, key), *file_errors.missing((*place, key)))
    for key in written:
        if key not in keys:
            problems.add((*place, key), *file_errors.unknown(key, known or keys))
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
    if isinstance(shape, type) and issubclass(shape, Part) and isinstance(written, dict):
        return shape(**_values(shape, written, place, problems))
    if kind is Literal:
        if not any(type(written) is type(word) and written == word for word in forms):
            problems.add(place, *file_errors.no_such_word(forms))
    elif shape in _PLAIN:
        if type(written) is not shape:
            problems.add(place, *_PLAIN[shape])
    elif shape is not object:
        problems.add(place, *(file_errors.NOT_NAMES if kind is Mapping else file_errors.NOT_A_PART))
    return written


def _keys(forms: list[Any], written: object, place: Place, problems: Problems) -> object:
    """Public keys: a list, or else the part whose first key is there."""
    if isinstance(written, dict):
        keys = {part: list(_keys_of(part)) for part in forms[1:]}
        meant = next((part for part, own in keys.items() if own[0] in written), forms[-1])
        return meant(**_values(meant, written, place, problems, [key for own in keys.values() for key in own]))
    if not isinstance(written, list):
        problems.add(place, *file_errors.NO_KEYS)
    return written
