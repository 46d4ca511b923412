"""Open connections of the collector: so many at most, and each for a time."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from time import monotonic, sleep
from typing import Final

_GRACE: Final = 0.25  # seconds in which nobody has to make room
_TURN: Final = 0.005  # seconds between two looks for room


class Connections:
    """Open connections, the oldest first.

    Claim: at most `most` are open, and none is open much longer than `seconds`, whatever its client sends or does not
    send; a client whose report is heard within its first quarter of a second is not cut off for want of room.
    Proof: the dictionary keeps the order of arrival, and the one that makes room is the first that was not heard to its
    end, once it has had that time; what a client sends changes nothing else; a socket that is shut down ends every read
    and write of its thread at once. A report that was heard is being stored: that takes as long as the disk does, and
    the next client waits for it.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._since: dict[socket.socket, float] = {}
        self._heard: set[socket.socket] = set()
        self._guard = Lock()  # a socket in the dictionary is not yet closed, so its number belongs to nobody else

    def __len__(self) -> int:
        return len(self._since)

    def add(self, line: socket.socket) -> None:
        """Takes in one more; where there are too many, the oldest makes room."""
        self.make_room(self.most)
        with self._guard:
            self._since[line] = monotonic()

    def remove(self, line: socket.socket) -> None:
        """Forgets a connection whose thread is about to close it."""
        with self._guard:
            self._since.pop(line, None)
            self._heard.discard(line)

    def hear(self, line: socket.socket) -> None:
        """Marks a client that has sent its whole report: it waits for us, and need not make room."""
        with self._guard:
            if line in self._since:
                self._heard.add(line)

    def make_room(self, limit: int | None = None) -> None:
        """Waits until fewer than `limit` (by default: than now) are open: the oldest ends, or others are done."""
        wanted = max(1, len(self)) if limit is None else limit
        while len(self) >= wanted and not self._end_oldest():
            self.end_overdue()
            sleep(_TURN)

    def _end_oldest(self) -> bool:
        """Ends the oldest connection that was not heard to its end and has had its time; whether there was one."""
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
