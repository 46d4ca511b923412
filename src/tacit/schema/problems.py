"""The problems of a description, collected so that all are reported together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.toml_text import dotted

P = ParamSpec("P")
T = TypeVar("T")


@frozen
class Problem:
    """One problem: its key, the reason, and what is accepted there."""

    key: str
    why: str
    cure: str

    def __str__(self) -> str:
        return f"{self.key}: {self.why} Accepted: {self.cure}"


class RefusedDescription(Refused):
    """A description that cannot be used as it is; `problems` says what to change, key by key."""

    has_lines = True

    def __init__(self, asked: str, problems: tuple[Problem, ...]) -> None:
        if len(problems) == 1:
            only = problems[0]
            super().__init__(f"{only.key} in {asked}", only.why, only.cure)
        else:
            lines = "".join(f"\n  {problem}" for problem in problems)
            why = f"{len(problems)} things in it are wrong:{lines}\n"
            super().__init__(asked, why, "the same file with these put right.")
        self.problems = problems

    def __reduce__(self) -> tuple[Callable[..., RefusedDescription], tuple[str, tuple[Problem, ...]]]:
        asked = self.asked.removeprefix(f"{self.problems[0].key} in ") if len(self.problems) == 1 else self.asked
        return RefusedDescription, (asked, self.problems)


@dataclass
class Problems:
    """The problems found so far in one file."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def add(self, place: tuple[str, ...], why: str, cure: str) -> None:
        """Note a problem at a place of the file, once."""
        problem = Problem(dotted(place) or "the file", why, cure)
        if problem not in self.found:
            self.found.append(problem)

    def attempt(
        self, place: tuple[str, ...], instead: T, reader: Callable[P, T], *given: P.args, **named: P.kwargs
    ) -> T:
        """The result of the reader.

        A refusal is noted as a problem, and `instead` is used until the file is refused.
        """
        try:
            return reader(*given, **named)
        except Refused as refusal:
            self.add(place, refusal.why, refusal.accepted)
            return instead

    def refuse_if_any(self) -> None:
        """Refuse the file if any problem was noted."""
        if self.found:
            raise RefusedDescription(self.file, tuple(self.found))
