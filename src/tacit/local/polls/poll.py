"""A poll: several questions to the same people, and what all their reports give away together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.polls.finding import Finding
from tacit.local.polls.protection import Protection
from tacit.local.polls.question import Question
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss.composing.composition import compose
from tacit.loss.loss import Loss

_ID: Final = re.compile(r"[0-9a-f]{32}")


@frozen
class Poll:
    """Questions under one title; `id` ties a report to its poll.

    Claim, for the replacement of all answers of one respondent: the reports cost the composition of the questions'
    losses, and nothing finite where one of them costs infinitely much.
    """

    id: str
    title: str
    questions: tuple[Question, ...]
    about: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise Refused("the poll's id", "It is not of the right form.", "32 digits and letters a to f.")
        names = [question.name for question in self.questions]
        if not (names and len(set(names)) == len(names)):
            raise Refused("the questions of a poll", "There is none, or two have one name.", "names that differ.")

    @cached_property
    def protection(self) -> Protection:
        """What one respondent gives away in all."""
        parts = [question.design.protection for question in self.questions]
        exposed = [(q.name, part) for q, part in zip(self.questions, parts, strict=True) if part.loss is None]
        if exposed:
            name, part = exposed[0]
            return Protection(None, f"{part.because} (question {name})")
        return Protection(compose(*(part.loss for part in parts if part.loss is not None)))

    def shuffled(self, people: int) -> Loss:
        """What one respondent gives away if each question's reports, of so many people, are shuffled for themselves.

        By the claim of `ShuffledReports`: somebody trusted strips them of their senders, and hands on no two questions'
        reports together.
        """
        parts = [(question, question.groups[0].randomizer) for question in self.questions]
        for question, randomizer in parts:
            if len(question.groups) > 1 or randomizer is None or question.design.protection.loss is None:
                raise Refused(
                    f"shuffled reports to {question.name}",
                    "Only a design with a finite ε of its own is cheaper when it is shuffled.",
                    "designs such as warner, forced, kuk, kary or subset.",
                )
        return compose(*(ShuffledReports(randomizer, people) for _, randomizer in parts if randomizer is not None))

    def written(self) -> dict[str, Any]:
        """What a respondent's device is told: all of it public."""
        return {
            "id": self.id,
            "title": self.title,
            "about": self.about,
            "epsilon": self.protection.briefly(),
            "questions": [question.written() for question in self.questions],
        }

    def findings(
        self, submissions: Sequence[Mapping[str, Any]], weights: Mapping[str, float] | None = None
    ) -> dict[str, tuple[Finding, ...]]:
        """What all submissions say, question by question; survey weights by respondent, who all must have one."""
        load = None if weights is None else [_weight(weights, each["respondent"]) for each in submissions]
        return {
            question.name: question.findings([tuple(each["answers"][question.name]) for each in submissions], load)
            for question in self.questions
        }


def _weight(weights: Mapping[str, float], respondent: str) -> float:
    if respondent not in weights:
        raise Refused("survey weights", "A respondent has none.", "a weight for every respondent of the reports.")
    return weights[respondent]
