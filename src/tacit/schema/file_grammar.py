"""The grammar of input files: annotated classes declare the keys, and `read_section` checks a file against them.

Every problem is noted at its place, with a correction.

A key that has a default may be left out. `Annotated` gives the key in the file where it differs from the attribute, and
rules for the value beside its type. `object` accepts any value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NoReturn, TypeAlias, TypeVar, Union, get_args, get_origin
from typing import get_type_hints as hints_of

from tacit.frozen import frozen
from tacit.schema.names import Problems, suggestion

Words: TypeAlias = tuple[str, str]
"""The reason for a refusal, and what is accepted."""

Place: TypeAlias = tuple[str, ...]
_PLAIN: Final[Mapping[Any, Words]] = {
    str: ("It is not text.", "text between quotation marks."),
    bool: ("It is neither true nor false.", "true or false."),
    int: ("It is not a whole number.", "a whole number."),
}
_NOT_NAMES: Final = ("It is not a table of names.", "a table: { name = … }.")
_NOT_A_PART: Final = ("It is not a table of keys.", "a table: { key = value, … }.")
_NOT_A_LIST: Final = ("It is not a list.", "a list in square brackets.")


class FileSection:
    """A section of a file. Values are never converted and are immutable."""

    leaves_others = False  # whether unknown keys are ignored; otherwise they are refused

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def fault(self) -> Words | None:
        """The problem with the combination of its values, where each value alone is valid."""
        return None

    def written(self) -> dict[str, Any]:
        """Its values under their keys in the file, in the order of the grammar."""
        section: Any = type(self)
        return {key: _written(getattr(self, name)) for key, (name, _) in _keys_of(section).items()}


@frozen
class ValueRule:
    """A further rule for a value of the right type: the test, the reason for a refusal, and what is accepted."""

    holds: Callable[[Any], bool]
    why: str
    cure: str


S = TypeVar("S", bound=FileSection)


def read_section(
    section: type[S], written: object, problems: Problems, cures: Mapping[Place, str], *, first: int = 1
) -> S:
    """The section as written; it is complete if no problem was noted.

    `cures` say what is accepted at a place, or for a key at any place. `first` is the number of a list's first item.
    """
    if not isinstance(written, dict):
        problems.add((), *_NOT_A_PART)
        return section()
    read: S = _Reader(problems, cures, first).section(section, written, ())
    return read


@frozen(eq=False)
class _Reader:
    problems: Problems
    cures: Mapping[Place, str]
    first: int

    def section(self, section: Any, written: Mapping[str, object], place: Place, known: Iterable[str] = ()) -> Any:
        """The values written in a section, by their attribute names."""
        before, keys, values = len(self.problems.found), _keys_of(section), {}
        for key, (name, shape) in keys.items():
            if key in written:
                values[name] = self._value(shape, written[key], (*place, key))
            elif not hasattr(section, name):
                self._miss((*place, key))
        for key in written:
            if key not in keys and not section.leaves_others:
                self.problems.add((*place, key), "There is no such key here.", suggestion(key, known or keys))
        read = section(**values)
        fault = read.fault() if len(self.problems.found) == before else None
        if fault is not None:
            self.problems.add(place, *fault)
        return read

    def _value(self, shape: Any, written: object, place: Place) -> object:
        """The value; a problem is noted if it does not have the shape."""
        kind, forms = get_origin(shape), [form for form in get_args(shape) if form is not NoneType]
        if kind is Annotated:
            return self._ruled(forms[0], written, place, [rule for rule in forms[1:] if isinstance(rule, ValueRule)])
        if kind in (Union, UnionType):
            if written is None and NoneType in get_args(shape):
                return None
            return self._value(forms[0], written, place) if len(forms) == 1 else self._form(forms, written, place)
        if kind is Mapping and isinstance(written, dict):
            return {name: self._value(forms[1], each, (*place, name)) for name, each in written.items()}
        if kind in (list, Sequence) and isinstance(written, list):
            return [self._value(forms[0], each, (*place, str(n))) for n, each in enumerate(written, self.first)]
        if _is_section(shape) and isinstance(written, dict):
            return self.section(shape, written, place)
        if kind is Literal:
            self._check_word(forms, written, place)
        elif shape in _PLAIN:
            if type(written) is not shape:
                self.problems.add(place, *_PLAIN[shape])
        elif shape is not object:
            words = {Mapping: _NOT_NAMES, list: _NOT_A_LIST, Sequence: _NOT_A_LIST}
            self.problems.add(place, *words.get(kind, _NOT_A_PART))
        return written

    def _ruled(self, shape: Any, written: object, place: Place, rules: Sequence[ValueRule]) -> object:
        """The value; if it has the shape, its rules are checked."""
        before = len(self.problems.found)
        value = self._value(shape, written, place)
        for rule in rules:
            if len(self.problems.found) == before and not rule.holds(value):
                self.problems.add(place, rule.why, rule.cure)
        return value

    def _form(self, forms: Sequence[Any], written: object, place: Place) -> object:
        """A value of one of several forms: a list, or one of several sections.

        The section is the one whose first key is present; where all have the same first key, the one that accepts its
        word.
        """
        keys = {form: _keys_of(form) for form in forms if _is_section(form)}
        firsts = {form: next(iter(own)) for form, own in keys.items()}
        if isinstance(written, dict) and len({*firsts.values()}) == 1:
            tag = next(iter(firsts.values()))
            words = {word: form for form, own in keys.items() for word in get_args(own[tag][1])}
            if tag not in written:
                self._miss((*place, tag))
            elif self._check_word(words, written[tag], (*place, tag)):
                return self.section(words[written[tag]], written, place)
        elif isinstance(written, dict):
            meant = next((form for form, first in firsts.items() if first in written), forms[-1])
            return self.section(meant, written, place, [key for own in keys.values() for key in own])
        elif not (isinstance(written, list) and any(get_origin(form) is list for form in forms)):
            self.problems.add(place, f"It is no form of {place[-1]}.", self._cure(place))
        return written

    def _check_word(self, known: Iterable[object], written: object, place: Place) -> bool:
        """Whether a value is one of the accepted words; if not, a problem is noted."""
        if any(type(written) is type(word) and written == word for word in known):
            return True
        *most, last = map(repr, known)
        expected = f"{', '.join(most)} or {last}" if most else last
        self.problems.add(place, "It is not one of the words known here.", f"{expected}.")
        return False

    def _miss(self, place: Place) -> None:
        self.problems.add(place, "It is missing.", self._cure(place))

    def _cure(self, place: Place) -> str:
        return self.cures.get(place) or self.cures.get(place[-1:]) or "a value for this key."


@cache
def _keys_of(section: Any) -> Mapping[str, tuple[str, Any]]:
    """Every key of a section, as written in the file, with its attribute name and the shape of its value."""
    keys = {}
    for name, shape in hints_of(section, include_extras=True).items():
        spelt = [each for each in getattr(shape, "__metadata__", ()) if isinstance(each, str)]
        keys[spelt[0] if spelt else name] = (name, shape)
    return keys


def _is_section(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, FileSection)


def _written(value: object) -> object:
    if isinstance(value, FileSection):
        return value.written()
    if isinstance(value, Mapping):
        return {name: _written(each) for name, each in value.items()}
    return [_written(each) for each in value] if isinstance(value, (list, tuple)) else value
