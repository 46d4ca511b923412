"""An account: the one budget of some data, charged before every release, which is then stored under its charge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from fractions import Fraction
from time import sleep
from typing import Final

from tacit.errors import Failed, Refused
from tacit.exact import nonnegative
from tacit.ledger.affordability import Totals, price_of, refuse_unless_affordable
from tacit.ledger.breaker import Failures, Unanswered
from tacit.ledger.chain import Chain
from tacit.ledger.course import Course
from tacit.ledger.events import Again, Charged, Cleared, Failure, Reopened, Staged
from tacit.ledger.history import Entry, history_of, payload_hash, receipt
from tacit.ledger.registry import relation_of
from tacit.ledger.request import Charge, Request, Stored
from tacit.ledger.runs import Runs
from tacit.ledger.store import Conflicted, SqlExecutor, Store, Unavailable, failing, retried
from tacit.loss.families.loss import Loss
from tacit.loss.filters.privacy_filter import Filter

_PAUSE: Final = 0.05  # seconds between two checks of charges that others run


class BudgetAccount(Runs):
    """A handle on an account. It reads the ledger at every call and caches only sums of old entries."""

    def __init__(self, chain: Chain, number: int, unit: str, budget: Loss, now: Callable[[], str]) -> None:
        super().__init__(chain, number)
        self.unit = unit
        self.budget = budget
        self._now = now
        self._totals = Totals(Filter(budget, relation=relation_of(unit)))
        self._failures = Failures(chain, number, chain.database.is_held)

    def filter(self) -> Filter:
        """The budget and what is used of it."""
        return self._read_totals().filter

    def head(self) -> str:
        """The hash of the ledger's last entry, which seals all before it."""
        return self._chain.head().hash

    def find(self, digest: str, accuracy: Fraction) -> Stored | None:
        """The most accurate answer to this digest, if it is as accurate as asked; otherwise its failure."""
        found = self._releases.best(self._releases.courses(digest).values(), nonnegative(accuracy, "accuracy"))
        if found is not None:
            self._chain.secure(found.number)
        return found

    def stored_under(
        self, prefix: str, accuracy: Fraction = Fraction(0), holds: Callable[[str], bool] = bool
    ) -> tuple[Stored, ...]:
        """Every release with this digest prefix that passes and is accurate enough, the best first, then the newest."""
        found = self._releases.under(prefix, accuracy, holds)
        if found:
            self._chain.secure(max(stored.number for stored in found))
        return found

    def history(self) -> tuple[Entry, ...]:
        """Every charge, oldest first."""
        return history_of(self._chain, self.id, self._totals.empty)

    def failures(self) -> tuple[Unanswered, ...]:
        """The runs that gave no answer since the steward last cleared them."""
        return self._failures.found()

    def charge(self, request: Request) -> Charge | Stored:
        """A durable charge, which permits one release; or the stored answer, if it was already paid for.

        In one transaction: a stored answer at least as accurate, or a failure where there is none, is returned for free
        (unless `fresh`). If the same analyst has an open charge for the same request, this call waits while it runs; if
        its process died, it runs once more if all noise drawn is stored, or where a request may lose stages, behind the
        lost one, which is stored as empty; otherwise it has failed. Every other request is a new question: the breaker
        must admit it, after a wait where as many runs are open as may still fail; and its loss, in the account's
        relation and currency, must reach the floor and fit into budget and share.
        """
        price = price_of(self._totals.empty, request)
        while (given := self._charge(request, price)) is None:
            sleep(_PAUSE)
        return given

    @retried
    def _charge(self, request: Request, price: Loss) -> Charge | Stored | None:
        given = None
        with _holding(self._chain.database) as hold:
            try:
                with self._chain.writing() as connection:
                    given = self._decide(connection, request, price, hold)
            except Conflicted:
                raise  # nothing was written
            except Unavailable:
                if isinstance(given, Charge):  # it is unknown whether it was written
                    raise Failed from None
                raise
            if isinstance(given, Stored):
                self._chain.secure(given.number)
            elif given is not None:
                with failing():
                    self._chain.secure(self._chain.head().entries)
        return given

    def _decide(
        self, connection: SqlExecutor, request: Request, price: Loss, hold: Callable[[int], None]
    ) -> Charge | Stored | None:
        courses = self._releases.courses(request.digest).values()
        if not request.fresh and (stored := self._releases.best(courses, request.accuracy)) is not None:
            return stored
        for course in [course for course in courses if _is_open_for(course, request, price)]:
            number = course.charge.number
            if self._chain.database.is_held(number):
                return None
            if course.may_run_again or (request.may_lose_stages and course.may_lose_a_stage):
                hold(number)
                if not course.is_between:  # never drawn again: the stage is stored as empty
                    self._append(connection, Staged(number, request.digest, course.stage, payload_hash(b"")), b"")
                self._append(connection, Again(number, request.digest))
                return receipt(course.charge)
            ended = course.after(self._append(connection, Failure(number, request.digest)))
            if not request.fresh:
                return self._releases.stored(ended)
        breaker = request.terms.breaker
        if breaker is not None and not self._failures.is_room(breaker, request.analyst):
            return None
        refuse_unless_affordable(self._read_totals(), request, price)
        self._chain.witness.refuse_unless_writable()
        who = (self._now(), request.analyst, request.words, request.note)
        link = self._append(connection, Charged(*who, request.digest, request.accuracy, price))
        hold(link.number)
        return receipt(link)

    @retried
    def reopen(self, number: int) -> None:
        """Let a charge without an answer run again, by the steward.

        Refused where noise was drawn that is not stored.
        """
        with self._chain.writing() as connection:
            link = next(self._chain.links("number = ? AND account = ? AND kind = 'charge'", number, self.id), None)
            course = None if link is None else self._releases.courses(link.charged.digest)[number]
            if course is None or not course.may_be_reopened or self._chain.database.is_held(number):
                raise Refused(
                    f"another run of entry {number}",
                    "It is no charge, is answered or under way, or noise was drawn for it that is not stored.",
                    "a charge that failed before noise was drawn, or between stages; or --fresh, which pays.",
                )
            link = self._append(connection, Reopened(self._now(), number, course.charge.charged.digest))
        self._chain.secure(link.number)

    @retried
    def clear(self, seen: Collection[Unanswered] | None = None) -> None:
        """Clear these failures, or all: the breaker counts from zero. Refused if there are other failures meanwhile."""
        with self._chain.writing() as connection:
            link = self._append(connection, Cleared(self._now(), self._failures.running_beside(seen)))
        self._chain.secure(link.number)

    def _read_totals(self) -> Totals:
        known = self._totals
        newer = self._chain.links("account = ? AND kind = 'charge' AND number > ?", self.id, known.upto)
        self._totals = known.after(newer)
        return self._totals


@contextmanager
def _holding(store: Store) -> Iterator[Callable[[int], None]]:
    """Hold a charge while it runs; it is released on any error."""
    taken: list[int] = []

    def hold(number: int) -> None:
        if not store.hold(number):
            raise Conflicted(store.words, "Another runs what this entry paid for.", "try again.")
        taken.append(number)

    try:
        yield hold
    except BaseException:
        for number in taken:
            store.let_go(number)
        raise


def _is_open_for(course: Course, request: Request, price: Loss) -> bool:
    """Whether a charge has not ended and is the same analyst's for the same release."""
    charged = course.charge.charged
    same = (charged.analyst, charged.accuracy, charged.loss) == (request.analyst, request.accuracy, price)
    return same and course.end is None
