"""The door: a job is charged, run, settled and stored. Queries, profiles and whatever else reads rows pass through it.

In this order. What can be refused is refused: who asks, the price, the budget, the signing key, room on the disk, a
session. The charge is made, and is durable. Each stage runs, and is stored. Nothing leaves before it is paid for and
stored.

A failure is an answer: whether one comes may depend on the rows, on the noise, or on when somebody lost patience. So
every end that can be noticed is stored as the answer of the charge. What cannot be noticed, the death of the process,
is told by the ledger to whoever asks next: the run goes on if all that it drew is stored, and else it has failed.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.curator.open_data import Opened
from tacit.curator.terms import refuse_below_floor, terms_of
from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.ledger.account import BudgetAccount
from tacit.ledger.affordability import Totals, price_of, refuse_unless_affordable
from tacit.ledger.request import Charge, Request, Stored
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.entropy import ENTROPY
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price


@frozen(eq=False)
class Job:
    """What identifies a release, what it costs and rests on, what it needs of the engine, and the stages that make it.

    Claim: all stages together cost `price`, where each stage may depend on what the ones before it released. A stage
    gets its own entropy, which is marked in the ledger before the first draw; what it gives is stored before the next
    begins, so that a run that died between two stages goes on from there.
    """

    digest: str
    accuracy: Fraction
    price: Price
    words: str
    note: str
    relation: Relation
    chooses_keys: bool
    grounds: bytes  # what the release rests on; stored in front of the last stage
    session: Callable[[], AbstractContextManager[Session]]
    statements: int  # about how many the engine will be sent
    stages: tuple[Stage, ...]


_SPACE: Final = 32 * 2**20  # octets: entries and releases take kilobytes, but others fill the disk meanwhile


@contextmanager
def ready(opened: Opened, open_session: Callable[[], AbstractContextManager[Session]]) -> Iterator[Session]:
    """A session of the data; refused where it cannot be had, or where there is no room to store an answer.

    Opening one looks at headers and catalogues, never at a row. However the work in it ends, it is closed, and what
    goes wrong with that changes nothing about what was stored. The engine is told of a failure, after which its
    database may be unfit for the next question.
    """
    for place in opened.ledger.folders:
        _refuse_without_space(place)
    stack = ExitStack()
    try:
        session = stack.enter_context(open_session())
    except Refused:
        raise
    except Exception:  # any text of it could carry a value
        raise Refused(
            f"the data of {opened.description.name}",
            "They cannot be opened: a file or a server is not there, or is not what it was when it was described.",
            "data as they were described; `tacit check` says more to the steward.",
        ) from None
    try:
        yield session
    except BaseException as error:
        told = (None, None, None) if isinstance(error, Refused) else (type(error), error, error.__traceback__)
        with suppress(Exception):
            stack.__exit__(*told)
        raise
    with suppress(Exception):
        stack.close()


def _refuse_without_space(place: Path) -> None:
    with suppress(OSError):  # a place that cannot be looked at refuses by itself, when it is written to
        if shutil.disk_usage(place).free < _SPACE:
            raise Refused(
                f"a question while the disk of {place} is full",
                "What is answered must be stored.",
                f"at least {_SPACE >> 20} MB of free space.",
            )


_ENDING: Final = (signal.SIGTERM, signal.SIGXCPU)
_Read = TypeVar("_Read")
_Handler: TypeAlias = Callable[[int, FrameType | None], object] | int | signal.Handlers | None


class MarkedEntropy(Bits):
    """The operating system's entropy for one stage of a release. The ledger knows that it is drawn before it is."""

    __slots__ = ("_account", "_charge", "_is_marked", "_stage")

    def __init__(self, account: BudgetAccount, charge: Charge, stage: int) -> None:
        self._account, self._charge, self._stage = account, charge, stage
        self._is_marked = False

    def octets(self, count: int) -> NDArray[np.uint8]:
        if not self._is_marked:
            self._account.mark(self._charge, self._stage)
            self._is_marked = True
        return ENTROPY.octets(count)


def paid(
    account: BudgetAccount,
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


def _run(account: BudgetAccount, charge: Charge, job: Job, session: Session) -> bytes:
    """What the last stage gives; the ones before it are stored, and those that are stored already are not run."""
    released = [*account.stages(charge)]
    while True:
        stage = len(released)
        made = job.stages[stage](session, MarkedEntropy(account, charge, stage + 1), released)
        if stage + 1 == len(job.stages):
            return made
        account.keep(charge, stage + 1, made)
        released.append(made)


def _settle(account: BudgetAccount, charge: Charge) -> None:
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


def release(opened: Opened, job: Job, analyst: str, fresh: bool, read: Callable[[Stored, bool], _Read]) -> _Read:
    """What is read of the release of a job, and of whether it was free; charged first, unless it is stored already."""
    terms, charge = terms_of(opened, analyst), job.price.charge
    refuse_below_floor(opened, job.price, job.chooses_keys)
    request = Request(job.digest, job.accuracy, charge, analyst, job.words, terms, fresh, job.note, job.relation)
    if opened.known_account is None:  # a first request that does not fit must not open the account
        refuse_unless_affordable(Totals(opened.filter, 0), request, price_of(opened.filter, request))
    _ = opened.signing_key  # refused now, where it cannot be used, and not when there is something to sign
    with ready(opened, job.session) as session:

        def watched() -> None:
            opened.watcher(session, job.statements)

        return paid(opened.account_to_charge(), request, job, session, watched, read)
