"""The door: it charges, runs, settles and stores a job. Everything that reads rows passes through it.

The order is fixed. First come all refusals: the analyst, the price, the budget, the signing key, disk space, a session.
Then the charge is made durably. Then each stage runs and is stored. Nothing is returned before it is paid for and
stored.

A failure is an answer: it may depend on the rows, on the noise, or on the time of an interruption. So every end that
the process can observe is stored as the answer of the charge. The death of the process is found from the ledger by the
next request: the run continues if all noise it drew is stored, and otherwise it has failed.
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
from tacit.noise.bits import ENTROPY, Bits
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price


@frozen(eq=False)
class Job:
    """The digest of a release, its price and grounds, what it needs of the engine, and the stages that make it.

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
    grounds: bytes  # the grounds of the release, stored in front of the last stage
    session: Callable[[], AbstractContextManager[Session]]
    statements: int  # the approximate number of statements for the engine
    stages: tuple[Stage, ...]
    may_lose_stages: bool = False  # whether a stage that was drawn and not stored may be passed over, as empty


_SPACE: Final = 32 * 2**20  # octets: entries and releases take kilobytes, but other processes fill the disk meanwhile


@contextmanager
def ready(opened: Opened, open_session: Callable[[], AbstractContextManager[Session]]) -> Iterator[Session]:
    """A session of the data; refused where it cannot be opened, or where there is no disk space for an answer.

    Opening it reads headers and catalogues, never a row. The session is closed in every case, and an error in closing
    does not change what was stored. The engine is notified of a failure, because its database may be unusable
    afterwards.
    """
    for place in opened.ledger.folders:
        _refuse_without_space(place)
    stack = ExitStack()
    try:
        session = stack.enter_context(open_session())
    except Refused:
        raise
    except Exception:  # its text could contain a value
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
    with suppress(OSError):  # a place that cannot be examined refuses when it is written to
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
    """The operating system's entropy for one stage of a release. The ledger records the draw before it happens."""

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
    """The answer to a request, read by the caller's function, and whether it was free (stored before) or charged now.

    Claim: a refusal spends nothing, and each charge has exactly one answer or failure.
    """
    given = account.charge(request)
    if isinstance(given, Stored):
        return read(given, True)
    sent: list[int] = []
    try:  # from here on this handler alone decides how the charge ends
        with _signals(sent):
            watched()
            return read(account.store(given, job.grounds + _run(account, given, job, session)), False)
    except BaseException as error:
        _settle(account, given)
        if sent:
            raise (KeyboardInterrupt if sent[0] == signal.SIGINT else SystemExit(128 + sent[0])) from None
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        raise Failed from None  # the text of the error could contain a value


def _run(account: BudgetAccount, charge: Charge, job: Job, session: Session) -> bytes:
    """The result of the last stage; earlier stages are stored, and stages already stored are not run again."""
    released = [*account.stages(charge)]
    while True:
        stage = len(released)
        made = job.stages[stage](session, MarkedEntropy(account, charge, stage + 1), released)
        if stage + 1 == len(job.stages):
            return made
        account.keep(charge, stage + 1, made)
        released.append(made)


def _settle(account: BudgetAccount, charge: Charge) -> None:
    """Store the failure, if no answer is stored.

    If that fails too, the ledger treats the run as a process that died.
    """
    with _handling(dict.fromkeys((signal.SIGINT, *_ENDING), signal.SIG_IGN)), suppress(Failed, Refused):
        account.fail(charge)


@contextmanager
def _signals(sent: list[int]) -> Iterator[None]:
    """Turn signals that would kill the process into an orderly end of the work; SIGHUP is ignored.

    This applies only to signals without another handler, in the thread that gets them. Ctrl-C keeps its handler and is
    recorded: an engine may report cancelled jobs instead of raising KeyboardInterrupt.
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
    """Release a job: charge it first, unless it is stored already, and return what `read` makes of the answer."""
    terms, charge = terms_of(opened, analyst), job.price.charge
    refuse_below_floor(opened, job.price, job.chooses_keys)
    asked = (job.digest, job.accuracy, charge, analyst, job.words, terms, fresh, job.note, job.relation)
    request = Request(*asked, job.may_lose_stages)
    if opened.known_account is None:  # a first request that does not fit must not open the account
        refuse_unless_affordable(Totals(opened.filter, 0), request, price_of(opened.filter, request))
    _ = opened.signing_key  # refused now, where it cannot be used, and not when there is something to sign
    with ready(opened, job.session) as session:

        def watched() -> None:
            opened.watcher(session, job.statements)

        return paid(opened.account_to_charge(), request, job, session, watched, read)
