"""What a respondent is asked: the words of a question, the parts of it that a design shows, and to whom."""

from __future__ import annotations

from typing import Any, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer

YES_NO: Final = ("No", "Yes")


@frozen
class Wording:
    """The words: the sensitive question, its options, and what a design asks beside it."""

    text: str
    options: tuple[str, ...] = YES_NO
    innocuous: str = ""
    items: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise Refused("a question", "It has no text.", "such as “Have you ever …?”.")
        plain = {option.strip() for option in self.options} - {""}
        if not (len(self.options) > 1 and len(plain) == len(self.options)):
            why = "There are fewer than two, one is blank, or two are the same."
            raise Refused(f"the options of “{self.text}”", why, "two or more that differ: --option A --option B.")

    def beside(self) -> str:
        """The innocuous question; a design that needs one is refused without."""
        if not self.innocuous:
            raise Refused(
                f"the question “{self.text}”",
                "This design asks an innocuous question beside it.",
                'innocuous = "…", such as "Was your mother born in January, February or March?"',
            )
        return self.innocuous


@frozen
class Part:
    """One thing to choose."""

    text: str
    options: tuple[str, ...]

    def written(self) -> dict[str, Any]:
        return {"text": self.text, "options": list(self.options)}


@frozen
class Group:
    """Respondents who are asked the same: what they choose, what their device does with it, what they are told.

    Where nothing is drawn by a device, `instructions` are what everybody reads; else they are for paper, and "" where a
    coin, a die or slips cannot do it. `hides` says in lay words what keeps the answer from being known.
    """

    parts: tuple[Part, ...]
    randomizer: Randomizer[Any] | None
    instructions: str
    hides: str = ""
    asks: bool = True
    """Whether the sensitive question is asked here; where it is not, nobody may come to see it."""

    reports: tuple[str, ...] | None = None
    """What reports are called, where they are not called as the options are."""

    hides_on_paper: str = ""
    """The same as `hides` for whoever draws by hand; "" where that is no different."""

    by_hand: str = ""
    """Where nobody can draw this by hand: the nearest design that can be, as options of `tacit poll design`."""

    @property
    def answers(self) -> int:
        """How many answers there are: one option of every part."""
        found = 1
        for part in self.parts:
            found *= len(part.options)
        return found

    @property
    def boxes(self) -> tuple[str, ...]:
        """What a respondent on paper can tick: the names of the reports."""
        return self.reports or self.parts[0].options

    def written(self) -> dict[str, Any]:
        """What a device is told; of what is drawn on paper it has no use."""
        return {
            "parts": [part.written() for part in self.parts],
            "randomizer": None if self.randomizer is None else self.randomizer.written(),
            "instructions": "" if self.randomizer is not None else self.instructions,
            "hides": self.hides,
            "asks": self.asks,
            **({} if self.reports is None else {"reports": list(self.reports)}),
        }
