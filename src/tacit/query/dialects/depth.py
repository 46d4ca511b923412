"""Room on Python's stack for the deepest statement, whatever called: parsing and walking take some calls for each part.

Queries are at most 120 parts deep, and lowering adds a fixed number to that. What does not fit all the same is refused
as every statement is tried once before its charge.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from tacit.errors import Refused

FRAMES: Final = 20_000
_ONE_AT_A_TIME = Lock()  # the limit is one for all threads, and is put back


@contextmanager
def deep() -> Iterator[None]:
    """Calls in this block may nest `FRAMES` deep."""
    with _ONE_AT_A_TIME:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, FRAMES))
        try:
            yield
        except RecursionError:
            raise Refused(
                "a query nested this deeply", "The statement has too many parts inside one another.", "a flatter query."
            ) from None
        finally:
            sys.setrecursionlimit(before)
