"""The breaker: after some failures nobody asks anew until the steward has looked at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.course import Course, charge_of
from tacit.ledger.events import Failure, Reopened
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
    """How many failures are borne, of one analyst and of all together: each is an answer that no price covers."""

    analyst: int
    dataset: int


class How(Enum):
    """How a run went that gave no answer."""

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
    """The runs of an account that gave no answer, since the steward last cleared them.

    A process that died counts, though its charge may run once more: somebody saw it die. What is under way may yet
    fail, so it counts as well when another question would begin: else a thousand that are asked at once could all fail
    before the breaker knew of one.
    """

    def __init__(
        self,
        chain: Chain,
        account: int,
        courses: Callable[[str], Mapping[int, Course]],  # by digest
        is_held: Callable[[int], bool],
    ) -> None:
        self._chain, self._account, self._courses, self._is_held = chain, account, courses, is_held
        self._answered = 0  # every charge up to this entry is

    def found(self) -> tuple[Unanswered, ...]:
        """Each of them, those that ended first."""
        cleared = max((link.number for link in self._chain.links(_CLEARED, self._account)), default=0)
        found, reopened = self._ended(cleared)
        since = max(cleared, self._answered)
        newest = max((link.number for link in self._chain.links(_NEWEST, self._account)), default=0)
        charges = list(self._chain.links(_UNANSWERED, self._account, since))
        self._answered = charges[0].number - 1 if charges else max(since, newest)
        for charge in charges:
            is_running = self._is_held(charge.number)
            is_over = self._courses(charge.charged.digest)[charge.number].end is not None
            if not is_over and (is_running or charge.number not in reopened):
                found.append(Unanswered(charge, How.RUNNING if is_running else How.DIED))
        return tuple(found)

    def _ended(self, cleared: int) -> tuple[list[Unanswered], set[int]]:
        """What failed or died since, and which charges were reopened and have not run yet: they did not die."""
        found, reopened = [], set[int]()
        for link in self._chain.links(_ENDED, self._account):
            charge, is_failed = self._charge(link), isinstance(link.event, Failure)
            if isinstance(link.event, Reopened):
                reopened.add(charge.number)
                continue
            if link.number > cleared and (is_failed or charge.number not in reopened):
                found.append(Unanswered(charge, How.FAILED if is_failed else How.DIED))
            reopened.discard(charge.number)
        return found, reopened

    def is_room(self, breaker: Breaker, analyst: str) -> bool:
        """Whether one more may begin now; if not, some must end first. Refused where too many have failed."""
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

    def _charge(self, link: Link) -> Link:
        return next(self._chain.links("number = ?", charge_of(link)))
