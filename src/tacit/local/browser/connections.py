"""The connections that a collector has open: at most so many, and none longer than its deadline."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from time import monotonic


class Connections:
    """Open connections, the oldest first.

    Claim: at most `most` are open, and none is open much longer than `seconds`, whatever its client sends or does not
    send; a client that is answered before `most` others have come after it is not cut off. Proof: the dictionary keeps
    the order of arrival, and the one that makes room is its first; what a client sends changes nothing in it; a socket
    that is shut down ends every read and write of its thread at once.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._since: dict[socket.socket, float] = {}
        self._guard = Lock()  # a socket in the dictionary is not yet closed, so its number belongs to nobody else

    def __len__(self) -> int:
        return len(self._since)

    def add(self, line: socket.socket) -> None:
        """Takes in one more; where there are too many, the oldest ends."""
        with self._guard:
            self._since[line] = monotonic()
        while len(self) > self.most:
            self.make_room()

    def remove(self, line: socket.socket) -> None:
        """Forgets a connection whose thread is about to close it."""
        with self._guard:
            self._since.pop(line, None)

    def make_room(self) -> None:
        """Ends the oldest connection."""
        with self._guard:
            if self._since:
                self._end(next(iter(self._since)))

    def end_overdue(self) -> None:
        """Ends every connection that is past its deadline."""
        with self._guard:
            last = monotonic() - self.seconds
            for line in [line for line, since in self._since.items() if since <= last]:
                self._end(line)

    def _end(self, line: socket.socket) -> None:
        del self._since[line]
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
