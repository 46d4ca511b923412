"""The collector: accepted and refused requests, durability of acknowledged reports, and the state after a kill."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from tests.local.browser.asked import POLL
from tests.local.browser.test_submissions import BAD, GOOD, changed

from tacit.errors import Refused
from tacit.local.browser.collector import Collector, collect, read_reports
from tacit.local.browser.report_file import write_submission


@contextmanager
def collecting(path: Path) -> Iterator[Collector]:
    """A collector on a port of its own, in a thread."""
    with Collector(POLL, path, port=0) as collector:
        thread = Thread(target=collector.serve)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


def ask(collector: Collector, method: str, path: str, body: bytes | None = None) -> tuple[int, str]:
    connection = HTTPConnection(urlsplit(collector.address).netloc, timeout=30)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def say(collector: Collector, text: bytes) -> bytes:
    """The collector's answer to exactly these bytes."""
    parts = urlsplit(collector.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as line:
        line.sendall(text)
        return b"".join(iter(lambda: line.recv(4096), b""))


def by(number: int) -> bytes:
    return changed(respondent=f"{number:032x}")


def test_a_report_is_appended_as_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "reports.jsonl"
    with collecting(path) as collector:
        assert collector.address.startswith("http://127.0.0.1:")
        status, page = ask(collector, "GET", "/?respondent=" + "a" * 32)
        assert status == 200
        assert POLL["title"] in page
        assert ask(collector, "POST", "/reports", json.dumps(GOOD, indent=3).encode()) == (
            201,
            "Received. Thank you.\n",
        )
        assert path.read_bytes() == write_submission(GOOD)
        assert ask(collector, "POST", "/reports", changed(respondent="b" * 32))[0] == 201
    assert read_reports(path, POLL) == [GOOD, GOOD | {"respondent": "b" * 32}]
    assert path.stat().st_mode & 0o077 == 0
    assert capfd.readouterr() == ("", ""), "nothing is logged"


def test_a_respondent_counts_once_also_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    other = changed(answers=GOOD["answers"] | {"cheated": [0, 0]})
    for status in (201, 409):
        with collecting(path) as collector:
            assert ask(collector, "POST", "/reports", json.dumps(GOOD).encode())[0] == status
            assert ask(collector, "POST", "/reports", other)[0] == 409
    assert path.read_bytes() == write_submission(GOOD)


def test_an_interrupt_ends_collecting_and_lets_go_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(collector: Collector) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Collector, "serve", interrupted)
    for _ in range(2):
        collect(POLL, tmp_path / "reports.jsonl", "127.0.0.1", 0)


def test_what_is_malformed_is_refused_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    with collecting(path) as collector:
        for name, body in BAD.items():
            wanted = (
                (413, "This is too large for a report.\n")
                if name == "too large"
                else (400, "This is no report of this poll.\n")
            )
            assert ask(collector, "POST", "/reports", body) == wanted, name
        assert ask(collector, "POST", "/reports", by(1))[0] == 201
    assert len(read_reports(path, POLL)) == 1


def test_other_requests_are_refused_in_constant_words(tmp_path: Path) -> None:
    with collecting(tmp_path / "reports.jsonl") as collector:
        assert ask(collector, "GET", "/favicon.ico") == (404, "There is nothing here.\n")
        assert ask(collector, "GET", "/../secret")[0] == 404
        assert ask(collector, "GET", "/reports") == (405, "This address does not take that.\n")
        assert ask(collector, "POST", "/", by(1))[0] == 405
        assert ask(collector, "PUT", "/reports", by(1))[0] == 405
        assert ask(collector, "HEAD", "/reports") == (405, "")
        assert ask(collector, "BREW", "/secret") == (501, "This request cannot be read.\n")
        assert b"secret" not in say(collector, b"secret\r\n\r\n")
        assert b" 400 " in say(collector, b"POST /reports HTTP/1.1\r\nContent-Length: -5\r\n\r\n")
        assert b" 411 " in say(collector, b"POST /reports HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        headers = say(collector, b"GET / HTTP/1.1\r\n\r\n").partition(b"\r\n\r\n")[0]
        assert b"frame-ancestors 'none'" in headers
        assert b"Server:" not in headers


def test_what_is_too_large_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    """The body never arrives: a collector that waited for it would never answer."""
    with collecting(tmp_path / "reports.jsonl") as collector:
        parts = urlsplit(collector.address)
        for length in (b"65537", b"1" * 5000):
            with socket.create_connection((parts.hostname, parts.port), timeout=30) as line:
                line.sendall(b"POST /reports HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n")
                assert line.recv(4096).startswith(b"HTTP/1.0 413 ")


def test_a_torn_line_is_set_aside_and_never_joined(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    whole, torn = write_submission(GOOD), by(2)[:40]
    path.write_bytes(whole + torn)
    with pytest.raises(Refused, match=r"line 2 of"):
        read_reports(path, POLL)
    with collecting(path) as collector:
        assert collector.set_aside == tmp_path / "reports.jsonl.torn"
        assert ask(collector, "POST", "/reports", by(2))[0] == 201
    assert collector.set_aside.read_bytes() == torn + b"\n"
    assert [each["respondent"] for each in read_reports(path, POLL)] == [GOOD["respondent"], f"{2:032x}"]
    with collecting(path) as collector:
        assert collector.set_aside is None


def test_two_collectors_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    with collecting(path), pytest.raises(Refused, match="Another collector"):
        Collector(POLL, path, port=0)
    with collecting(path) as first, pytest.raises(Refused, match="port"):
        Collector(POLL, tmp_path / "other.jsonl", port=int(first.server_address[1]))
    with pytest.raises(Refused, match="No such file"):
        Collector(POLL, tmp_path / "nowhere" / "reports.jsonl", port=0)


@pytest.mark.parametrize("failing", ["fsync", "write"])
def test_what_is_not_on_disk_is_not_acknowledged(failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails, or fills up within a line: refused, and so is all that follows, until a restart looks."""
    path = tmp_path / "reports.jsonl"
    write = os.write

    def fail(handle: int) -> None:
        raise OSError(5, "failed")

    with collecting(path) as collector:
        assert ask(collector, "POST", "/reports", by(1))[0] == 201
        with monkeypatch.context() as patch:
            patch.setattr(os, failing, fail if failing == "fsync" else lambda handle, text: write(handle, text[:9]))
            assert ask(collector, "POST", "/reports", by(2)) == (503, "The report could not be stored.\n")
        assert ask(collector, "POST", "/reports", by(3))[0] == 503
        assert ask(collector, "POST", "/reports", by(1))[0] == 409
    with collecting(path) as collector:
        assert (collector.set_aside is None) == (failing == "fsync")
        assert ask(collector, "POST", "/reports", by(3))[0] == 201
    assert {1, 3} <= {int(each["respondent"], 16) for each in read_reports(path, POLL)} <= {1, 2, 3}


@pytest.mark.parametrize(
    "line", [b"{}\n", b"\n", b"secret\n", write_submission(GOOD)], ids=["empty", "blank", "text", "twice"]
)
def test_a_file_with_a_bad_line_is_refused_by_its_number(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    path.write_bytes(write_submission(GOOD) + line + by(2) + b"\n")
    for reading in (lambda: read_reports(path, POLL), lambda: Collector(POLL, path, port=0)):
        with pytest.raises(Refused, match="line 2 of") as caught:
            reading()
        assert "secret" not in str(caught.value)
    with pytest.raises(Refused, match="No such file"):
        read_reports(tmp_path / "none", POLL)
