"""How a respondent on paper draws with known probabilities: a coin, two coins, a die or slips in a bag, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import floor, lcm
from typing import Final

from tacit.local.polls.asking import Wording

_MOST_SLIPS: Final = 100
_HIDDEN: Final = "where nobody else can see"
_MARKS: Final = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *map(str, range(1, 1 + _MOST_SLIPS)))


def draw_words(outcomes: Sequence[tuple[str, Fraction]]) -> str:
    """What to throw or draw, and what to do on each outcome, line by line; "" where slips would be more than 100.

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
    """The nearest percentage that is neither nothing nor all: 100 slips can draw it."""
    return f"{min(99, max(1, round(100 * share)))}%"


def mixed(red: Fraction) -> str:
    """What to put into a bag, so that a slip is red with this probability; "" where slips would be more than 100."""
    if red.denominator > _MOST_SLIPS:
        return ""
    return f"{red.numerator} marked Red and {red.denominator - red.numerator} marked Black"


def nobody_can_tell(wording: Wording, drawn: str = "the coin") -> str:
    """Why an answer that is drawn by a coin, or by what is named, can be denied, in lay words."""
    if len(wording.options) == 2:
        return f"If a “{wording.options[1]}” comes in from you, nobody can tell whether you or {drawn} said so."
    return f"Whichever option comes in from you, nobody can tell whether you or {drawn} chose it."


def tool(words: str) -> str:
    """What these words have a respondent throw or draw."""
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
