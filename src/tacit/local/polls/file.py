"""A poll as a TOML file: read with refusals that name the key, written for a person to change."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from tacit.errors import Refused
from tacit.local.polls.asking import YES_NO, Wording
from tacit.local.polls.catalogue import design_of
from tacit.local.polls.poll import Poll
from tacit.local.polls.question import Question
from tacit.toml_text import quoted

_POLL: Final = {"id": str, "title": str, "about": str, "questions": list}
_WORDS: Final = {"name": str, "text": str, "design": str, "options": list, "innocuous": str, "items": list}
_NUMBERS: Final = ("truth", "yes", "no", "red_if_yes", "red_if_no", "prevalence", "sensitive", "epsilon")


def read_poll(path: Path | str) -> Poll:
    """The poll in a file."""
    try:
        found = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise Refused(f"the poll {path}", f"{error.strerror}.", "a file that `tacit poll design` wrote.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(
            f"the poll {path}", f"It is no TOML: {error}.", "a file that `tacit poll design` wrote."
        ) from None
    return poll_from(found)


def poll_from(found: Mapping[str, Any]) -> Poll:
    """The poll of a parsed file."""
    _check_keys("the poll", found, _POLL, needed=("id", "title", "questions"))
    questions = tuple(_question(number, each) for number, each in enumerate(found["questions"], start=1))
    return Poll(found["id"], found["title"], questions, found.get("about", ""))


def _question(number: int, found: Any) -> Question:
    where = f"question {number}"
    if not isinstance(found, dict):
        raise Refused(where, "It is no table.", "[[questions]] with name, text and design.")
    words = {key: value for key, value in found.items() if key not in _NUMBERS}
    _check_keys(where, words, _WORDS, needed=("name", "text", "design"), also=_NUMBERS)
    for key in ("options", "items"):
        if not all(isinstance(text, str) for text in found.get(key, [])):
            raise Refused(f"{where}, {key}", "One of them is no text.", f'{key} = ["…", "…"].')
    wording = Wording(
        found["text"], tuple(found.get("options", YES_NO)), found.get("innocuous", ""), tuple(found.get("items", ()))
    )
    if found["design"] not in ("kary", "subset") and len(wording.options) != 2:
        raise Refused(f"{where}, options", "This design has two.", 'options = ["No", "Yes"], or design = "kary".')
    given = {key: value for key, value in found.items() if key in _NUMBERS}
    return Question(found["name"], wording, design_of(found["design"], wording, given))


def _check_keys(
    where: str,
    found: Mapping[str, Any],
    known: Mapping[str, type[object]],
    needed: tuple[str, ...],
    also: tuple[str, ...] = (),
) -> None:
    for key, value in found.items():
        if key not in known:
            accepted = f"{', '.join((*known, *also))}."
            raise Refused(f"{where}, {key[:40]}", "There is no such key.", accepted)
        if not isinstance(value, known[key]):
            kind = "text in quotation marks" if known[key] is str else "a list in square brackets"
            raise Refused(f"{where}, {key}", f"It is a {type(value).__name__}.", f"{kind}.")
    for key in needed:
        if key not in found:
            raise Refused(where, f"It has no {key}.", f"{key} = …")


def new_poll_text(title: str) -> str:
    """The head of a new poll's file, with an id of its own."""
    return (
        "# A poll. The id ties reports to it: leave it as it is, and make a new poll when a question changes.\n"
        f'id = "{token_hex(16)}"\ntitle = {quoted(title)}\nabout = ""  # what respondents should know\n'
    )


def question_text(name: str, wording: Wording, design: str, numbers: Mapping[str, str]) -> str:
    """One question, as it stands in the file."""
    lines = ["", "[[questions]]", f"name = {quoted(name)}", f"text = {quoted(wording.text)}"]
    if wording.options != YES_NO:
        lines.append(f"options = [{', '.join(map(quoted, wording.options))}]")
    if wording.innocuous:
        lines.append(f"innocuous = {quoted(wording.innocuous)}")
    if wording.items:
        lines.append(f"items = [{', '.join(map(quoted, wording.items))}]")
    lines.append(f"design = {quoted(design)}")
    lines.extend(f"{key} = {quoted(value)}" for key, value in numbers.items())
    return "\n".join(lines) + "\n"
