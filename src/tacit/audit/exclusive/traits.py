"""The traits of an answer: everything in it that could belong to one data set alone."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from tacit.audit.stages.outcomes import key_of
from tacit.audit.subject import Raised

Trait: TypeAlias = tuple[str, Hashable]
"""What kind of trait it is, and which."""

_MOST_PARTS = 16
KINDS = "whole answers, their types and lengths, parts, members and words, and errors"


def traits_of(answer: Any) -> set[Trait]:
    """The whole answer, its form, and for a container or a text the parts that it is made of; of an error its text."""
    return {("answer", key_of(answer)), *_inner(answer)}


def _inner(answer: Any) -> Iterator[Trait]:
    if isinstance(answer, Raised):
        yield "error", answer.name
        yield from (("error", f"{answer.name} with the word {word}") for _, word in _words(answer.text))
        return
    yield "form", form_of(answer)
    if isinstance(answer, str):
        yield from _words(answer)
        return
    if isinstance(answer, Mapping):
        named = list(answer.items())[:_MOST_PARTS]
        yield from (("member", key_of(name)) for name, _ in named)
        yield from (("part", (key_of(name), key_of(value))) for name, value in named)
    elif isinstance(answer, (list, tuple)) or (isinstance(answer, np.ndarray) and answer.ndim):
        yield from _listed(list(answer[:_MOST_PARTS]))
    elif isinstance(answer, (set, frozenset)):
        yield from (("member", key_of(value)) for value in list(answer)[:_MOST_PARTS])


def _words(text: str) -> Iterator[Trait]:
    """What stands between blanks, commas, semicolons, bars and ampersands: “n=3” of “n=3;r=0.71”."""
    yield from (("word", word) for word in [word for word in re.split(r"[\s,;|&]+", text) if word][:_MOST_PARTS])


def _listed(parts: list[Any]) -> Iterator[Trait]:
    for place, part in enumerate(parts):
        key = key_of(part)
        yield "member", key
        yield "part", (place, key)
        if isinstance(part, (list, tuple, str, dict, np.ndarray)):
            yield "part's form", (place, form_of(part))


def form_of(answer: Any) -> Hashable:
    """Type and length or shape; a scalar of NumPy's has the type of Python's that reads the same."""
    if isinstance(answer, np.generic):
        return form_of(answer.item())
    if isinstance(answer, np.ndarray):
        return ("array", answer.shape, answer.dtype.kind)
    if isinstance(answer, (list, tuple, dict, set, frozenset, str, bytes)):
        return (type(answer).__name__, len(answer))
    return type(answer).__name__


def trait_words(trait: Trait) -> str:
    """A trait for a reader."""
    kind, key = trait
    if kind == "part" and isinstance(key, tuple):
        place = f"part {key[0] + 1}" if isinstance(key[0], int) else f"the part {_shown(key[0])}"
        return f"{_shown(key[1])} as {place} of the answer"
    if kind == "part's form" and isinstance(key, tuple):
        return f"{_form_words(key[1])} as part {key[0] + 1} of the answer"
    if kind == "form":
        return f"an answer that is {_form_words(key)}"
    if kind == "answer" and isinstance(key, tuple) and key[0] in ("float", "int", "bool"):
        return f"the answer {_shown(key)} ({key[0]})"
    if kind == "member":
        return f"{_shown(key)} in the answer"
    return {"answer": "the answer", "error": "an error of type", "word": "the word"}[kind] + f" {_shown(key)}"


def _form_words(form: Hashable) -> str:
    if isinstance(form, tuple):
        return f"of type {form[0]} and {'shape' if form[0] == 'array' else 'length'} {form[1]}"
    return f"of type {form}"


def _shown(key: Hashable) -> str:
    words = _plain(key)
    return words if len(words) <= 60 else words[:57] + "…"


def _plain(key: Hashable) -> str:
    """A key as the value that it stands for."""
    if isinstance(key, tuple) and len(key) == 2:
        name, value = key
        if name in ("list", "tuple", "set", "mapping") and isinstance(value, (tuple, frozenset)):
            around = {"list": "[%s]", "tuple": "(%s)"}.get(name, "{%s}")
            parts = (": ".join(map(_plain, each)) if name == "mapping" else _plain(each) for each in value)
            return around % ", ".join(parts)
        if isinstance(value, Raised):
            return f"“{value}”"
        return str(value) if name == "float" else repr(value)
    if isinstance(key, tuple) and len(key) == 3:
        return f"array({', '.join(map(_plain, key[2]))})" if isinstance(key[2], tuple) else str(key)
    return str(key)
