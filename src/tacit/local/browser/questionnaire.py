"""What a device is told of a poll, read strictly: questions, their groups, and the reports that each group can send."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tacit.errors import Refused

_EXACT = 2**53 - 1  # the largest whole number that a browser reads from JSON as it is written

Whole = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,299})$")]
Size = Annotated[int, Field(ge=1, le=_EXACT)]
Labels = Annotated[list[str], Field(min_length=2)]


class _Told(BaseModel):
    """Strict types; what a device has no use for is left behind."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class TableTold(_Told):
    kind: Literal["table"]
    weights: Annotated[list[Annotated[list[Whole], Field(min_length=1)]], Field(min_length=2)]

    @property
    def answers(self) -> int:
        return len(self.weights)

    @property
    def labels(self) -> int:
        return len(self.weights[0])

    @model_validator(mode="after")
    def _has_one_total(self) -> TableTold:
        if not len({(len(row), sum(map(int, row))) for row in self.weights}) == 1:
            raise ValueError("rows of one length and one total")
        return self

    def admits(self, report: object) -> bool:
        return is_below(report, self.labels)


class KaryTold(_Told):
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
    kind: Literal["subset"]
    options: Size
    size: Size
    within: Whole
    without: Whole

    @property
    def answers(self) -> int:
        return self.options

    labels = answers

    @model_validator(mode="after")
    def _is_a_part(self) -> SubsetTold:
        if not self.size < self.options:
            raise ValueError("fewer than all options")
        return self

    def admits(self, report: object) -> bool:
        """A set is written in ascending order, so that it is written in one way."""
        if not (isinstance(report, list) and len(report) == self.size):
            return False
        return all(is_below(each, self.options) for each in report) and report == sorted(set(report))


class PartTold(_Told):
    text: str = ""
    options: Labels


class GroupTold(_Told):
    """What one sample is asked, and whether the sensitive question is among it. `reports` names the reports where they
    are not the options of the first part."""

    parts: Annotated[list[PartTold], Field(min_length=1)]
    randomizer: Annotated[TableTold | KaryTold | SubsetTold, Field(discriminator="kind")] | None
    instructions: str = ""
    hides: str = ""
    asks: bool = True
    reports: list[str] | None = None

    @property
    def answers(self) -> int:
        return prod(len(part.options) for part in self.parts)

    @model_validator(mode="after")
    def _fits(self) -> GroupTold:
        if not self.answers <= _EXACT:
            raise ValueError("fewer combinations of options")
        if self.randomizer is not None and self.randomizer.answers != self.answers:
            raise ValueError("a randomizer with one row or option for each combination of the parts' options")
        if self.reports is not None and len(self.reports) != (self.randomizer or self).labels:
            raise ValueError("one name for each report")
        return self

    labels = answers

    def admits(self, report: object) -> bool:
        """Whether a device in this group can send this; None is a question left out."""
        if report is None:
            return True
        return is_below(report, self.answers) if self.randomizer is None else self.randomizer.admits(report)


class QuestionTold(_Told):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    text: str
    groups: Annotated[list[GroupTold], Field(min_length=1)]


class Questionnaire(_Told):
    """A poll as a device is told it."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    title: str
    about: str = ""
    together: list[str] = []
    questions: Annotated[list[QuestionTold], Field(min_length=1)]

    @classmethod
    def of(cls, poll: Mapping[str, Any]) -> Questionnaire:
        """The poll as written by Python; refused with the place that cannot be asked."""
        try:
            return cls.model_validate(poll)
        except ValidationError as found:
            first = found.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(str(step) for step in first["loc"]) or "poll"
            raise Refused(
                f"a questionnaire whose {place} cannot be read", "No device could ask it.", f"{first['msg']}."
            ) from None

    @property
    def versions(self) -> int:
        """How many pages there are: as many as a question has groups."""
        return max(len(question.groups) for question in self.questions)

    @model_validator(mode="after")
    def _names_differ(self) -> Questionnaire:
        if not len({question.name for question in self.questions}) == len(self.questions):
            raise ValueError("questions with names that differ")
        return self


def is_below(number: object, bound: int) -> bool:
    """Whether it is an integer from 0 to bound − 1; a truth value is none."""
    return type(number) is int and 0 <= number < bound
