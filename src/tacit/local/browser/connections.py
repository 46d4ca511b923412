"""Open connections of the collector, limited in number and in time."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from time import monotonic, sleep
from typing import Final

_GRACE: Final = 0.25  # seconds in which a connection is not closed for others
_TURN: Final = 0.005  # seconds between two checks for room


class Connections:
    """Open connections, the oldest first.

    Claim: at most `most` are open, and none is open much longer than `seconds`, whatever its client sends; a client
    whose report is received within its first quarter of a second is not closed for others. Proof: the dictionary keeps
    the order of arrival, and the one that is closed is the first whose report is not complete, once it has had that
    time; a client's data change nothing else; a socket that is shut down ends every read and write of its thread at
    once. A report that was received is being stored, which takes as long as the disk needs, and the next client waits
    for it.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._since: dict[socket.socket, float] = {}
        self._heard: set[socket.socket] = set()
        self._guard = Lock()  # a socket in the dictionary is not yet closed, so its number belongs to nobody else

    def __len__(self) -> int:
        return len(self._since)

    def add(self, line: socket.socket) -> None:
        """Add a connection; where there are too many, the oldest is closed."""
        self.make_room(self.most)
        with self._guard:
            self._since[line] = monotonic()

    def remove(self, line: socket.socket) -> None:
        """Remove a connection whose thread is about to close it."""
        with self._guard:
            self._since.pop(line, None)
            self._heard.discard(line)

    def hear(self, line: socket.socket) -> None:
        """Mark a client that has sent its whole report, so that it is not closed for others."""
        with self._guard:
            if line in self._since:
                self._heard.add(line)

    def make_room(self, limit: int | None = None) -> None:
        """Wait until fewer than `limit` (by default: than now) are open: the oldest is closed, or others are done."""
        wanted = max(1, len(self)) if limit is None else limit
        while len(self) >= wanted and not self._end_oldest():
            self.end_overdue()
            sleep(_TURN)

    def _end_oldest(self) -> bool:
        """Close the oldest connection without a complete report that has had its time; return whether there was one."""
        with self._guard:
            oldest = next((line for line in self._since if line not in self._heard), None)
            if oldest is None or monotonic() < self._since[oldest] + _GRACE:
                return False
            self._end(oldest)
            return True

    def end_overdue(self) -> None:
        """Ends every connection that is past its deadline."""
        with self._guard:
            last = monotonic() - self.seconds
            for line in [line for line, since in self._since.items() if since <= last]:
                self._end(line)

    def _end(self, line: socket.socket) -> None:
        del self._since[line]
        self._heard.discard(line)
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
