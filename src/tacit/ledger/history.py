"""The history of an account: every charge, how it ended, and the release stored under it.

`Releases` reads the releases of an account; `Entry` is a line for one charge and its end; `Evidence` is the ledger's
record of one charge, from which its certificates are made and against which they are checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.course import Course, charge_of, courses_of
from tacit.ledger.events import Settled, Staged
from tacit.ledger.link import Link, damaged
from tacit.ledger.loss_text import loss_to_json
from tacit.ledger.request import Charge, Stored
from tacit.loss.families.loss import Loss
from tacit.loss.filters.privacy_filter import Filter


@frozen
class Entry:
    """A charge for display: analyst, time, query, cost, and whether it was answered or failed."""

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


class Releases:
    """The releases of an account, read from the ledger at every call, without a cache."""

    def __init__(self, chain: Chain, account: int) -> None:
        self._chain, self._account = chain, account

    def courses(self, digest: str) -> Mapping[int, Course]:
        """The course of every charge for a request, oldest first, by its number."""
        return courses_of(self._chain.links("account = ? AND digest = ?", self._account, digest))

    def course(self, charge: Charge) -> Course | None:
        """The course of one charge; None if the account has no such charge."""
        where = "account = ? AND digest = ? AND number >= ?"
        links = self._chain.links(where, self._account, charge.digest, charge.number)
        course = courses_of(link for link in links if charge_of(link) == charge.number).get(charge.number)
        return course if course is not None and receipt(course.charge) == charge else None

    def best(self, courses: Iterable[Course], accuracy: Fraction) -> Stored | None:
        """The most accurate answer, the newest of equals, if it is as accurate as asked; else the newest failure."""
        ended = [
            (not course.is_failed, course.charge.charged.accuracy, course.end.number, course)
            for course in courses
            if course.end is not None and course.charge.charged.accuracy >= accuracy
        ]
        return self.stored(max(ended)[-1]) if ended else None

    def stored(self, course: Course) -> Stored:
        """The answer in which a charge ended."""
        end, charge = course.end, receipt(course.charge)
        if end is None:
            raise damaged(charge.number, "It has no answer.")
        if not isinstance(end.event, Settled):
            return Stored(charge, end.number, end.hash, b"", is_failed=True)
        return Stored(charge, end.number, end.hash, self.payload(end), course.is_failed)

    def payload(self, link: Link) -> bytes:
        """The bytes that are stored under an entry."""
        return payload_of(self._chain, link)

    def under(self, prefix: str, accuracy: Fraction, holds: Callable[[str], bool]) -> tuple[Stored, ...]:
        """Every release with this digest prefix that passes and is accurate enough, the best first, then the newest."""
        where = "account = ? AND kind = 'store' AND substr(digest, 1, ?) = ?"
        found = self._chain.links(where, self._account, len(prefix), prefix)
        links = [link for link in found if link.settled.accuracy >= accuracy and holds(link.settled.digest)]
        links.sort(key=lambda link: (link.settled.accuracy, link.number), reverse=True)
        courses = [Course(self._charge_of(link), end=link) for link in links]
        return tuple(self.stored(course) for course in courses if not course.is_failed)

    def _charge_of(self, link: Link) -> Link:
        charge = next(self._chain.links("number = ?", link.settled.charge), None)
        if charge is None:
            raise damaged(link.number, "The stored release is not what was stored.")
        return charge


def receipt(link: Link) -> Charge:
    """The charge that an entry records, as it is handed out."""
    charged = link.charged
    return Charge(link.account, link.number, charged.digest, charged.accuracy, charged.loss, link.hash)


def payload_of(chain: Chain, link: Link) -> bytes:
    """The bytes that are stored under an entry; refused, as damage, where they do not match its hash."""
    with chain.database.reading() as connection:
        row = connection.execute("SELECT bytes FROM payloads WHERE entry = ?", (link.number,)).fetchone()
    stated = link.event.payload if isinstance(link.event, (Settled, Staged)) else None
    if row is None or not payload_hash(row[0]) == stated:
        raise damaged(link.number, "The stored release is not what was stored.")
    payload: bytes = row[0]
    return payload


def payload_hash(payload: bytes) -> str:
    """The hash by which an entry names its stored bytes."""
    return hashlib.sha256(payload).hexdigest()


@frozen
class Evidence:
    """One charge with its place in the chain, and the hash of the release stored under it, if there is one."""

    ledger: str  # its first seal, which is unique to it
    entry: int
    chain: str  # the hash of the entry, which seals every one before it
    time: str
    words: str
    loss: dict[str, Any]
    stored: str | None


def evidence_of(chain: Chain, number: int) -> Evidence | None:
    """The evidence of the charge with this number; None where there is no such charge."""
    link = next(chain.links("number = ? AND kind = 'charge'", number), None)
    if link is None:
        return None
    settled = next(chain.links("charge = ? AND kind = 'store'", number), None)
    charged, stored = link.charged, None if settled is None else settled.settled.payload
    loss = loss_to_json(charged.loss)
    return Evidence(chain.genesis.hash, number, link.hash, charged.time, charged.words, loss, stored)
