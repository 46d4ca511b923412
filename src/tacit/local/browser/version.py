"""One version of a poll as its page is told it: of every question the one group that it asks, and nothing of others."""

from __future__ import annotations

import json
from typing import Any

from tacit.errors import Refused
from tacit.local.browser.questionnaire import GroupTold, Questionnaire

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def told(asked: Questionnaire, place: int) -> dict[str, Any]:
    """What the page of this version holds.

    Claim: where a group is not asked the sensitive question, the question's words are nowhere in it. Proof: no other
    group is in it, a question is called by its number, and whatever else says them (a title, a note, another question)
    is found by search and refused.
    """
    samples = [min(place, len(question.groups) - 1) for question in asked.questions]
    groups = [question.groups[sample] for question, sample in zip(asked.questions, samples, strict=True)]
    page = {
        "id": asked.id,
        "title": asked.title,
        "about": asked.about,
        "together": asked.together[place] if place < len(asked.together) else "",
        "versions": asked.versions,
        "questions": [
            {
                "name": question.name,
                "text": question.text if _is_headed(group) else "",
                "sample": sample,
                "group": group.model_dump(mode="json", exclude={"asks"}),
            }
            for question, sample, group in zip(asked.questions, samples, groups, strict=True)
        ],
    }
    whole = _plain(page)
    for number, (question, group) in enumerate(zip(asked.questions, groups, strict=True), start=1):
        words = _plain(question.text).strip('"?!. ')
        if not group.asks and words and words in whole:
            raise Refused(
                f"version {LETTERS[place]} of this poll",
                f"It would show what question {number} asks others, in the title, in `about` or in another question.",
                "a title, a note and questions that do not repeat its words.",
            )
    return page


def _is_headed(group: GroupTold) -> bool:
    """Whether the question's own words are what is answered."""
    return group.randomizer is not None and len(group.parts) == 1


def _plain(words: object) -> str:
    """As JSON writes it, without regard to capitals and spaces."""
    return " ".join(json.dumps(words, ensure_ascii=False).casefold().split())
