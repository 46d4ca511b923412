"""A poll as a TOML file: read with refusals that name the key, written to be edited.

Designs have names in the file, and each takes certain numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.polls.designs.design import Design
from tacit.local.polls.designs.list_experiment import ListExperiment
from tacit.local.polls.designs.multiple_choice import OneOfMany, SetOfMany
from tacit.local.polls.designs.nonrandomized_response import AtLeastOne, Crosswise, Triangular
from tacit.local.polls.designs.randomized_response import ForcedDesign, Kuk, WarnerDesign
from tacit.local.polls.designs.two_samples import Unrelated, UnrelatedEstimated
from tacit.local.polls.designs.wording import YES_NO, Wording
from tacit.local.polls.poll import Poll, PollQuestion
from tacit.schema.file_grammar import FileSection, Place, read_section
from tacit.schema.names import Problems
from tacit.words import quoted


@frozen
class DesignEntry:
    """A design's constructor, and its accepted lists of numbers."""

    make: Callable[[Wording, Mapping[str, Any]], Design]
    takes: tuple[tuple[str, ...], ...]


def _entry(
    plain: Callable[..., Design], numbers: tuple[str, ...], within: Callable[..., Design] | None = None
) -> DesignEntry:
    def make(wording: Wording, given: Mapping[str, Any]) -> Design:
        if "epsilon" in given and within is not None:
            return within(given["epsilon"])
        return plain(*(given[name] for name in numbers))

    return DesignEntry(make, (numbers, *([("epsilon",)] if within else [])))


def _kary(given: Mapping[str, Any], options: int) -> Design:
    if "truth" in given:
        return OneOfMany.truthful(given["truth"], options)
    return OneOfMany.within(given["epsilon"], options)


CATALOGUE: Final[Mapping[str, DesignEntry]] = {
    "warner": _entry(WarnerDesign, ("truth",), WarnerDesign.within),
    "forced": _entry(ForcedDesign, ("truth", "yes", "no"), ForcedDesign.within),
    "kuk": _entry(Kuk, ("red_if_yes", "red_if_no")),
    "crosswise": _entry(Crosswise, ("prevalence",)),
    "triangular": _entry(Triangular, ("prevalence",)),
    "unrelated": _entry(Unrelated, ("sensitive", "prevalence")),
    "unrelated-estimated": _entry(UnrelatedEstimated, ("sensitive",)),
    "at-least-one": _entry(AtLeastOne, ()),
    "list": DesignEntry(lambda wording, _: ListExperiment(len(wording.items)), ((),)),
    "kary": DesignEntry(lambda wording, given: _kary(given, len(wording.options)), (("truth",), ("epsilon",))),
    "subset": DesignEntry(
        lambda wording, given: SetOfMany.within(given["epsilon"], len(wording.options)), (("epsilon",),)
    ),
}


_EXAMPLES: Final = {
    "truth": "4/6",
    "yes": "1/6",
    "no": "1/6",
    "red_if_yes": "80%",
    "red_if_no": "20%",
    "sensitive": "2/3",
    "prevalence": "1/4",
    "epsilon": '"ln 3"',
}


def design_of(name: str, wording: Wording, given: Mapping[str, Any]) -> Design:
    """The design of this name from these numbers; too many, too few or others are refused."""
    entry = CATALOGUE.get(name)
    if entry is None:
        raise Refused(f"design = “{name[:40]}”", "There is no such design.", f"one of {', '.join(CATALOGUE)}.")
    if set(given) not in [set(names) for names in entry.takes]:
        wanted = "; or ".join(" ".join(map(_example, names)) if names else "no number" for names in entry.takes)
        has = " and ".join(map(_option, given)) if given else "no number"
        takes = "; or ".join(", ".join(names) if names else "no number" for names in entry.takes)
        raise Refused(f"the design {name} with {has}", f"It takes {takes}.", f"{wanted}.")
    return entry.make(wording, given)


def _option(number: str) -> str:
    """The command-line option of a number; a poll's file has _ for - and no leading dashes."""
    return f"--{number.replace('_', '-')}"


def _example(number: str) -> str:
    return f"{_option(number)} {_EXAMPLES[number]}"


class PollQuestionFile(FileSection):
    """`[[questions]]`: a question's words, its design, and the numbers that the design is made from."""

    name: str
    text: str
    design: str
    options: Sequence[str] = YES_NO
    innocuous: str = ""
    items: Sequence[str] = ()
    truth: object = None
    yes: object = None
    no: object = None
    red_if_yes: object = None
    red_if_no: object = None
    prevalence: object = None
    sensitive: object = None
    epsilon: object = None

    @property
    def wording(self) -> Wording:
        return Wording(self.text, tuple(self.options), self.innocuous, tuple(self.items))

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers that are written."""
        return {name: value for name, value in vars(self).items() if name in _EXAMPLES}


class PollFile(FileSection):
    """A whole file."""

    id: str
    title: str
    about: str = ""
    questions: Sequence[PollQuestionFile]


_CURES: Final[Mapping[Place, str]] = {
    ("id",): 'id = "…", 32 digits and letters a to f.',
    ("title",): 'title = "…".',
    ("questions",): "[[questions]] with name, text and design.",
    ("name",): 'name = "cheated", for instance.',
    ("text",): 'text = "Have you ever …?".',
    ("design",): f"one of {', '.join(CATALOGUE)}.",
}


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
    problems = Problems("the poll")
    written = read_section(PollFile, found, problems, _CURES)
    problems.refuse_if_any()
    questions = tuple(_question(number, each) for number, each in enumerate(written.questions, start=1))
    return Poll(written.id, written.title, questions, written.about)


def _question(number: int, written: PollQuestionFile) -> PollQuestion:
    wording = written.wording
    if written.design not in ("kary", "subset") and len(wording.options) != 2:
        accepted = 'options = ["No", "Yes"], or design = "kary".'
        raise Refused(f"question {number}, options", "This design has two.", accepted)
    return PollQuestion(written.name, wording, design_of(written.design, wording, written.numbers))


def new_poll_text(title: str) -> str:
    """The head of a new poll's file, with an id of its own."""
    return (
        "# A poll. The id ties reports to it: leave it as it is, and make a new poll when a question changes.\n"
        f'id = "{token_hex(16)}"\ntitle = {quoted(title)}\nabout = ""  # what respondents should know\n'
    )


def question_text(name: str, wording: Wording, design: str, numbers: Mapping[str, str]) -> str:
    """One question, as text of the file."""
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
