"""The door: a job is charged, run, settled and stored. Queries, profiles and whatever else reads rows pass through it.

In this order. What can be refused is refused: who asks, the price, the budget, the signing key, room on the disk, a
session. The charge is made, and is durable. Each stage runs, and is stored. Nothing leaves before it is paid for and
stored, and a failure is stored too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tacit.curator.job import Job
from tacit.curator.opened import Opened
from tacit.curator.readiness import ready
from tacit.curator.settlement import paid
from tacit.curator.terms import refuse_below_floor, terms_of
from tacit.ledger.request import Request, Stored

_Read = TypeVar("_Read")


def release(opened: Opened, job: Job, analyst: str, fresh: bool, read: Callable[[Stored, bool], _Read]) -> _Read:
    """What is read of the release of a job, and of whether it was free; charged first, unless it is stored already."""
    terms, charge = terms_of(opened, analyst), job.price.charge
    refuse_below_floor(opened, job.price, job.chooses_keys)
    if opened.known_account is None:  # a first request that does not fit must not open the account
        opened.filter.charge(charge)
    _ = opened.signing_key  # refused now, where it cannot be used, and not when there is something to sign
    request = Request(job.digest, job.accuracy, charge, analyst, job.words, terms, fresh, job.note, job.relation)
    with ready(opened, job.session) as session:

        def watched() -> None:
            opened.watcher(session, job.statements)

        return paid(opened.account_to_charge(), request, job, session, watched, read)
