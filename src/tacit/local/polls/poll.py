"""A poll: several questions to the same people, and the joint loss of their reports.

A question has words and the design by which it is asked. The findings of a poll as a figure: each share a dot, its
interval a bar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.polls.designs.design import Design, Protection
from tacit.local.polls.designs.wording import Group, Wording
from tacit.local.polls.estimation.prevalence import PollFinding, misfit
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss.composition.sequential import compose
from tacit.loss.families.loss import Loss
from tacit.mechanisms.mechanism import percent

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


@frozen
class PollQuestion:
    """A question: its name in the findings, its wording for respondents, and its design."""

    name: str
    wording: Wording
    design: Design

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise Refused(
                f"a question named “{self.name[:40]}”",
                "The name stands before its findings.",
                "a lower-case letter, then at most 39 letters, digits or _.",
            )
        if not self.groups:
            raise Refused(f"the question {self.name}", "It is asked of nobody.", "a design with a group.")

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return self.design.groups(self.wording)

    def findings(self, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None) -> tuple[PollFinding, ...]:
        """The findings of every option."""
        return self.design.findings(self.wording, answers, weights)

    def written(self, name: str) -> dict[str, Any]:
        """The question for the collector, under its name in reports; a page gets one group of it."""
        return {
            "name": name,
            "text": self.wording.text,
            "groups": [group.written() for group in self.groups],
        }


_ID: Final = re.compile(r"[0-9a-f]{32}")


@frozen
class Poll:
    """Questions under one title; `id` ties a report to its poll.

    Claim, for the replacement of all answers of one respondent: the reports cost the composition of the questions'
    losses, and nothing finite where one of them costs infinitely much.

    A poll with designs of two samples has two versions: each asks one group of every question. Reports call questions
    q1, q2, … in their order, so that no name that was given to a question reaches a respondent.
    """

    id: str
    title: str
    questions: tuple[PollQuestion, ...]
    about: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise Refused("the poll's id", "It is not of the right form.", "32 digits and letters a to f.")
        names = [question.name for question in self.questions]
        if not (names and len(set(names)) == len(names)):
            raise Refused("the questions of a poll", "There is none, or two have one name.", "names that differ.")

    @cached_property
    def protection(self) -> Protection:
        """The protection of all answers of one respondent."""
        parts = [question.design.protection for question in self.questions]
        exposed = [(number, part) for number, part in enumerate(parts, start=1) if part.loss is None]
        if exposed:
            number, part = exposed[0]
            return Protection(None, f"{part.because} (question {number})")
        return Protection(compose(*(part.loss for part in parts if part.loss is not None)))

    @property
    def versions(self) -> int:
        return max(len(question.groups) for question in self.questions)

    def version(self, place: int) -> tuple[Group, ...]:
        """The questions of one version: a group of every question."""
        return tuple(question.groups[min(place, len(question.groups) - 1)] for question in self.questions)

    def together(self, place: int) -> str:
        """The joint protection of one version, in words for a respondent; "" where each question states it."""
        asked = list(zip(self.questions, self.version(place), strict=True))
        finite = [q.design.protection.loss for q, group in asked if group.asks and q.design.protection.loss is not None]
        exposed = [str(at) for at, (q, group) in enumerate(asked, 1) if group.asks and q.design.protection.loss is None]
        if len(finite) < 2:
            return ""
        said = [Protection(compose(*finite)).plainly("two sets of answers", "all that is sent")]
        if exposed:
            where = f"question {exposed[0]}" if len(exposed) == 1 else f"questions {', '.join(exposed)}"
            said.append(f"This does not count {where}: read there what could show your answer.")
        return " ".join(said)

    def shuffled(self, people: int) -> Loss:
        """The protection of one respondent if the reports of each question, of so many people, are shuffled separately.

        By the claim of `ShuffledReports`: a trusted party removes the senders, and passes on each question's reports
        separately.
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
        """The poll for the collector, with all versions. A page gets one version only."""
        return {
            "id": self.id,
            "title": self.title,
            "about": self.about,
            "together": [self.together(place) for place in range(self.versions)],
            "questions": [question.written(name) for name, question in self._named],
        }

    def findings(
        self, submissions: Sequence[Mapping[str, Any]], weights: Mapping[str, float] | None = None
    ) -> dict[str, tuple[PollFinding, ...]]:
        """The findings of all submissions, question by question, with survey weights for all respondents."""
        load = None if weights is None else _loads(weights, [each["respondent"] for each in submissions])
        return {
            question.name: question.findings([tuple(each["answers"][name]) for each in submissions], load)
            for name, question in self._named
        }

    @property
    def _named(self) -> list[tuple[str, PollQuestion]]:
        """Questions by their names in reports."""
        return [(f"q{number}", question) for number, question in enumerate(self.questions, start=1)]


def _loads(weights: Mapping[str, float], respondents: Sequence[str]) -> list[float]:
    """The weight of each respondent; where some have none, how many and the first of their rows."""
    without = [row for row, respondent in enumerate(respondents, start=1) if respondent not in weights]
    if without:
        share = f"{len(without):,} of {len(respondents):,} respondents"
        why = f"{share} have none, first that of row {without[0]} of the reports."
        raise Refused("survey weights", why, "a weight for every respondent of the reports.")
    return [weights[respondent] for respondent in respondents]


def draw_findings(
    path: Path, poll: Poll, found: dict[str, tuple[PollFinding, ...]], confidence: Number = "0.95"
) -> None:
    """Draw all questions under each other, with one axis of shares."""
    from textwrap import fill

    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    sizes = [len(found[question.name]) for question in poll.questions]
    figure = Figure(figsize=(7, 1.2 + sum(0.7 + 0.45 * size for size in sizes)), layout="constrained")
    axes = figure.subplots(len(sizes), 1, sharex=True, squeeze=False, height_ratios=[1 + size for size in sizes])
    for ax, question in zip(axes[:, 0], poll.questions, strict=True):
        findings = found[question.name]
        for place, finding in enumerate(findings):
            low, high = finding.estimate.interval(confidence)
            value = min(1.0, max(0.0, finding.estimate.value))
            if misfit(finding.estimate, (low, high)):
                ax.annotate("no share fits these reports", (0.5, place), ha="center", fontsize=9)
                continue
            ax.plot([low, high], [place, place], color="#31688e", linewidth=3, solid_capstyle="butt")
            ax.plot([value], [place], "o", color="#1b1b1b", markersize=6)
            ax.annotate(f"{value:.1%}", (value, place), (0, 7), textcoords="offset points", ha="center", fontsize=9)
        ax.set_yticks(range(len(findings)), [finding.option for finding in findings])
        ax.set_ylim(len(findings) - 0.4, -0.7)
        ax.set_title(fill(question.wording.text, 80), loc="left", fontsize=10)
        ax.grid(axis="x", alpha=0.3)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
    axes[-1, 0].set_xlim(0, 1)
    axes[-1, 0].xaxis.set_major_formatter(PercentFormatter(1))
    axes[-1, 0].set_xlabel(f"share of people, {percent(confidence)} intervals")
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError):
        why = "It cannot be written, or its ending is of no kind of picture."
        raise Refused(f"a figure at {path}", why, "a file ending in .png or .svg, in a folder that is there.") from None
