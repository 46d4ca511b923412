"""The traits of an answer: everything in it that could belong to one data set alone."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterator
from typing import Any, TypeAlias

import numpy as np

from tacit.audit.stages.inside import is_compared_by_identity, is_whole, parts_inside, text_of
from tacit.audit.stages.outcomes import DEEPEST, key_of
from tacit.audit.subject import Raised

Trait: TypeAlias = tuple[str, Hashable]
"""What kind of trait it is, and which."""

NOT_SEARCHED = "not searched"
"""The kind of trait that says what of an answer was left unread."""
KINDS = (
    "whole answers, their types and lengths, parts at any depth, members, words, starts and ends of texts and bytes, "
    "and errors"
)
_MOST_PARTS = 48
_MOST_WORDS = 16
_ENDS = (1, 2, 3, 4, 6, 8, 12, 16)
_PLAIN = (int, float, type(None))


def traits_of(answer: Any) -> set[Trait]:
    """The whole answer, its form, and what it is made of, the outer parts first; of an error its text.

    What is not read is a trait too, of the kind “not searched”.
    """
    found: set[Trait] = {("answer", key_of(answer))}
    if isinstance(answer, Raised):
        found.add(("error", answer.name))
        found.update(("error", f"{answer.name} with the word {word}") for _, word in _words(answer.text))
        return found
    found.add(("form", form_of(answer)))
    if not isinstance(answer, _PLAIN):
        found.update(_inner(answer))
    return found


def _inner(answer: Any) -> Iterator[Trait]:
    waiting: deque[tuple[tuple[Hashable, ...], Any]] = deque([((), answer)])
    read = 0
    while waiting:
        path, value = waiting.popleft()
        if read > _MOST_PARTS:
            yield NOT_SEARCHED, f"parts of an answer after the first {_MOST_PARTS}"
            return
        read += 1
        if path:
            yield from _placed(path, value)
        if isinstance(value, _PLAIN):
            continue
        if isinstance(value, (str, bytes, bytearray)):
            yield from _words(value)
            yield from _ends(value)
            continue
        room = _MOST_PARTS + 2 - read - len(waiting)  # one more than are read, so that a rest is noticed
        if room <= 0:
            continue
        inside = [((*path, (kind, _step(step))), part) for kind, step, part in parts_inside(value, room)]
        if not inside:
            yield from _unread(value)
        elif len(path) < DEEPEST:
            waiting.extend(inside)
        else:
            yield NOT_SEARCHED, f"parts that lie more than {DEEPEST} deep in an answer"


def _step(step: Hashable) -> Hashable:
    return step if isinstance(step, int) else key_of(step)


def _placed(path: tuple[Hashable, ...], part: Any) -> Iterator[Trait]:
    key = key_of(part)
    yield "member", key
    yield "part", (path, key)
    if not isinstance(part, _PLAIN):
        yield "part's form", (path, form_of(part))


def _unread(value: Any) -> Iterator[Trait]:
    """What an object shows that has no parts: its text; it may hide more."""
    if is_whole(value) or isinstance(value, np.generic) or not is_compared_by_identity(value):
        return
    yield NOT_SEARCHED, f"the inside of objects of type {type(value).__name__}"
    text = text_of(value)
    yield from _words(text) if text is not None else ()


def _words(text: str | bytes | bytearray) -> Iterator[Trait]:
    """What stands between blanks, commas, semicolons, bars and ampersands: “n=3” of “n=3;r=0.71”."""
    found = [part for part in (re.split(r"[\s,;|&]+", text) if isinstance(text, str) else bytes(text).split()) if part]
    yield from (("word", word) for word in found[:_MOST_WORDS])
    if len(found) > _MOST_WORDS:
        yield NOT_SEARCHED, f"words of a text after the first {_MOST_WORDS}"


def _ends(text: str | bytes | bytearray) -> Iterator[Trait]:
    """How a text begins and ends: the rest may be chance."""
    plain = text if isinstance(text, str) else bytes(text)
    for length in _ENDS:
        if length < len(plain):
            yield "start", plain[:length]
            yield "end", plain[-length:]


def form_of(answer: Any) -> Hashable:
    """Type and length or shape; a scalar of NumPy's has the type of Python's that reads the same."""
    if isinstance(answer, np.generic) and not isinstance(plain := answer.item(), np.generic):
        return form_of(plain)
    if isinstance(answer, np.ndarray):
        return ("array", answer.shape, answer.dtype.kind)
    if isinstance(answer, (list, tuple, dict, set, frozenset, str, bytes)):
        return (type(answer).__name__, len(answer))
    return type(answer).__name__
