"""A study: the data set and the polls that ask the same people, in one view."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tacit.curator.books import Books
from tacit.errors import Refused
from tacit.local.polls.poll_file import read_poll
from tacit.loss.composition.study_cost import Study, StudyPart
from tacit.loss.families.loss import Relation


def study_of(books: Books, name: str, polls: Sequence[Path], shuffled: int | None = None) -> Study:
    """What the whole budget and these polls cost one person; a poll that costs infinitely much is refused."""
    central = StudyPart(f"{name}, all of its budget", books.description.budget, books.description.unit.relation)
    return Study((central, *(_asked(path, shuffled) for path in polls)))


def _asked(path: Path, shuffled: int | None) -> StudyPart:
    poll = read_poll(path)
    if shuffled is not None:
        return StudyPart(f"{path.name}, shuffled among {shuffled:,}", poll.shuffled(shuffled), Relation.REPLACE)
    protection = poll.protection
    if protection.loss is None:
        raise Refused(
            f"what {path} costs beside the data",
            f"Its ε is infinite, because {protection.because}.",
            "polls whose designs have a finite ε, such as warner, forced, kary or subset.",
        )
    return StudyPart(f"{path.name}, a report to each question", protection.loss, Relation.REPLACE)
