"""The circuit breaker: after some failures new questions are refused until the steward clears them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from typing import Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.course import charge_of
from tacit.ledger.events import Again, Cleared, Failure
from tacit.ledger.link import Link

_CLEARED: Final = "account = ? AND kind = 'clear'"
_ENDED: Final = "account = ? AND kind IN ('fail', 'again', 'reopen')"
_NEWEST: Final = "number = (SELECT max(number) FROM entries WHERE account = ? AND kind = 'charge')"
_UNANSWERED: Final = (
    "account = ? AND kind = 'charge' AND number > ?"
    " AND NOT EXISTS (SELECT 1 FROM entries AS later WHERE later.charge = entries.number)"
)


@frozen
class Breaker:
    """The number of failures allowed, for one analyst and for all: each failure is an answer that no price covers."""

    analyst: int
    dataset: int


class How(Enum):
    """How a run without an answer ended."""

    FAILED = "failed"
    DIED = "died"
    RUNNING = "is under way"


@frozen
class Unanswered:
    """A run without an answer, and the charge that paid for it."""

    charge: Link
    how: How

    @property
    def analyst(self) -> str:
        return self.charge.charged.analyst


class Failures:
    """The runs of an account without an answer since the steward last cleared them.

    A process that died counts, though its charge may run once more: the analyst saw it die. A running charge may still
    fail, so it counts too when another question would begin: otherwise a thousand concurrent questions could all fail
    before the breaker knew of one. A run that was open when the steward cleared is not cleared, because the steward has
    not seen its end.
    """

    def __init__(self, chain: Chain, account: int, is_held: Callable[[int], bool]) -> None:
        self._chain, self._account, self._is_held = chain, account, is_held
        self._answered = 0  # every charge up to this entry has an answer

    def found(self) -> tuple[Unanswered, ...]:
        """Every such run, in the order in which they ended."""
        *_, cleared = (None, *self._chain.links(_CLEARED, self._account))
        found, begun = self._ended(cleared)
        newest = max((link.number for link in self._chain.links(_NEWEST, self._account)), default=0)
        charges = list(self._chain.links(_UNANSWERED, self._account, self._answered))
        self._answered = charges[0].number - 1 if charges else max(self._answered, newest)
        for charge in charges:
            began = begun.get(charge.number, charge.number)
            if began is None:
                continue
            if self._is_held(charge.number):
                found.append(Unanswered(charge, How.RUNNING))
            elif not _is_cleared(cleared, charge.number, began):
                found.append(Unanswered(charge, How.DIED))
        return tuple(found)

    def _ended(self, cleared: Link | None) -> tuple[list[Unanswered], dict[int, int | None]]:
        """The runs that failed or died; and for each charge the entry that began its last run, None if that ended.

        A run that is followed by another, or by the steward's permission for one, died if it had not failed.
        """
        found, begun = list[Unanswered](), dict[int, int | None]()
        for link in self._chain.links(_ENDED, self._account):
            charge, event = self._charge(link), link.event
            began = begun.get(charge.number, charge.number)
            is_new = cleared is None or link.number > cleared.number
            if is_new and isinstance(event, Failure):
                found.append(Unanswered(charge, How.FAILED))
            elif is_new and began is not None and not _is_cleared(cleared, charge.number, began):
                found.append(Unanswered(charge, How.DIED))
            begun[charge.number] = link.number if isinstance(event, Again) else None
        return found, begun

    def is_room(self, breaker: Breaker, analyst: str) -> bool:
        """Whether one more run may start now; if not, another run must end first. Refused if too many have failed."""
        found = self.found()
        own = [each for each in found if each.analyst == analyst]
        for runs, most, whose in ((own, breaker.analyst, "this analyst's"), (found, breaker.dataset, "these data's")):
            failed = sum(each.how is not How.RUNNING for each in runs)
            if failed >= most:
                raise Refused(
                    "a question that was not answered before",
                    f"{failed} of {whose} last questions failed or were broken off, and a failure may tell something "
                    "that no price covers.",
                    "what is already answered; new questions when the steward has seen the failures "
                    "(`tacit failures … --clear`).",
                )
        return len(own) < breaker.analyst and len(found) < breaker.dataset

    def running_beside(self, seen: Collection[Unanswered] | None) -> tuple[int, ...]:
        """The charges that are running. Refused if the failures are not those that the steward saw."""
        found = self.found()
        if seen is not None and any(run not in seen for run in found if run.how is not How.RUNNING):
            raise Refused(
                "to clear failures that nobody has seen",
                "More questions failed while they were shown.",
                "another look at them.",
            )
        return tuple(run.charge.number for run in found if run.how is How.RUNNING)

    def _charge(self, link: Link) -> Link:
        return next(self._chain.links("number = ?", charge_of(link)))


def _is_cleared(cleared: Link | None, charge: int, began: int) -> bool:
    """Whether the steward has seen the end of a run: it began before the clearing and was not running then."""
    if cleared is None:
        return False
    under_way = cleared.event.running if isinstance(cleared.event, Cleared) else ()
    return began < cleared.number and charge not in under_way
