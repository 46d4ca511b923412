"""One question of a poll: its words, and the design by which it is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.polls.asking import Group, Wording
from tacit.local.polls.designs.design import Design
from tacit.local.polls.finding import Finding

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


@frozen
class Question:
    """A name for who reads the findings, words for the respondent, a design for both."""

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

    def findings(self, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None) -> tuple[Finding, ...]:
        """What the answers say about every option."""
        return self.design.findings(self.wording, answers, weights)

    def written(self, name: str) -> dict[str, Any]:
        """What the collector is told, under the name that stands in reports; a page is told one group of it."""
        return {
            "name": name,
            "text": self.wording.text,
            "groups": [group.written() for group in self.groups],
        }
