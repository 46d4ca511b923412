"""The questionnaire of a poll for a device, validated strictly: questions, groups, and their possible reports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Annotated, Any, Final, Literal

from tacit.schema.file_grammar import FileSection, Place, ValueRule, Words, read_section
from tacit.schema.names import Problems

_EXACT = 2**53 - 1  # the largest integer that a browser reads exactly from JSON


def _at_least(least: int, what: str) -> ValueRule:
    why = f"It has fewer than {least}." if least > 1 else "It is empty."
    return ValueRule(lambda found: len(found) >= least, why, f"at least {least} {what}.")


def _of_form(pattern: str, accepted: str) -> ValueRule:
    return ValueRule(lambda text: re.fullmatch(pattern, text) is not None, "It has another form.", accepted)


def _has_one_total(weights: Sequence[Sequence[str]]) -> bool:
    return len({(len(row), sum(map(int, row))) for row in weights}) == 1


Whole = Annotated[str, _of_form("0|[1-9][0-9]{0,299}", "the digits of a whole number as text, at most 300.")]
Size = Annotated[
    int, ValueRule(lambda size: 1 <= size <= _EXACT, "It is out of range.", f"a whole number from 1 to {_EXACT}.")
]


class _Told(FileSection):
    """Base of the questionnaire's parts; unknown fields are ignored."""

    leaves_others = True


class TableTold(_Told):
    """A randomizer given by the weight of each report, one row for each answer."""

    kind: Literal["table"]
    weights: Annotated[
        Sequence[Annotated[Sequence[Whole], _at_least(1, "weight")]],
        _at_least(2, "rows"),
        ValueRule(_has_one_total, "Its rows differ in length or total.", "rows of one length and one total."),
    ]

    @property
    def answers(self) -> int:
        return len(self.weights)

    @property
    def labels(self) -> int:
        return len(self.weights[0])

    def admits(self, report: object) -> bool:
        return is_below(report, self.labels)


class KaryTold(_Told):
    """A randomizer that reports one of the options."""

    kind: Literal["kary"]
    options: Size
    true: Whole
    other: Whole

    @property
    def answers(self) -> int:
        return self.options

    labels = answers

    def admits(self, report: object) -> bool:
        return is_below(report, self.options)


class SubsetTold(_Told):
    """A randomizer that reports a set of the options."""

    kind: Literal["subset"]
    options: Size
    size: Size
    within: Whole
    without: Whole

    @property
    def answers(self) -> int:
        return self.options

    labels = answers

    def fault(self) -> Words | None:
        return None if self.size < self.options else ("Its sets hold every option.", "fewer than all options.")

    def admits(self, report: object) -> bool:
        """Whether a set is valid; it must be in ascending order, so that its form is unique."""
        if not (isinstance(report, list) and len(report) == self.size):
            return False
        return all(is_below(each, self.options) for each in report) and report == sorted(set(report))


class PartTold(_Told):
    """One choice among options."""

    text: str = ""
    options: Annotated[Sequence[str], _at_least(2, "options")]


class GroupTold(_Told):
    """The questions of one sample, and whether the sensitive question is one of them. `reports` names the reports where
    they
    are not the options of the first part."""

    parts: Annotated[Sequence[PartTold], _at_least(1, "part")]
    randomizer: TableTold | KaryTold | SubsetTold | None
    instructions: str = ""
    hides: str = ""
    asks: bool = True
    reports: Sequence[str] | None = None

    @property
    def answers(self) -> int:
        return prod(len(part.options) for part in self.parts)

    labels = answers

    def fault(self) -> Words | None:
        if not self.answers <= _EXACT:
            return "It has more combinations than a browser can count.", "fewer combinations of options."
        if self.randomizer is not None and self.randomizer.answers != self.answers:
            accepted = "a randomizer with one row or option for each combination of the parts' options."
            return "Its randomizer takes other answers.", accepted
        if self.reports is not None and len(self.reports) != (self.randomizer or self).labels:
            return "Its reports have more or fewer names than there are reports.", "one name for each report."
        return None

    def admits(self, report: object) -> bool:
        """Whether a device in this group can send this; None is a question left out."""
        if report is None:
            return True
        return is_below(report, self.answers) if self.randomizer is None else self.randomizer.admits(report)


def _is_name(name: str) -> bool:
    return 1 <= len(name) <= 200 and not any("\ud800" <= sign <= "\udfff" for sign in name)


class QuestionTold(_Told):
    """A question with its groups."""

    name: Annotated[str, ValueRule(_is_name, "It is empty, too long or no Unicode.", "1 to 200 characters.")]
    text: str
    groups: Annotated[Sequence[GroupTold], _at_least(1, "group")]


def _names_differ(questions: Sequence[QuestionTold]) -> bool:
    return len({question.name for question in questions}) == len(questions)


class Questionnaire(_Told):
    """A poll as a device gets it."""

    id: Annotated[str, _of_form("[0-9a-f]{32}", "32 hexadecimal digits in lower case.")]
    title: str
    about: str = ""
    together: Sequence[str] = ()
    questions: Annotated[
        Sequence[QuestionTold],
        _at_least(1, "question"),
        ValueRule(_names_differ, "Two have one name.", "questions with names that differ."),
    ]

    @classmethod
    def of(cls, poll: Mapping[str, Any]) -> Questionnaire:
        """The poll as written by Python; refused with every invalid place."""
        problems = Problems("a questionnaire that no device could ask")
        read = read_section(cls, poll, problems, _CURES, first=0)  # as in JSON
        problems.refuse_if_any()
        return read

    @property
    def versions(self) -> int:
        """How many pages there are: as many as a question has groups."""
        return max(len(question.groups) for question in self.questions)


_CURES: Final[Mapping[Place, str]] = {
    ("kind",): "'table', 'kary' or 'subset'.",
    ("randomizer",): "a randomizer of the kind table, kary or subset, or null where the answer is the report.",
}


def is_below(number: object, bound: int) -> bool:
    """Whether it is an integer from 0 to bound − 1; a truth value is none."""
    return type(number) is int and 0 <= number < bound
