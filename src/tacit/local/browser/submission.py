"""One respondent's submission as it travels: JSON in bytes, checked against the poll it claims to answer."""

from __future__ import annotations

import json
import re
from typing import Any

from tacit.errors import Refused
from tacit.local.browser.questionnaire import Questionnaire, is_below

LARGEST = 1 << 16  # bytes of one submission
RESPONDENT = re.compile(r"[0-9a-f]{32}")


def read_submission(text: bytes, asked: Questionnaire) -> dict[str, Any]:
    """The submission, if a device that was told this poll could have sent it; refused in constant words otherwise."""
    try:
        found = json.loads(text.decode("utf-8"), object_pairs_hook=_without_repeats) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        found = None
    if not _answers(found, asked):
        raise Refused("a submission", "It is no submission of this poll.", "what the poll's own page sends.")
    assert isinstance(found, dict)
    return found


def write_submission(submission: dict[str, Any]) -> bytes:
    """Its one line in a file of reports."""
    return json.dumps(submission, separators=(",", ":")).encode() + b"\n"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key that comes twice could be read in two ways."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError
    return read


def _answers(found: object, asked: Questionnaire) -> bool:
    if not (
        isinstance(found, dict) and found.keys() == {"poll", "respondent", "answers"} and found["poll"] == asked.id
    ):
        return False
    if not (isinstance(found["respondent"], str) and RESPONDENT.fullmatch(found["respondent"])):
        return False
    answers = found["answers"]
    if not (isinstance(answers, dict) and answers.keys() == {question.name for question in asked.questions}):
        return False
    return all(_answers_question(answers[question.name], question.groups) for question in asked.questions)


def _answers_question(answer: object, groups: list[Any]) -> bool:
    if not (isinstance(answer, list) and len(answer) == 2 and is_below(answer[0], len(groups))):
        return False
    admitted: bool = groups[answer[0]].admits(answer[1])
    return admitted
