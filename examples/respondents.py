"""Made-up respondents of a poll: each has an answer, and a device that randomises it as the poll's page would."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tacit.local.polls.poll_file import read_poll


def answer_poll(poll: Path, reports: Path, people: int, share: float) -> None:
    """Reports of so many people, of whom this share would truly say yes; the device draws real randomness."""
    asked = read_poll(poll)
    population = Random(1)
    with reports.open("w") as lines:
        for respondent in range(people):
            answers = {}
            for number, (group,) in enumerate((question.groups for question in asked.questions), start=1):
                assert group.randomizer is not None
                answers[f"q{number}"] = [0, group.randomizer.report(int(population.random() < share))]
            submission = {"poll": asked.id, "respondent": f"{respondent:032x}", "answers": answers}
            lines.write(json.dumps(submission) + "\n")
