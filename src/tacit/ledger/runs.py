"""The record of a running charge: its stages, each marked before it draws and then stored, and its end."""

from __future__ import annotations

from tacit.errors import Failed, Refused
from tacit.ledger.chain import Chain
from tacit.ledger.course import Course
from tacit.ledger.events import Event, Failure, NoiseDraw, Settled, Staged
from tacit.ledger.history import Releases, payload_hash
from tacit.ledger.link import Link
from tacit.ledger.request import Charge, Stored
from tacit.ledger.store import SqlExecutor, failing, retried


class Runs:
    """The runs of an account. The permitted next step is read from the ledger each time (`Course`)."""

    def __init__(self, chain: Chain, number: int) -> None:
        self.id = number
        self._chain = chain
        self._releases = Releases(chain, number)

    def mark(self, charge: Charge, stage: int) -> None:
        """Return once the mark of this stage is durable. Failed if it was marked before or its charge has ended.

        Claim: of all processes that ever run one charge, at most one returns from here for each stage.
        """
        with failing():
            self._chain.secure(self._mark(charge, stage))

    @retried
    def _mark(self, charge: Charge, stage: int) -> int:
        with self._chain.writing() as connection:
            course = self._course(charge)
            if not (course.end is None and course.is_between and stage == course.stage + 1):
                raise Failed
            return self._append(connection, NoiseDraw(charge.number, charge.digest, stage)).number

    def keep(self, charge: Charge, stage: int, payload: bytes) -> None:
        """Store a stage of a charge.

        It is durable at the latest with the mark of the next stage, or with the release.
        """
        with failing():
            self._keep(charge, stage, payload)

    @retried
    def _keep(self, charge: Charge, stage: int, payload: bytes) -> None:
        with self._chain.writing() as connection:
            course = self._course(charge)
            if course.end is not None:
                raise Failed
            event = Staged(charge.number, charge.digest, stage, payload_hash(payload))
            course.after(self._append(connection, event, payload))

    def stages(self, charge: Charge) -> tuple[bytes, ...]:
        """The stored stages of a charge, in their order."""
        with failing():
            return tuple(self._releases.payload(link) for link in self._course(charge).stored)

    def store(self, charge: Charge, payload: bytes) -> Stored:
        """Store the release durably under its charge.

        If the charge has already ended, return its answer and drop this one.
        """
        return self._end(charge, payload)

    def fail(self, charge: Charge) -> Stored:
        """Store the failure durably as the answer of the charge; if the charge has already ended, return its answer."""
        return self._end(charge, None)

    def _end(self, charge: Charge, payload: bytes | None) -> Stored:
        try:
            with failing():
                return self._ended(charge, payload)
        finally:
            self._chain.database.let_go(charge.number)

    @retried
    def _ended(self, charge: Charge, payload: bytes | None) -> Stored:
        with self._chain.writing() as connection:
            course = self._course(charge)
            if course.end is None and payload is None:
                course = course.after(self._append(connection, Failure(charge.number, charge.digest)))
            elif course.end is None and payload is not None:
                event = Settled(charge.number, charge.digest, charge.accuracy, payload_hash(payload))
                course = course.after(self._append(connection, event, payload))
            stored = self._releases.stored(course)
        self._chain.secure(stored.number)
        return stored

    def _append(self, connection: SqlExecutor, event: Event, payload: bytes | None = None) -> Link:
        link = self._chain.append(connection, self.id, event)
        if payload is not None:
            connection.execute("INSERT INTO payloads (entry, bytes) VALUES (?, ?)", (link.number, bytes(payload)))
        return link

    def _course(self, charge: Charge) -> Course:
        course = self._releases.course(charge)
        if course is None:
            raise Refused(
                "a release under a charge that this account did not make",
                "What runs must be what was paid for.",
                "the `Charge` that `charge` gave for this digest.",
            )
        return course
