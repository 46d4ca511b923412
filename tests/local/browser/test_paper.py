"""The sheet: what to throw or draw gives the stated probabilities, the options stand there, each with a box."""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.local.browser.test_designs_in_the_browser import question
from tests.local.browser.test_hidden_from_groups import designed

from tacit.__main__ import app
from tacit.errors import Refused
from tacit.local.browser.paper import write_sheet
from tacit.local.polls.catalogue import CATALOGUE
from tacit.local.polls.designs.chance import draw_words
from tacit.local.polls.poll import Poll


def law_of(words: str) -> dict[str, Fraction]:
    """The probabilities of what somebody does who follows the words to the letter, with fair coins and dice."""
    first, *cases = words.split("\n")
    rules = dict(case.removeprefix("– ").split(": ", 1) for case in cases)
    if "slips" in first:
        marks = {letter: int(count) for count, letter in re.findall(r"(\d+) marked ([A-Z])", first)}
        throws = [f"A slip marked {letter}" for letter, count in marks.items() for _ in range(count)]
        assert f"with {len(throws)} slips" in first
    elif "die" in first:
        throws = [next(case for case in rules if str(face) in re.findall(r"\d", case)) for face in range(1, 7)]
    elif "two coins" in first:
        throws = [_coins(rules, larger, smaller) for larger, smaller in product("HT", repeat=2)]
    else:
        throws = ["Heads", "Tails"]
    done = [rules[throw] for throw in throws]
    return {do: Fraction(done.count(do), len(done)) for do in done}


def _coins(rules: dict[str, str], larger: str, smaller: str) -> str:
    names = {
        "HH": ["Two heads"],
        "TT": ["Two tails"],
        "HT": ["Only the larger heads"],
        "TH": ["Only the smaller heads"],
    }
    mixed = ["One heads, one tails"] if larger != smaller else []
    return next(name for name in [*names[larger + smaller], *mixed, "Anything else"] if name in rules)


@pytest.mark.parametrize(
    ("shares", "needed"),
    [
        ("1/2 1/2", "You need a coin."),
        ("3/4 1/4", "You need two coins."),
        ("1/4 3/4", "You need two coins."),
        ("1/2 1/4 1/4", "You need two coins."),
        ("1/4 1/4 1/4 1/4", "You need two coins, one larger"),
        ("4/6 1/6 1/6", "You need a die."),
        ("1/3 2/3", "You need a die."),
        ("1/3 1/3 1/3", "You need a die."),
        ("7/10 3/10", "You need a bag with 10 slips"),
        ("99/100 1/100 0", "You need a bag with 100 slips"),
        ("1/8 7/8", "You need a bag with 8 slips"),
    ],
)
def test_whoever_follows_the_words_draws_with_the_stated_probabilities(shares: str, needed: str) -> None:
    wanted = {f"do {place}": Fraction(share) for place, share in enumerate(shares.split())}
    words = draw_words(list(wanted.items()))
    assert words.startswith(needed)
    assert law_of(words) == {do: share for do, share in wanted.items() if share}


def test_what_cannot_be_drawn_by_hand_is_not_printed() -> None:
    assert draw_words([("a", Fraction(1, 101)), ("b", Fraction(100, 101))]) == ""
    for name in ("kary", "subset"):
        with pytest.raises(Refused, match="question 1 on paper"):
            write_sheet(Poll("ab" * 16, "t", (question(name),)))


@pytest.mark.parametrize("design", [name for name in CATALOGUE if name not in ("kary", "subset")])
def test_a_sheet_says_what_to_do_and_has_a_box_for_every_option(design: str) -> None:
    poll = Poll("ab" * 16, "A survey", (question(design),))
    for version in range(poll.versions):
        sheet = write_sheet(poll, version)
        (group,) = poll.version(version)
        assert re.findall(r'<li><span class="box"></span>(.*?)</li>', sheet) == list(group.boxes)
        assert all(line in unescape(sheet) for line in group.instructions.split("\n"))
        assert ("Version " in sheet) == (poll.versions > 1)
        if group.randomizer is not None:
            assert "You need" in sheet
            assert "where nobody else can see" in sheet


def test_a_deck_is_not_chosen_in_sight() -> None:
    """Whoever saw which bag a slip is drawn from would see the answer: one is drawn from each."""
    sheet = write_sheet(Poll("ab" * 16, "A survey", (question("kuk"),)))
    assert "Bag 1: 4 marked Red and 1 marked Black. Bag 2: 1 marked Red and 4 marked Black." in sheet
    assert "Draw one slip from each bag" in sheet


def test_the_command_writes_sheets(tmp_path: Path) -> None:
    path = designed(tmp_path, "warner")
    sheet = CliRunner().invoke(app, ["poll", "page", str(path), "--paper"]).output
    assert "– Two heads: tick the opposite of your true answer." in sheet
    assert sheet.count('class="box"') == 2
    refused = CliRunner().invoke(app, ["poll", "page", str(designed(tmp_path, "kary", "--name=other")), "--paper"])
    assert refused.exit_code == 2
    assert "question 2 on paper" in refused.output
