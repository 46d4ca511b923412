"""The sheet: what to throw or draw gives the stated probabilities, the options stand there, each with a box."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.local.browser.test_designs_in_the_browser import question
from tests.local.browser.test_hidden_from_groups import designed

from tacit.cli.main import app
from tacit.errors import Refused
from tacit.local.browser.page import write_sheet
from tacit.local.polls.designs.wording import draw_words
from tacit.local.polls.poll import Poll
from tacit.local.polls.poll_file import CATALOGUE, read_poll


def law_of(words: str) -> dict[str, Fraction]:
    """The probabilities of reports for a respondent who follows the instructions exactly, with fair coins and dice."""
    first, *cases = words.split("\n")
    rules = dict(case.removeprefix("– ").split(": ", 1) for case in cases)
    if "slips" in first:
        marks = {letter: int(count) for count, letter in re.findall(r"(\d+) marked (\w+)", first)}
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


LONG = "0.7123456"
OPTIONS = ["--option=Red", "--option=Green", "--option=Blue"]
BESIDE = "--innocuous=Is your birthday in spring?"


@pytest.mark.parametrize(
    "words",
    [
        ["--epsilon=1"],
        ["--epsilon=0.05"],
        [f"--truth={LONG}"],
        ["--truth=0.2999"],
        ["--design=forced", "--epsilon=1.5"],
        ["--design=forced", "--truth=0.3333", "--yes=0.6667", "--no=0"],
        ["--design=kary", *OPTIONS, "--epsilon=1"],
        ["--design=kary", *OPTIONS, "--epsilon=0.1"],
        ["--design=kary", *OPTIONS, "--epsilon=6"],
        ["--design=kary", *[f"--option={number}" for number in range(40)], f"--truth={LONG}"],
        ["--design=subset", *OPTIONS, "--epsilon=0.5"],
        ["--design=kuk", f"--red-if-yes={LONG}", "--red-if-no=0.123"],
        ["--design=kuk", "--red-if-yes=0.301", "--red-if-no=0.302"],
        ["--design=unrelated", BESIDE, f"--sensitive={LONG}", "--prevalence=1/4"],
        ["--design=unrelated-estimated", BESIDE, "--sensitive=0.999"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_whoever_follows_the_cure_of_a_refused_sheet_gets_one(words: list[str], tmp_path: Path) -> None:
    """And never with a larger ε than was asked for, but for Kuk's, whose shares are rounded."""
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    made = CliRunner().invoke(app, ["poll", "design", "Which?", "--file", str(first), *words])
    assert made.exit_code == 0, made.output
    paper = ["--paper", "--out", str(tmp_path / "sheet.html")]
    refused = CliRunner().invoke(app, ["poll", "page", str(first), *paper])
    assert refused.exit_code == 2
    found = re.search(r"a poll designed with (.*), or the page without --paper", refused.output)
    assert found, refused.output
    cure = shlex.split(found[1])
    replaced = [*cure[::2], "--truth", "--yes", "--no", "--epsilon"] if "--epsilon" in cure else cure[::2]
    kept = [word for word in words if word.partition("=")[0] not in replaced]
    again = CliRunner().invoke(app, ["poll", "design", "Which?", "--file", str(second), *kept, *cure])
    assert again.exit_code == 0, again.output
    done = CliRunner().invoke(app, ["poll", "page", str(second), *paper])
    assert done.exit_code == 0, done.output
    if "--epsilon" in cure:
        asked, had = (read_poll(path).protection.epsilon for path in (second, first))
        assert 0.8 * min(had, 4) < asked <= had + 1e-9


@pytest.mark.parametrize(
    ("options", "how", "needed"),
    [
        (3, "--truth=1/2", "You need two coins, one larger"),
        (3, "--truth=2/3", "You need a die."),
        (6, "--epsilon=ln 3", "You need a bag with 8 slips"),
        (2, "--truth=75%", "You need two coins."),
        (4, "--epsilon=ln 5/2", "You need a bag with 11 slips"),
        (60, "--epsilon=ln 2", "You need a bag with 61 slips"),
    ],
)
def test_one_of_several_options_has_a_sheet_whose_law_is_the_designs(
    options: int, how: str, needed: str, tmp_path: Path
) -> None:
    """Enumerated: whoever follows the words ticks each box with the probability that estimates reckon with."""
    named = [f"Option {number}" for number in range(options)]
    words = ["poll", "design", "Which?", "--design=kary", how, *[f"--option={name}" for name in named]]
    made = CliRunner().invoke(app, [*words, "--file", str(tmp_path / "poll.toml")])
    assert made.exit_code == 0, made.output
    poll = read_poll(tmp_path / "poll.toml")
    (group,) = poll.questions[0].groups
    assert group.randomizer is not None
    assert group.instructions.startswith(needed)
    law = law_of(group.instructions)
    for own, box in product(range(options), repeat=2):
        ticked = law[f"tick “{named[box]}”, whatever is true."] + (law["tick your true answer."] if own == box else 0)
        assert ticked == group.randomizer.probability(own, box)
    sheet = write_sheet(poll)
    assert re.findall(r'<li><span class="box"></span>(.*?)</li>', sheet) == named


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--truth=3/4"], "you or the coins said so"),
        (["--design=forced", "--truth=1/2", "--yes=1/2", "--no=0"], "you or the coin said so"),
        (["--design=forced", "--truth=4/6", "--yes=1/6", "--no=1/6"], "you or the die said so"),
        (["--design=forced", "--truth=8/10", "--yes=1/10", "--no=1/10"], "you or the slip said so"),
        (["--design=kary", *OPTIONS, "--truth=2/3"], "you or the die chose it"),
    ],
)
def test_a_sheet_speaks_of_what_is_thrown(words: list[str], said: str, tmp_path: Path) -> None:
    path = str(tmp_path / "poll.toml")
    assert CliRunner().invoke(app, ["poll", "design", "Which?", "--file", path, *words]).exit_code == 0
    sheet = CliRunner().invoke(app, ["poll", "page", path, "--paper"]).output
    assert said in sheet
    assert re.findall(r"\b(coins?|die|slips?)\b", sheet.split('class="why"')[1]) == said.split()[3:4]


def test_a_sheet_with_two_bags_speaks_of_no_decks_and_of_80_percent() -> None:
    sheet = write_sheet(Poll("ab" * 16, "A survey", (question("kuk"),)))
    assert "deck" not in sheet
    assert "right at most 80% of the time" in sheet


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
    refused = CliRunner().invoke(app, ["poll", "page", str(designed(tmp_path, "subset", "--name=other")), "--paper"])
    assert refused.exit_code == 2
    assert "question 2 on paper" in refused.output
