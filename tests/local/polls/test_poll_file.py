"""Polls as files: what is written is read back, what is wrong is refused by its key; all questions share one cost."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.local.polls.designs.wording import Wording
from tacit.local.polls.poll_file import CATALOGUE, design_of, new_poll_text, poll_from, question_text, read_poll

ID = "0123456789abcdef" * 2
ASK = {"name": "cheated", "text": "Have you?", "design": "warner", "truth": "3/4"}
WORDS = Wording("Have you?", innocuous="Was your mother born in spring?", items=("Do you drive?", "Is tea good?"))
NUMBERS: dict[str, dict[str, str]] = {
    "warner": {"truth": "3/4"},
    "forced": {"truth": "4/6", "yes": "1/6", "no": "1/6"},
    "kuk": {"red_if_yes": "4/5", "red_if_no": "1/5"},
    "crosswise": {"prevalence": "1/4"},
    "triangular": {"prevalence": "1/4"},
    "unrelated": {"sensitive": "7/10", "prevalence": "1/4"},
    "unrelated-estimated": {"sensitive": "7/10"},
    "at-least-one": {},
    "list": {},
    "kary": {"epsilon": "2"},
    "subset": {"epsilon": "2"},
}


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_every_design_is_written_and_read_back(name: str, tmp_path: Path) -> None:
    path = tmp_path / "poll.toml"
    path.write_text(new_poll_text("A poll") + question_text("asked", WORDS, name, NUMBERS[name]), "utf-8")
    poll = read_poll(path)
    assert read_poll(str(path)) == poll
    (question,) = poll.questions
    assert question.design == design_of(name, WORDS, NUMBERS[name])
    assert question.wording == WORDS
    told = poll.written()
    assert len(told["questions"][0]["groups"]) == len(question.groups)
    assert question.design.people_for("0.1") > 10


@given(text=st.text(min_size=1).filter(str.strip))
def test_any_words_survive_the_file(text: str) -> None:
    import tomllib

    whole = new_poll_text(text) + question_text("asked", Wording(text, ("a" + text, "b")), "warner", {"truth": "3/4"})
    poll = poll_from(tomllib.loads(whole))
    assert poll.title == text
    assert poll.questions[0].wording.text == text


def test_questions_compose_into_one_budget() -> None:
    two = [ASK, {**ASK, "name": "lied", "design": "forced", "truth": "4/6", "yes": "1/6", "no": "1/6"}]
    poll = poll_from({"id": ID, "title": "t", "questions": two})
    assert poll.protection.epsilon == pytest.approx(math.log(15))
    assert poll.written()["together"] == [
        "Whoever sees all that is sent, and thought two sets of answers equally likely before, then has odds of at "
        "most 15 to 1 on one of them, and is right at most 83.4% of the time: ε = ln 15 (2.708)."
    ]
    three = [*two, {"name": "stole", "text": "?", "design": "triangular", "prevalence": "1/4", "innocuous": "?"}]
    exposed = poll_from({"id": ID, "title": "t", "questions": three}).protection
    assert exposed.epsilon == math.inf
    assert "(question 3)" in str(exposed)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({}, r"(?s)id: It is missing.*title: It is missing.*questions: It is missing"),
        ({"id": "x", "title": "t", "questions": [ASK]}, "id"),
        ({"id": ID, "title": 3, "questions": [ASK]}, "title"),
        ({"id": ID, "title": "t", "questions": []}, "There is none"),
        ({"id": ID, "title": "t", "questions": [ASK, ASK]}, "two have one name"),
        ({"id": ID, "title": "t", "questions": ["x"]}, r"questions\.1 in the poll"),
        (
            {"id": ID, "title": "t", "questions": [{**ASK, "trutth": "1"}]},
            r"questions\.1\.trutth in the poll.*Accepted: truth, if that",
        ),
        ({"id": ID, "title": "t", "questions": [{**ASK, "design": "magic"}]}, "magic"),
        ({"id": ID, "title": "t", "questions": [{**ASK, "epsilon": "1"}]}, "It takes"),
        ({"id": ID, "title": "t", "questions": [{**ASK, "truth": True}]}, "truth"),
        ({"id": ID, "title": "t", "questions": [{**ASK, "name": "Not so"}]}, "named"),
        ({"id": ID, "title": "t", "questions": [{**ASK, "text": " "}]}, "no text"),
        ({"id": ID, "title": "t", "questions": [{**ASK, "options": ["a", "b", "c"]}]}, "has two"),
        (
            {"id": ID, "title": "t", "questions": [{**ASK, "options": ["a", 3]}]},
            r"questions\.1\.options\.2 in the poll\. It is not text",
        ),
        ({"id": ID, "title": "t", "questions": [ASK], "colour": "red"}, "colour"),
    ],
)
def test_what_is_no_poll_is_refused_by_its_key(found: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        poll_from(found)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="No such file"):
        read_poll(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("id = ")
    with pytest.raises(Refused, match="no TOML"):
        read_poll(tmp_path / "bad.toml")


def test_submissions_are_read_question_by_question() -> None:
    asked = [
        ASK,
        {"name": "kind", "text": "Which?", "design": "subset", "epsilon": "1", "options": ["a", "b", "c", "d", "e"]},
        {"name": "spring", "text": "?", "design": "at-least-one", "innocuous": "?"},
    ]
    poll = poll_from({"id": ID, "title": "t", "questions": asked})
    submissions = [
        {
            "respondent": f"{place:032x}",
            "answers": {"q1": [0, place % 2], "q2": [0, report], "q3": [group, 1]},
        }
        for place, (report, group) in enumerate([([0], 0), ([1], 1), (None, 1), ([2], 0)])
    ]
    size = poll.questions[1].design.response.size  # type: ignore[attr-defined]
    for each in submissions:
        if each["answers"]["q2"][1] is not None:  # type: ignore[index]
            each["answers"]["q2"][1] = list(range(size))  # type: ignore[index]
    found = poll.findings(submissions)
    assert [finding.option for finding in found["kind"]] == ["a", "b", "c", "d", "e"]
    assert found["cheated"][0].estimate.value == pytest.approx(0.5)
    assert found["kind"][0].describe().startswith("a: 100.0%")
    weights = {f"{place:032x}": 1.0 + place for place in range(4)}
    assert poll.findings(submissions, weights).keys() == found.keys()
    with pytest.raises(Refused, match=r"4 of 4 respondents have none, first that of row 1 of"):
        poll.findings(submissions, {})
