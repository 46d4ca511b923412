"""Verification of a whole ledger: every hash matches, and no budget was ever exceeded."""

from __future__ import annotations

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.course import Course, charge_of
from tacit.ledger.events import AccountOpened, Charged, Settled, Staged
from tacit.ledger.history import payload_of
from tacit.ledger.link import Head, Link, damaged
from tacit.loss.filters.privacy_filter import Filter


@frozen
class Verification:
    """The result: the number of valid entries, and the first invalid one."""

    entries: int
    first_bad: int | None = None
    why: str = ""

    @property
    def holds(self) -> bool:
        return self.first_bad is None

    def __str__(self) -> str:
        if self.first_bad is None:
            return f"All {self.entries:,} entries hold, and each seals the one before."
        return f"Entry {self.first_bad:,} does not hold: {self.why} The {self.entries:,} before it do."


def verify_chain(chain: Chain) -> Verification:
    """Recompute every hash, replay every account through its filter, and compare stored bytes with their hashes."""
    replay = _Replay(chain)
    with chain.database.reading() as connection:
        rows = connection.execute("SELECT number, body, hash FROM entries ORDER BY number").fetchall()
    for row in rows:
        try:
            replay.take(Link.read(*row))
        except Refused as refusal:
            return Verification(replay.head.entries, row[0], refusal.why)
    return Verification(replay.head.entries)


class _Replay:
    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.head: Head = chain.genesis
        self._accounts: dict[int, Filter] = {}
        self._courses: dict[int, Course] = {}

    def take(self, link: Link) -> None:
        """Check one entry against those before it; refused if it does not follow from them."""
        event = link.event
        if not Link.make(self.head, link.account, event) == link:
            raise damaged(link.number, "It does not follow the one before, or is not spelled as the ledger spells it.")
        if isinstance(event, AccountOpened):
            self._accounts[link.number] = Filter(event.budget)
        elif link.account not in self._accounts:
            raise damaged(link.number, "Its account was never opened.")
        else:
            if isinstance(event, Charged):
                self._accounts[link.account] = self._accounts[link.account].charge(event.loss)
            self._follow(link)
        self.head = Head(link.number, link.hash)

    def _follow(self, link: Link) -> None:
        """Check that an entry about a charge follows from the earlier ones, and that a release is the one charged."""
        event, number = link.event, charge_of(link)
        if number is None:
            return
        if isinstance(event, Charged):
            self._courses[number] = Course(link)
            return
        course = self._courses.get(number)
        charged = None if course is None else course.charge.charged
        same = charged is not None and getattr(event, "digest", None) == charged.digest
        if isinstance(event, Settled):
            same = same and charged is not None and charged.accuracy == event.accuracy
        if course is None or not same or not course.charge.account == link.account:
            raise damaged(link.number, "It stores what was never charged.")
        self._courses[number] = course.after(link)
        if isinstance(event, (Settled, Staged)):
            payload_of(self._chain, link)
