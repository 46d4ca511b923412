"""A poll for tests of the page and the collector: all randomizers, two samples, one answer worked out in the head."""

from __future__ import annotations

from typing import Any

from tests.local.browser.vectors import NAMED

from tacit.local.randomizers.subset_selection import KaryResponse

YES_NO = ["No", "Yes"]
REGIONS = [f"Region {number}" for number in range(1, 15)]


def group(randomizer: Any, *parts: tuple[str, list[str]], instructions: str = "", hides: str = "") -> dict[str, Any]:
    return {
        "parts": [{"text": text, "options": options} for text, options in parts],
        "randomizer": randomizer and randomizer.written(),
        "instructions": instructions,
        "hides": hides,
    }


POLL: dict[str, Any] = {
    "id": "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e",
    "title": "Exams and honesty",
    "about": "A survey of the student union. It takes about two minutes.",
    "together": ["Whatever you answer, what is sent is at most 13 times as likely as with other answers of yours."] * 2,
    "questions": [
        {
            "name": "cheated",
            "text": "Have you ever cheated in an exam?",
            "groups": [
                group(
                    NAMED["Warner"],
                    ("", YES_NO),
                    hides="Your device sends your answer in 3 of 4 cases, and the opposite in 1 of 4.",
                )
            ],
        },
        {
            "name": "subjects",
            "text": "Which subject do you find hardest?",
            "groups": [
                group(
                    NAMED["pairs"],
                    ("", ["Algebra", "Analysis", "Statistics", "Logic"]),
                    hides="Your device sends two subjects. Yours is more often among them than not.",
                )
            ],
        },
        {
            "name": "crosswise",
            "text": "Compare these two in your head.",
            "groups": [
                group(
                    None,
                    ("", ["Same answer to both", "Different answers"]),
                    instructions="A: Is your mother's birthday in January, February or March?\n"
                    "B: Have you handed in somebody else's work?",
                )
            ],
        },
        {
            "name": "unrelated",
            "text": "Two questions; chance decides which of your answers is sent.",
            "groups": [
                group(NAMED["unrelated"], ("Have you paid for an essay?", YES_NO), ("Were you born in May?", YES_NO)),
                group(None, ("Were you born in May?", YES_NO)),
            ],
        },
        {
            "name": "region",
            "text": "Where do you live?",
            "groups": [group(KaryResponse.within(1, len(REGIONS)), ("", REGIONS), hides="")],
        },
    ],
}
