"""Which submissions a poll's devices could have sent: every report of the alphabet, and nothing beside it."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError
from itertools import product
from typing import Any

import pytest
from tests.local.browser.asked import POLL, REGIONS, YES_NO, group
from tests.local.browser.vectors import NAMED

from tacit.errors import Refused
from tacit.local.browser.questionnaire import GroupTold, Questionnaire
from tacit.local.browser.report_file import read_submission, write_submission
from tacit.schema.file_grammar import read_section
from tacit.schema.names import Problems, RefusedDescription

SMALL = [name for name, each in NAMED.items() if each.answers <= 10]
NEARBY: list[Any] = [-1, *range(12), True, False, 1.0, "1", [], [0], {}, 10**30]
GOOD: dict[str, Any] = {
    "poll": POLL["id"],
    "respondent": "0" * 31 + "a",
    "answers": {
        "cheated": [0, 1],
        "subjects": [0, [1, 3]],
        "crosswise": [0, 0],
        "unrelated": [1, 1],
        "region": [0, None],
    },
}


def group_told(written: dict[str, Any]) -> GroupTold:
    problems = Problems("a group")
    told = read_section(GroupTold, written, problems, {})
    problems.refuse_if_any()
    return told


@pytest.mark.parametrize("name", SMALL)
def test_a_group_admits_the_alphabet_and_nothing_beside_it(name: str) -> None:
    randomizer = NAMED[name]
    told = group_told(group(randomizer, ("", [str(each) for each in range(randomizer.answers)])))
    alphabet = [list(each) if isinstance(each, tuple) else each for each in randomizer.alphabet()]
    assert all(told.admits(report) for report in alphabet)
    sets = [list(each) for size in range(5) for each in product(range(-1, 6), repeat=size)]
    known = {repr(each) for each in alphabet}
    assert [each for each in NEARBY + sets if told.admits(each) and repr(each) not in known] == []


def test_an_answer_that_is_its_own_report_is_one_of_the_combinations() -> None:
    told = group_told(group(None, ("", YES_NO), ("", ["a", "b", "c"])))
    assert [each for each in range(-3, 20) if told.admits(each)] == list(range(6))
    assert told.admits(None)


def test_a_submission_is_read_as_it_was_written() -> None:
    asked = Questionnaire.of(POLL)
    assert read_submission(write_submission(GOOD), asked) == GOOD
    assert write_submission(GOOD).count(b"\n") == 1


def changed(**parts: Any) -> bytes:
    return json.dumps(GOOD | parts).encode()


def answered(**answers: Any) -> bytes:
    return changed(answers=GOOD["answers"] | answers)


BAD = {
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b'"\xff"',
    "a list": b"[]",
    "deep": b"[" * 60_000,
    "another poll": changed(poll="0" * 32),
    "no respondent": changed(respondent=None),
    "a respondent of capitals": changed(respondent="A" * 32),
    "a respondent with an end of line": changed(respondent="a" * 32 + "\n"),
    "a long respondent": changed(respondent="a" * 33),
    "more than is asked": changed(more=1),
    "no answers": changed(answers=None),
    "a question too few": changed(answers={"cheated": [0, 1]}),
    "a question too many": answered(other=[0, 1]),
    "no group": answered(cheated=1),
    "an unknown group": answered(unrelated=[2, 0]),
    "a group of no type": answered(unrelated=[True, 0]),
    "a negative group": answered(unrelated=[-1, 0]),
    "an unknown report": answered(cheated=[0, 2]),
    "a report that is a truth value": answered(cheated=[0, True]),
    "a report with a point": answered(cheated=[0, 1.0]),
    "no set": answered(subjects=[0, 1]),
    "a set that is not sorted": answered(subjects=[0, [3, 1]]),
    "a set with a repeat": answered(subjects=[0, [1, 1]]),
    "a set too large": answered(subjects=[0, [0, 1, 2]]),
    "a key twice": json.dumps(GOOD).encode().replace(b'"cheated"', b'"cheated": [0, 0], "cheated"'),
    "not a number": json.dumps(GOOD).encode().replace(b"[0, null]", b"[0, NaN]"),
    "digits without end": json.dumps(GOOD).encode().replace(b"[0, null]", b"[0, " + b"9" * 5000 + b"]"),
    "too large": json.dumps(GOOD).encode() + b" " * 65_536,
}


@pytest.mark.parametrize("name", BAD)
def test_what_no_device_sends_is_refused_in_constant_words(name: str) -> None:
    with pytest.raises(Refused) as caught:
        read_submission(BAD[name], Questionnaire.of(POLL))
    assert str(caught.value).startswith("Refused: a submission. It is no submission of this poll.")


SPOILT: list[tuple[str, list[Any], Any]] = [
    ("id", ["id"], "1234"),
    ("no questions", ["questions"], []),
    ("one option", ["questions", 0, "groups", 0, "parts", 0, "options"], ["Yes"]),
    ("weights as numbers", ["questions", 0, "groups", 0, "randomizer", "weights"], [[3, 1], [1, 3]]),
    ("totals that differ", ["questions", 0, "groups", 0, "randomizer", "weights"], [["3", "1"], ["1", "4"]]),
    ("rows for other options", ["questions", 0, "groups", 0, "randomizer", "weights"], [["3", "1"]] * 3),
    ("all options", ["questions", 1, "groups", 0, "randomizer", "size"], 4),
    ("another kind", ["questions", 0, "groups", 0, "randomizer", "kind"], "laplace"),
    ("more regions than asked", ["questions", 4, "groups", 0, "randomizer", "options"], len(REGIONS) + 1),
    ("a name twice", ["questions", 1, "name"], "cheated"),
    ("too few names of reports", ["questions", 0, "groups", 0, "reports"], ["Red"]),
]


@pytest.mark.parametrize(("what", "place", "value"), SPOILT, ids=[each[0] for each in SPOILT])
def test_a_poll_that_no_device_could_ask_is_refused(what: str, place: list[Any], value: Any) -> None:
    poll = copy.deepcopy(POLL)
    inner: Any = poll
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(Refused, match="questionnaire"):
        Questionnaire.of(poll)


def test_all_faults_of_a_poll_are_told_at_once_with_place_and_cure() -> None:
    poll = copy.deepcopy(POLL) | {"id": "1234"}
    del poll["title"]
    poll["questions"][0]["groups"][0]["randomizer"]["kind"] = "laplace"
    poll["questions"][1]["groups"][0]["randomizer"]["size"] = 4
    with pytest.raises(RefusedDescription) as caught:
        Questionnaire.of(poll)
    assert [(problem.key, problem.cure) for problem in caught.value.problems] == [
        ("id", "32 hexadecimal digits in lower case."),
        ("title", "a value for this key."),
        ("questions.0.groups.0.randomizer.kind", "'table', 'kary' or 'subset'."),
        ("questions.1.groups.0.randomizer", "fewer than all options."),
    ]


def test_what_was_read_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Questionnaire.of(POLL).title = "Another"


def test_devices_are_told_only_what_they_need() -> None:
    poll = copy.deepcopy(POLL) | {"notes": "for the researcher"}
    poll["questions"][0]["guess"] = 0.3
    told = Questionnaire.of(poll).written()
    assert "researcher" not in json.dumps(told)
    assert "guess" not in json.dumps(told)
