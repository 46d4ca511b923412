"""An account: the one budget of some data, charged before every release, which is then stored under its charge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Failed, Refused
from tacit.exact import nonnegative
from tacit.frozen import frozen
from tacit.ledger.affordable import refuse_unless_affordable
from tacit.ledger.chain import Chain
from tacit.ledger.events import Charged, Settled
from tacit.ledger.link import Link, damaged
from tacit.ledger.request import Charge, Request, Stored
from tacit.ledger.store import Unavailable, retried
from tacit.ledger.totals import Totals
from tacit.loss.filters.filters import Filter
from tacit.loss.loss import Loss


@frozen
class Entry:
    """A charge as people read it: who, when, what, what it cost, and whether its release was stored."""

    number: int
    time: str
    analyst: str
    words: str
    note: str
    loss: Loss  # in the account's currency
    share: Fraction  # of the budget
    stored: bool


class Account:
    """A handle on an account. What it says is read from the ledger each time; it only remembers sums of old entries."""

    def __init__(self, chain: Chain, number: int, unit: str, budget: Loss, now: Callable[[], str]) -> None:
        self.id = number
        self.unit = unit
        self.budget = budget
        self._chain = chain
        self._now = now
        self._totals = Totals(Filter(budget))

    def filter(self) -> Filter:
        """The budget and what is used of it."""
        return self._read_totals().filter

    def head(self) -> str:
        """The hash of the ledger's last entry, which seals all before it."""
        return self._chain.head().hash

    def find(self, digest: str, accuracy: Fraction) -> Stored | None:
        """The most accurate stored release of this digest, the newest of equals, if it is as accurate as asked."""
        found = self._find(digest, nonnegative(accuracy, "accuracy"))
        if found is not None:
            self._chain.secure(found.number)
        return found

    def stored_under(
        self, prefix: str, accuracy: Fraction = Fraction(0), holds: Callable[[str], bool] = bool
    ) -> tuple[Stored, ...]:
        """Every release as accurate as asked whose digest begins so and passes, the most accurate first, then new."""
        where = "account = ? AND kind = 'store' AND substr(digest, 1, ?) = ?"
        found = self._chain.links(where, self.id, len(prefix), prefix)
        links = [link for link in found if link.settled.accuracy >= accuracy and holds(link.settled.digest)]
        links.sort(key=lambda link: (link.settled.accuracy, link.number), reverse=True)
        if links:
            self._chain.secure(max(link.number for link in links))
        return tuple(self._stored_of(link) for link in links)

    @retried
    def charge(self, request: Request) -> Charge | Stored:
        """The right to run one release, paid for and durable; or the stored release that already answers the request.

        In one transaction: a stored release at least as accurate answers for free (unless `fresh`); a charge of the
        same analyst for the same request that was never stored is handed out again, for nothing can have left under it;
        else the loss is priced in the account's currency and must fit into the budget and into the analyst's share.
        """
        price = self._totals.empty.price(request.loss)
        with self._chain.writing() as connection:
            given = self._find_given(request, price)
            if given is None:
                refuse_unless_affordable(self._read_totals(), request, price)
                event = Charged(
                    self._now(),
                    request.analyst,
                    request.words,
                    request.note,
                    request.digest,
                    request.accuracy,
                    price,
                )
                given = self._charge_of(self._chain.append(connection, self.id, event))
        self._chain.secure(given.number)
        return given

    def store(self, charge: Charge, payload: bytes) -> Stored:
        """The release, durable under its charge; if one was stored before, that one, and this payload is forgotten."""
        try:
            return self._store(charge, payload)
        except Unavailable:
            raise Failed() from None

    @retried
    def _store(self, charge: Charge, payload: bytes) -> Stored:
        with self._chain.writing() as connection:
            self._refuse_unless_charged(charge)
            settled = next(self._chain.links("charge = ?", charge.number), None)
            if settled is None:
                event = Settled(charge.number, charge.digest, charge.accuracy, _hash(payload))
                settled = self._chain.append(connection, self.id, event)
                row = (settled.number, bytes(payload))
                connection.execute("INSERT INTO payloads (entry, bytes) VALUES (?, ?)", row)
            stored = self._stored_of(settled)
        self._chain.secure(stored.number)
        return stored

    def history(self) -> tuple[Entry, ...]:
        """Every charge, oldest first."""
        settled = {link.settled.charge for link in self._chain.links("account = ? AND kind = 'store'", self.id)}
        return tuple(
            Entry(
                link.number,
                link.charged.time,
                link.charged.analyst,
                link.charged.words,
                link.charged.note,
                link.charged.loss,
                self._totals.empty.share(link.charged.loss),
                link.number in settled,
            )
            for link in self._chain.links("account = ? AND kind = 'charge'", self.id)
        )

    def _read_totals(self) -> Totals:
        known = self._totals
        newer = self._chain.links("account = ? AND kind = 'charge' AND number > ?", self.id, known.upto)
        self._totals = known.after(newer)
        return self._totals

    def _find_given(self, request: Request, price: Loss) -> Charge | Stored | None:
        if not request.fresh and (stored := self._find(request.digest, request.accuracy)) is not None:
            return stored
        unsettled = self._chain.links(
            "account = ? AND digest = ? AND kind = 'charge'"
            " AND number NOT IN (SELECT charge FROM entries WHERE account = ? AND digest = ? AND kind = 'store')",
            *(self.id, request.digest, self.id, request.digest),
        )
        wanted = (request.analyst, request.accuracy, price)
        same = (x for x in unsettled if (x.charged.analyst, x.charged.accuracy, x.charged.loss) == wanted)
        link = next(same, None)
        return None if link is None else self._charge_of(link)

    def _find(self, digest: str, accuracy: Fraction) -> Stored | None:
        links = self._chain.links("account = ? AND digest = ? AND kind = 'store'", self.id, digest)
        best = max(links, key=lambda link: (link.settled.accuracy, link.number), default=None)
        return None if best is None or not best.settled.accuracy >= accuracy else self._stored_of(best)

    def _charge_of(self, link: Link) -> Charge:
        charged = link.charged
        return Charge(link.account, link.number, charged.digest, charged.accuracy, charged.loss, link.hash)

    def _stored_of(self, link: Link) -> Stored:
        charge = next(self._chain.links("number = ?", link.settled.charge), None)
        with self._chain.database.reading() as connection:
            row = connection.execute("SELECT bytes FROM payloads WHERE entry = ?", (link.number,)).fetchone()
        if charge is None or row is None or not _hash(row[0]) == link.settled.payload:
            raise damaged(link.number, "The stored release is not what was stored.")
        return Stored(self._charge_of(charge), link.number, link.hash, row[0])

    def _refuse_unless_charged(self, charge: Charge) -> None:
        link = next(self._chain.links("number = ? AND account = ? AND kind = 'charge'", charge.number, self.id), None)
        if link is None or not self._charge_of(link) == charge:
            raise Refused(
                "a release under a charge that this account did not make",
                "What runs must be what was paid for.",
                "the `Charge` that `charge` gave for this digest.",
            )


def _hash(payload: bytes) -> str:
    return hashlib.sha256(payload).hexdigest()
