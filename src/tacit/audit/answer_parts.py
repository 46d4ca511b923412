"""The parts of an answer: the items of a container, the fields and attributes of an object."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from enum import Enum
from itertools import islice
from numbers import Number
from typing import Any, TypeAlias

import numpy as np

Step: TypeAlias = Hashable
"""A place in a list (a number), a name, or None for the members of a set."""

_WHOLE = (int, float, str, bytes, Number, date, time, timedelta, Enum, type(None), type(Ellipsis))


def is_whole(answer: Any) -> bool:
    """Whether it has no parts, so that two of them are compared by their values."""
    return isinstance(answer, _WHOLE)


def parts_inside(answer: Any, most: int) -> Iterator[tuple[str, Step, Any]]:
    """The parts, at most this many, each with the kind of its step (place, key, value, member or attribute)."""
    if is_whole(answer):
        return
    if isinstance(answer, Mapping):
        for name, value in islice(answer.items(), most):
            yield "key", None, name
            yield "value", name, value
    elif isinstance(answer, (set, frozenset)):
        yield from (("member", None, value) for value in islice(answer, most))
    elif isinstance(answer, (list, tuple, Collection)) or (isinstance(answer, np.ndarray) and answer.ndim):
        yield from (("place", place, value) for place, value in enumerate(islice(answer, most)))
    else:
        yield from (("attribute", name, value) for name, value in islice(attributes_of(answer), most))


def attributes_of(answer: Any) -> Iterator[tuple[str, Any]]:
    """Fields, instance attributes and slots of an object, in a fixed order; none of a class or a function."""
    if isinstance(answer, type) or callable(answer):
        return
    names = [each.name for each in fields(answer)] if is_dataclass(answer) else []
    names += list(getattr(answer, "__dict__", ()))
    for kind in type(answer).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    for name in dict.fromkeys(names):
        try:
            value = getattr(answer, name)
        except Exception:  # raised by the audited code: an empty slot, or a property that fails, has no value
            continue
        yield name, value


def text_of(answer: Any) -> str | None:
    """The text of an object of an unknown kind.

    Empty where that contains its address, which differs between answers.
    """
    try:
        text = str(answer)
    except Exception:  # raised by the audited code: an answer that cannot be printed is searched by its parts
        return None
    return None if " at 0x" in text else text


def is_compared_by_identity(answer: Any) -> bool:
    """Whether equality means identity, so that no other answer ever equals it."""
    return next(kind for kind in type(answer).__mro__ if "__eq__" in vars(kind)) is object
