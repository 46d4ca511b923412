"""The texts for respondents: no internal names, odds before Greek, “both answers” only where there are two."""

from __future__ import annotations

import json

import pytest
from tests.local.browser.test_designs_in_the_browser import question

from tacit.local.browser.page import told
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.polls.designs.design import odds_words
from tacit.local.polls.designs.randomized_response import ForcedDesign, Kuk, WarnerDesign
from tacit.local.polls.designs.wording import Wording
from tacit.local.polls.poll import Poll
from tacit.local.polls.poll_file import CATALOGUE

ASKED = Wording("Have you?")


def test_a_coin_could_have_said_it() -> None:
    (group,) = WarnerDesign("3/4").groups(ASKED)
    assert group.hides == (
        "If a “Yes” comes in from you, nobody can tell whether you or the coin said so. Whoever sees it, and thought "
        "both answers equally likely before, then has odds of at most 3 to 1 on one of them, and is right at most 75% "
        "of the time: ε = ln 3 (1.099)."
    )


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_words_fit_the_number_of_answers(name: str) -> None:
    asked = question(name)
    for group in asked.groups:
        assert ("both answers equally" in group.hides) == (name in ("warner", "forced", "kuk"))
        assert "odds" not in group.hides or group.hides.index("odds") < group.hides.index("ε")
        assert group.hides or not group.asks


def test_nothing_internal_is_told_to_a_page() -> None:
    poll = Poll("ab" * 16, "All", tuple(question(name) for name in CATALOGUE))
    for version in range(2):
        page = told(Questionnaire.of(poll.written()), version)
        assert [each["name"] for each in page["questions"]] == [f"q{number}" for number in range(1, 12)]
        words = json.dumps(page).replace("Have you, by", "")
        assert not [name for name in ("at_least_one", "unrelated_estimated", "asks", "innocuous") if name in words]
        assert all(not each["group"]["instructions"] for each in page["questions"] if each["group"]["randomizer"])
        assert "This does not count questions 4, 5" in page["together"]


def test_a_colour_or_an_answer_that_gives_away_says_so() -> None:
    assert "shows your answer" in Kuk(1, "1/2").groups(ASKED)[0].hides
    assert "a “Yes” is true" in ForcedDesign("1/2", 0, "1/2").groups(ASKED)[0].hides
    assert "a “No” is true" in ForcedDesign("1/2", "1/2", 0).groups(ASKED)[0].hides


@pytest.mark.parametrize(("epsilon", "said"), [(1.0986122886681098, "3 to 1"), (1.0, "2.8 to 1"), (7.0, "1,097 to 1")])
def test_odds_are_rounded_up(epsilon: float, said: str) -> None:
    assert odds_words(epsilon) == said
