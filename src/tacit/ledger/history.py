"""The history of an account as people read it: a line for each charge, and how it ended."""

from __future__ import annotations

from fractions import Fraction

from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.course import courses_of
from tacit.loss.families.loss import Loss
from tacit.loss.filters.privacy_filter import Filter


@frozen
class Entry:
    """A charge as people read it: who, when, what, what it cost, and whether it was answered, or failed."""

    number: int
    time: str
    analyst: str
    words: str
    note: str
    loss: Loss  # in the account's currency
    share: Fraction  # of the budget
    stored: bool
    failed: bool


def history_of(chain: Chain, account: int, empty: Filter) -> tuple[Entry, ...]:
    """Every charge, oldest first."""
    return tuple(
        Entry(
            number,
            course.charge.charged.time,
            course.charge.charged.analyst,
            course.charge.charged.words,
            course.charge.charged.note,
            course.charge.charged.loss,
            empty.share(course.charge.charged.loss),
            course.end is not None and not course.is_failed,
            course.is_failed,
        )
        for number, course in courses_of(chain.links("account = ?", account)).items()
    )
