"""Traits of answers in words."""

from __future__ import annotations

from collections.abc import Hashable

from tacit.audit.exclusive.traits import NOT_SEARCHED, Trait
from tacit.audit.subject import Raised

_KINDS = {
    "answer": "the answer",
    "error": "an error of type",
    "word": "the word",
    "start": "a text that starts with",
    "end": "a text that ends in",
}


def trait_words(trait: Trait) -> str:
    """A trait for a reader."""
    kind, key = trait
    if kind == "part" and isinstance(key, tuple):
        return f"{_shown(key[1])} as {_path_words(key[0])}"
    if kind == "part's form" and isinstance(key, tuple):
        return f"{_form_words(key[1])} as {_path_words(key[0])}"
    if kind == "form":
        return f"an answer that is {_form_words(key)}"
    if kind == "answer" and isinstance(key, tuple) and key[0] in ("float", "int", "bool"):
        return f"the answer {_shown(key)} ({key[0]})"
    if kind == "member":
        return f"{_shown(key)} in the answer"
    if kind == NOT_SEARCHED:
        return f"an answer with {key}"
    return f"{_KINDS[kind]} {_shown(key)}"


def _path_words(path: tuple[tuple[str, Hashable], ...]) -> str:
    """Where a part stands, from the inside: “part 2 of the part 'rows' of the answer”."""
    return " of ".join([*(_step_words(*step) for step in reversed(path)), "the answer"])


def _step_words(kind: str, step: Hashable) -> str:
    if kind == "place" and isinstance(step, int):
        return f"part {step + 1}"
    names = {"value": "the part ", "attribute": "the attribute "}
    return names[kind] + _shown(step) if kind in names else f"a {kind}"


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
