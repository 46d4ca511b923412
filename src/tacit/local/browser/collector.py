"""The collector: a small HTTP endpoint that serves a poll's page and appends the reports it receives.

`GET /` is a page, one of the poll's versions by lot; `POST /reports` takes one submission and answers 201 once it is on
disk. All other requests get refusals in constant words. It logs nothing and stores no addresses, user agents or times:
the file has what respondents sent, in order of arrival, and nothing else. A client has one deadline for its whole
request, and where too many are connected the oldest connection is closed, so that slow clients do not block others. It
uses plain HTTP; beyond one machine or a trusted network, put a server with TLS in front of it, and check that server's
logs.
"""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from secrets import randbelow
from time import sleep
from types import TracebackType
from typing import Any

from tacit.errors import Refused
from tacit.local.browser.connections import Connections
from tacit.local.browser.page import LETTERS, write_page
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.browser.report_file import LARGEST, RESPONDENT, ReportFile, read_submission
from tacit.local.browser.report_file import read_reports as read_reports

_DEADLINE = 30.0  # seconds from a client's arrival to the last octet of its answer
_MOST = 128  # connections at once
_PAUSE = 0.02  # seconds to wait where the machine cannot accept another connection
_PORTS = range(1 << 16)
_PATIENCE = 10  # seconds of silence allowed for a client
_WORDS = {
    HTTPStatus.CREATED: "Received. Thank you.",
    HTTPStatus.BAD_REQUEST: "This is no report of this poll.",
    HTTPStatus.NOT_FOUND: "There is nothing here.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that.",
    HTTPStatus.CONFLICT: "A report of this respondent is here already.",
    HTTPStatus.LENGTH_REQUIRED: "A report must say how long it is.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "This is too large for a report.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The report could not be stored.",
}
_UNREADABLE = "This request cannot be read."
_METHODS = {"/": "GET", "/reports": "POST"}
_HEADERS = {
    "Access-Control-Allow-Origin": "*",  # a page opened from a file may send here and read the status
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def collect(poll: Mapping[str, Any], path: Path, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Collects reports of this poll into a file until interrupted."""
    with Collector(poll, path, host, port) as collector, suppress(KeyboardInterrupt):
        collector.serve()


class Collector(socketserver.ThreadingTCPServer):
    """A collector at `address`; port 0 takes any that is free. `set_aside` is the file of an incomplete line, if there
    was one.

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
        """The version for a respondent: random, and the same when the page is loaded again.

        A respondent with a token of their own has the same version on every device; for others the browser stores it
        (`remembers`).
        """
        token = RESPONDENT.fullmatch(query.removeprefix("respondent="))
        if token is not None:
            lot = sha256(f"{self.asked.id} {token[0]}".encode()).digest()
            return int.from_bytes(lot) % len(self.pages)
        kept = {each.strip() for each in cookies.split(";")}
        known = [version for version in range(len(self.pages)) if self.remembers(version) in kept]
        return known[0] if len(known) == 1 else randbelow(len(self.pages))

    def remembers(self, version: int) -> str:
        """The cookie of a browser session: the poll and the version's letter, the same for all respondents with it."""
        return f"version-{self.asked.id[:8]}={LETTERS[version]}"

    def serve(self) -> None:
        """Answers until interrupted, or until `shutdown` is called from another thread."""
        self.serve_forever(poll_interval=0.1)

    def get_request(self) -> tuple[socket.socket, Any]:
        """The next connection. If the machine cannot accept it, close the oldest and pause, to avoid a busy wait."""
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
        """The work of the loop, done about ten times a second, and after every arrival."""
        self.connections.end_overdue()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect; the default would print their addresses."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server_close()
        self.file.close()


class RequestHandler(BaseHTTPRequestHandler):
    """Answers one request and closes."""

    server: Collector
    timeout = _PATIENCE

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        method = _METHODS.get(path)
        if method is None:
            self._turn_down(HTTPStatus.NOT_FOUND)
        elif self.command != method:
            self._turn_down(HTTPStatus.METHOD_NOT_ALLOWED, Allow=method)
        elif method == "GET":
            self._hand_out(query)
        else:
            self._receive()

    do_GET = do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _serve  # noqa: N815

    def _hand_out(self, query: str) -> None:
        """The page; where there are two, with a cookie, so that the browser requests the same one again."""
        version = self.server.version_for(query, self.headers.get("Cookie", ""))
        kept = f"{self.server.remembers(version)}; Path=/; SameSite=Lax; HttpOnly"
        cookie = {"Set-Cookie": kept} if len(self.server.pages) > 1 else {}
        self._answer(HTTPStatus.OK, "text/html", self.server.pages[version], **cookie)

    def _receive(self) -> None:
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not length:
            self._turn_down(HTTPStatus.LENGTH_REQUIRED)
        elif not (length.isascii() and length.isdigit()):
            self._turn_down(HTTPStatus.BAD_REQUEST)
        elif not (len(length) < 20 and int(length) <= LARGEST):
            self._turn_down(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._say(self._keep(self.rfile.read(int(length))))

    def _keep(self, body: bytes) -> HTTPStatus:
        self.server.connections.hear(self.connection)
        try:
            is_new = self.server.file.add(read_submission(body, self.server.asked))
        except Refused:
            return HTTPStatus.BAD_REQUEST
        except OSError:
            return HTTPStatus.SERVICE_UNAVAILABLE
        return HTTPStatus.CREATED if is_new else HTTPStatus.CONFLICT

    def _say(self, status: HTTPStatus, **headers: str) -> None:
        self._answer(status, "text/plain", f"{_WORDS.get(status, _UNREADABLE)}\n".encode(), **headers)

    def _answer(self, status: HTTPStatus, kind: str, body: bytes, **headers: str) -> None:
        self.send_response_only(status)
        for name, value in (_HEADERS | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _turn_down(self, status: HTTPStatus, **headers: str) -> None:
        """Answers without having read the body.

        Closing with unread bytes would reset the connection and lose the answer, so a little is read and discarded.
        """
        self._say(status, **headers)
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(1)
        with suppress(OSError):
            for _ in range(16):
                if not self.connection.recv(LARGEST):
                    break

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A constant message, because the library's message would repeat the request."""
        self._say(HTTPStatus(code))

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Nothing is logged."""
