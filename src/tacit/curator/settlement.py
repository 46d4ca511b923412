"""What a charge ends in: a release is stored, or that it failed; nobody is refused, and nothing is drawn twice.

A failure is an answer: whether one comes may depend on the rows, on the noise, or on when somebody lost patience. So
every end that can be noticed is stored as the answer of the charge. What cannot be noticed, the death of the process,
is told by the ledger to who asks next: it ran before noise was drawn, or it has failed.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.curator.job import Job
from tacit.errors import Failed, Refused
from tacit.ledger.account import Account
from tacit.ledger.request import Charge, Request, Stored
from tacit.noise.bits import Bits
from tacit.noise.entropy import ENTROPY
from tacit.query.engines.protocol import Session

_ENDING: Final = (signal.SIGTERM, signal.SIGXCPU)
_Read = TypeVar("_Read")
_Handler: TypeAlias = Callable[[int, FrameType | None], object] | int | signal.Handlers | None


class MarkedEntropy(Bits):
    """The operating system's entropy for one stage of a release. The ledger knows that it is drawn before it is."""

    __slots__ = ("_account", "_charge", "_is_marked", "_stage")

    def __init__(self, account: Account, charge: Charge, stage: int) -> None:
        self._account, self._charge, self._stage = account, charge, stage
        self._is_marked = False

    def octets(self, count: int) -> NDArray[np.uint8]:
        if not self._is_marked:
            self._account.mark(self._charge, self._stage)
            self._is_marked = True
        return ENTROPY.octets(count)


def paid(
    account: Account,
    request: Request,
    job: Job,
    session: Session,
    watched: Callable[[], None],
    read: Callable[[Stored, bool], _Read],
) -> _Read:
    """What is read of the answer to a request, and of whether it was free: stored before, or charged, made and stored.

    Claim: where somebody is refused, nothing was spent; and each charge has one answer, be it a failure.
    """
    given = account.charge(request)
    if isinstance(given, Stored):
        return read(given, True)
    sent: list[int] = []
    try:  # from here on nothing but this handler decides how it ends
        with _signals(sent):
            watched()
            return read(account.store(given, job.grounds + _run(account, given, job, session)), False)
    except BaseException as error:
        _settle(account, given)
        if sent:
            raise (KeyboardInterrupt if sent[0] == signal.SIGINT else SystemExit(128 + sent[0])) from None
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        raise Failed from None  # any text of the error could carry a value


def _run(account: Account, charge: Charge, job: Job, session: Session) -> bytes:
    """What the last stage gives; the ones before it are stored, and those that are stored already are not run."""
    released = [*account.stages(charge)]
    while True:
        stage = len(released)
        made = job.stages[stage](session, MarkedEntropy(account, charge, stage + 1), released)
        if stage + 1 == len(job.stages):
            return made
        account.keep(charge, stage + 1, made)
        released.append(made)


def _settle(account: Account, charge: Charge) -> None:
    """Stores the failure, if nothing is stored; where the ledger cannot be told, it takes the end for a death."""
    with _handling(dict.fromkeys((signal.SIGINT, *_ENDING), signal.SIG_IGN)), suppress(Failed, Refused):
        account.fail(charge)


@contextmanager
def _signals(sent: list[int]) -> Iterator[None]:
    """Signals that would kill the process end the work instead, and are noted; one who hangs up ends nothing.

    Only where nobody else has said what they mean, and in the thread that is told of them. Ctrl-C means what it meant,
    and is noted: an engine whose jobs it cancels may tell of those, and swallow the key.
    """
    key = signal.getsignal(signal.SIGINT)

    def end(number: int, _: FrameType | None) -> None:
        sent.append(number)
        raise SystemExit(128 + number)

    def press(number: int, frame: FrameType | None) -> None:
        sent.append(number)
        if callable(key):
            key(number, frame)

    wanted: dict[signal.Signals, _Handler] = {signal.SIGHUP: signal.SIG_IGN, **dict.fromkeys(_ENDING, end)}
    wanted = {number: how for number, how in wanted.items() if signal.getsignal(number) is signal.SIG_DFL}
    with _handling(wanted | ({signal.SIGINT: press} if callable(key) else {})):
        yield


@contextmanager
def _handling(wanted: Mapping[signal.Signals, _Handler]) -> Iterator[None]:
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.signal(number, how) for number, how in wanted.items()}
    try:
        yield
    finally:
        for number, how in before.items():
            signal.signal(number, how)
