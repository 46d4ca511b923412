"""The course of a charge: it runs, marks each stage before it draws noise, and ends in a release or a failure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from tacit.frozen import frozen
from tacit.ledger.events import Again, Charged, Failure, NoiseDraw, Reopened, Settled, Staged
from tacit.ledger.link import Link, damaged

# the payload of a failure in old ledgers, which had no entry for one
_EARLIER: Final = hashlib.sha256(b"failed").hexdigest()


@frozen
class Course:
    """The state of a charge.

    A failure is an answer that no price covers, so it is given once. Claim: under one charge each stage draws at most
    once, and at most one answer (or failure) is seen. Proof: a stage is marked durably before it draws, and no mark is
    set twice; a stage begins after the one before it is stored; and a charge that has ended, or whose process died
    between a mark and its storage, never runs again. If its process died between stages, it may run once more, from the
    first stage that is not stored; after that the steward must reopen it. Where a release may lose stages, the stage
    that was marked and not stored is stored as empty before the run goes on behind it: it does not draw again either.
    """

    charge: Link
    stage: int = 0  # the last stage that was marked or stored; 0 for none
    stored: tuple[Link, ...] = ()  # its stored stages
    is_spare: bool = True  # whether it may still run once more
    end: Link | None = None

    @property
    def is_failed(self) -> bool:
        """Whether it ended in a failure."""
        if self.end is None:
            return False
        event = self.end.event
        return isinstance(event, Failure) or (isinstance(event, Settled) and event.payload == _EARLIER)

    @property
    def may_run_again(self) -> bool:
        """Whether another process may run it after its own died."""
        return self.end is None and self.is_between and self.is_spare

    @property
    def may_lose_a_stage(self) -> bool:
        """Whether all but the last noise drawn is stored, and another process may run it after its own died."""
        return self.end is None and self.stage == len(self.stored) + 1 and self.is_spare

    @property
    def is_between(self) -> bool:
        """Whether all noise drawn is stored."""
        return self.stage == len(self.stored)

    @property
    def may_be_reopened(self) -> bool:
        """Whether the steward may let it run again: it has no answer, and all noise drawn is stored."""
        return self.is_between and (self.end is None or isinstance(self.end.event, Failure))

    def after(self, link: Link) -> Course:
        """The course after one more entry about this charge; refused, as damage, where the entry does not follow."""
        event, follows = link.event, self.end is None
        if isinstance(event, (Settled, Failure)):
            course = replace(self, end=link)
        elif isinstance(event, NoiseDraw):
            course = replace(self, stage=event.stage)
            is_ready = self.is_between or not self.stored  # older ledgers stored no stages
            follows = follows and event.stage == self.stage + 1 and is_ready
        elif isinstance(event, Staged):
            course = replace(self, stage=event.stage, stored=(*self.stored, link))
            follows = follows and event.stage == len(course.stored) and event.stage - self.stage in (0, 1)
        elif isinstance(event, Again):
            course, follows = replace(self, is_spare=False), self.may_run_again
        else:
            course, follows = replace(self, is_spare=True, end=None), self.may_be_reopened
        if not follows:
            raise damaged(link.number, "It does not follow from what was recorded of its charge.")
        return course


def charge_of(link: Link) -> int | None:
    """The number of the charge that an entry is about, if it is about one."""
    event = link.event
    if isinstance(event, Charged):
        return link.number
    if isinstance(event, Settled):
        return event.charge
    return event.of if isinstance(event, (NoiseDraw, Staged, Again, Failure, Reopened)) else None


def courses_of(links: Iterable[Link]) -> dict[int, Course]:
    """The course of every charge among these entries, by its number.

    They must include all entries about each charge.
    """
    courses: dict[int, Course] = {}
    for link in links:
        number = charge_of(link)
        if isinstance(link.event, Charged):
            courses[link.number] = Course(link)
        elif number in courses:
            courses[number] = courses[number].after(link)
        elif number is not None:
            raise damaged(link.number, "It is about a charge that was never made.")
    return courses
