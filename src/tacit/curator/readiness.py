"""What a charge waits for, so that little can go wrong after it: room on the disk, and a session."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from tacit.curator.opened import Opened
from tacit.errors import Refused
from tacit.query.engines.protocol import Session

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
