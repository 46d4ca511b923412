"""The wording of a question: its text, the parts that a design shows to each group, and how to draw on paper.

A respondent on paper draws with known probabilities by a coin, two coins, a die or slips in a bag.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import floor, lcm
from typing import Any, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer

YES_NO: Final = ("No", "Yes")


@frozen
class Wording:
    """The texts: the sensitive question, its options, and the innocuous question of a design."""

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
class QuestionPart:
    """One choice on the page."""

    text: str
    options: tuple[str, ...]

    def written(self) -> dict[str, Any]:
        return {"text": self.text, "options": list(self.options)}


@frozen
class Group:
    """Respondents with the same questions: their choices, the randomizer of their device, and their instructions.

    Where nothing is drawn by a device, `instructions` are for all respondents; else they are for paper, and "" where a
    coin, a die or slips cannot do it. `hides` explains in plain words what hides the answer.
    """

    parts: tuple[QuestionPart, ...]
    randomizer: Randomizer[Any] | None
    instructions: str
    hides: str = ""
    asks: bool = True
    """Whether the sensitive question is asked here; where it is not, it must not be visible."""

    reports: tuple[str, ...] | None = None
    """The names of reports, where they differ from the options."""

    hides_on_paper: str = ""
    """`hides` for respondents who draw by hand; "" where it is the same."""

    by_hand: str = ""
    """Where this cannot be drawn by hand: the nearest design that can, as options of `tacit poll design`."""

    @property
    def answers(self) -> int:
        """The number of possible answers: one option of every part."""
        found = 1
        for part in self.parts:
            found *= len(part.options)
        return found

    @property
    def boxes(self) -> tuple[str, ...]:
        """The boxes on paper: the names of the reports."""
        return self.reports or self.parts[0].options

    def written(self) -> dict[str, Any]:
        """The part for a device, without the instructions for paper."""
        return {
            "parts": [part.written() for part in self.parts],
            "randomizer": None if self.randomizer is None else self.randomizer.written(),
            "instructions": "" if self.randomizer is not None else self.instructions,
            "hides": self.hides,
            "asks": self.asks,
            **({} if self.reports is None else {"reports": list(self.reports)}),
        }


_MOST_SLIPS: Final = 100
_HIDDEN: Final = "where nobody else can see"
_MARKS: Final = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *map(str, range(1, 1 + _MOST_SLIPS)))


def draw_words(outcomes: Sequence[tuple[str, Fraction]]) -> str:
    """Instructions for the throw or draw, and for each outcome, line by line; "" where slips would be more than 100.

    Claim: an outcome comes up with exactly its probability, if the coins and dice are fair and the slips are mixed.
    """
    possible = [(do, share) for do, share in outcomes if share]
    total = lcm(*(share.denominator for _, share in possible))
    counts = [(do, int(share * total)) for do, share in possible]
    if total == 2:
        return _lines("You need a coin.", f"Toss it {_HIDDEN} it.", zip(("Heads", "Tails"), _dos(counts), strict=True))
    if total == 4:
        return _two_coins(counts)
    if total in (3, 6):
        faces = [(do, count * 6 // total) for do, count in counts]
        return _lines("You need a die.", f"Roll it {_HIDDEN} it.", _faces(faces))
    if total > _MOST_SLIPS:
        return ""
    slips = [f"{count} marked {mark}" for mark, (_, count) in zip(_MARKS, counts, strict=False)]
    needed = f"You need a bag with {total} slips of paper, folded alike: {_listed(slips, 'and')}."
    first = f"Draw one slip without looking, read it {_HIDDEN} it, put it back and mix."
    return _lines(needed, first, ((f"A slip marked {a}", do) for a, do in zip(_MARKS, _dos(counts), strict=False)))


def odds_by_hand(odds: Fraction, options: int = 2) -> str:
    """The ε nearest below ln(odds) of a design over so many options whose odds can be drawn; "" where there is none.

    Odds of a/b take a + b·(options − 1) slips: a − b for the truth, b for each option.
    """
    found = [
        Fraction(min(floor(odds * b), _MOST_SLIPS - (options - 1) * b), b) for b in range(1, _MOST_SLIPS // options + 1)
    ]
    return f'--epsilon "ln {max(found)}"' if found and max(found) > 1 else ""


def whole_percent(share: Fraction) -> str:
    """The nearest percentage from 1 to 99, which 100 slips can draw."""
    return f"{min(99, max(1, round(100 * share)))}%"


def mixed(red: Fraction) -> str:
    """The slips in a bag such that one is red with this probability; "" where slips would be more than 100."""
    if red.denominator > _MOST_SLIPS:
        return ""
    return f"{red.numerator} marked Red and {red.denominator - red.numerator} marked Black"


def nobody_can_tell(wording: Wording, drawn: str = "the coin") -> str:
    """Why an answer that is drawn by a coin, or by the tool named, can be denied, in plain words."""
    if len(wording.options) == 2:
        return f"If a “{wording.options[1]}” comes in from you, nobody can tell whether you or {drawn} said so."
    return f"Whichever option comes in from you, nobody can tell whether you or {drawn} chose it."


def tool(words: str) -> str:
    """The tool of these instructions: a coin, a die or slips."""
    tools = {"You need a coin": "the coin", "You need two": "the coins", "You need a die": "the die"}
    return next((it for start, it in tools.items() if words.startswith(start)), "the slip")


def _two_coins(counts: Sequence[tuple[str, int]]) -> str:
    """Quarters: two heads, two tails, or one of each (which comes in two ways)."""
    by_size = sorted(counts, key=lambda each: each[1])
    cases = {
        (1, 3): ("Two heads", "Anything else"),
        (1, 1, 2): ("Two heads", "Two tails", "One heads, one tails"),
        (1, 1, 1, 1): ("Two heads", "Two tails", "Only the larger heads", "Only the smaller heads"),
    }[tuple(count for _, count in by_size)]
    needed = "You need two coins." if len(cases) < 4 else "You need two coins, one larger than the other."
    return _lines(needed, f"Toss both {_HIDDEN} them.", zip(cases, _dos(by_size), strict=True))


def _faces(counts: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    found, next_face = [], 1
    for do, count in counts:
        found.append((_listed([str(face) for face in range(next_face, next_face + count)], "or"), do))
        next_face += count
    return found


def _dos(counts: Sequence[tuple[str, int]]) -> list[str]:
    return [do for do, _ in counts]


def _listed(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _lines(needed: str, first: str, cases: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"{needed} {first}", *(f"– {case}: {do}" for case, do in cases)])
