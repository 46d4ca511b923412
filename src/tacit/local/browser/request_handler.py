"""The collector's answer to one request: a page, the receipt of a report, or a refusal in constant words."""

from __future__ import annotations

import socket
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from tacit.errors import Refused
from tacit.local.browser.report_file import LARGEST, read_submission

if TYPE_CHECKING:
    from tacit.local.browser.collector import Collector

_PATIENCE = 10  # seconds that a client may be silent
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
    "Access-Control-Allow-Origin": "*",  # a page opened from a file may send here, and learn that it arrived
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


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
        """The page; where there are two, with a cookie that has the browser ask for the same one again."""
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
        """Answers without having read the body. Closing on unread bytes would reset the connection and lose the answer,
        so a little is read and forgotten."""
        self._say(status, **headers)
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(1)
        with suppress(OSError):
            for _ in range(16):
                if not self.connection.recv(LARGEST):
                    break

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library would say repeats the request; this does not."""
        self._say(HTTPStatus(code))

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Nothing is logged."""
