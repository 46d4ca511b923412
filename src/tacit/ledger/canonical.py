"""JSON with one spelling for each value, so that a hash of the text is a hash of the value."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn


def write(value: object) -> str:
    """The one spelling: sorted keys, no spaces, ASCII, no floats that JSON cannot say."""
    return _WRITER.encode(value)


def read(text: str) -> dict[str, Any]:
    """The object that the text spells; ValueError for floats, and for what is no object."""
    value = _READER.decode(text)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _refuse_number(text: str) -> NoReturn:
    raise ValueError("amounts are exact fractions")


_WRITER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
_READER: Final = json.JSONDecoder(parse_float=_refuse_number, parse_constant=_refuse_number)
