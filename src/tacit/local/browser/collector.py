"""The collector: a small HTTP endpoint that hands out a poll's page and appends the reports that come back.

`GET /` is a page, one of the poll's versions by lot; `POST /reports` takes one submission and answers 201 once it is on
disk. Nothing else is answered but refusals in constant words. It never logs, keeps or tells reports, addresses, user
agents or times: the file holds what respondents sent, in order of arrival, and nothing else. A client has one deadline
for its whole request, and where too many are connected the oldest makes room: slow clients do not keep the page from
others. It speaks plain HTTP; beyond one machine or a trusted network, put a server with TLS in front of it, and mind
that server's logs.
"""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import randbelow
from threading import Lock
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Final

from tacit.errors import Refused
from tacit.local.browser.page import LETTERS, write_page
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.browser.report_file import RESPONDENT, ReportFile
from tacit.local.browser.report_file import read_reports as read_reports
from tacit.local.browser.request_handler import RequestHandler

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


_DEADLINE = 30.0  # seconds from a client's arrival to the last octet of its answer
_MOST = 128  # connections at once
_PAUSE = 0.02  # seconds to wait where the machine has no place for one more connection
_PORTS = range(1 << 16)


def collect(poll: Mapping[str, Any], path: Path, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Collects reports of this poll into a file until interrupted."""
    with Collector(poll, path, host, port) as collector, suppress(KeyboardInterrupt):
        collector.serve()


class Collector(socketserver.ThreadingTCPServer):
    """A collector at `address`; port 0 takes any that is free. `set_aside` is where a torn line was put, if any was.

    At most `most` connections are open at once, each for at most `deadline` seconds: see `Connections`.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(
        self,
        poll: Mapping[str, Any],
        path: Path,
        host: str = "127.0.0.1",
        port: int = 8000,
        deadline: float = _DEADLINE,
        most: int = _MOST,
    ) -> None:
        if port not in _PORTS:
            raise Refused(f"collecting at port {port}", "There is no such port.", "a port from 0 to 65535.")
        self.connections = Connections(most, deadline)
        self.asked = Questionnaire.of(poll)
        self.pages = [write_page(poll, "/reports", version).encode() for version in range(self.asked.versions)]
        self.file = ReportFile(path, poll)
        self.set_aside = self.file.set_aside
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), RequestHandler)
        except OSError as found:
            self.file.close()
            accepted = "an address of this machine, and a free port."
            raise Refused(f"collecting at {host}, port {port}", f"{found.strerror}.", accepted) from None

    @property
    def address(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def version_for(self, query: str, cookies: str) -> int:
        """The version that a respondent is asked: by lot, and the same again when the page is loaded again.

        Whoever has a token of their own finds theirs by it, on every device; others by what `remembers` had their
        browser keep.
        """
        token = RESPONDENT.fullmatch(query.removeprefix("respondent="))
        if token is not None:
            lot = sha256(f"{self.asked.id} {token[0]}".encode()).digest()
            return int.from_bytes(lot) % len(self.pages)
        kept = {each.strip() for each in cookies.split(";")}
        known = [version for version in range(len(self.pages)) if self.remembers(version) in kept]
        return known[0] if len(known) == 1 else randbelow(len(self.pages))

    def remembers(self, version: int) -> str:
        """What a browser keeps until it is closed: the poll and the version's letter, alike for all who have it."""
        return f"version-{self.asked.id[:8]}={LETTERS[version]}"

    def serve(self) -> None:
        """Answers until interrupted, or until `shutdown` is called from another thread."""
        self.serve_forever(poll_interval=0.1)

    def get_request(self) -> tuple[socket.socket, Any]:
        """The next connection. Where the machine has no place for it, the oldest makes room, and a pause keeps the wait
        from taking the whole processor."""
        try:
            return super().get_request()
        except OSError:
            self.connections.make_room()
            sleep(_PAUSE)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answers in a thread of its own."""
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Closes a connection that was answered."""
        self.connections.remove(request)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """What the loop does about ten times a second, and after every arrival."""
        self.connections.end_overdue()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect; the default would print their addresses."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server_close()
        self.file.close()
