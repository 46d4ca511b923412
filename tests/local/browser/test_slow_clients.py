"""Slow clients: many connections that never finish do not block others and do not cause a busy loop."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from tests.local.browser.asked import POLL
from tests.local.browser.test_collect import ask, by

from tacit.cli.main import app
from tacit.errors import Refused
from tacit.local.browser.collector import Collector, read_reports
from tacit.local.polls.designs.wording import Wording
from tacit.local.polls.poll_file import new_poll_text, question_text


class Counted(Collector):
    """A collector that counts how often it tries to accept."""

    tries = 0

    def get_request(self) -> tuple[socket.socket, Any]:
        self.tries += 1
        return super().get_request()


class Scarce(socket.socket):
    """A listening socket of a process that may have few descriptors: `accept` fails while so many are open."""

    collector: Collector
    places = 8

    def accept(self) -> tuple[socket.socket, Any]:
        if len(self.collector.connections) >= self.places:
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


@contextmanager
def collecting(collector: Collector) -> Iterator[Collector]:
    with collector:
        thread = Thread(target=collector.serve)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


@contextmanager
def crowd(collector: Collector, size: int, said: bytes = b"GET / HT") -> Iterator[list[socket.socket]]:
    """So many clients that have begun a request and do not end it."""
    parts = urlsplit(collector.address)
    with ExitStack() as stack:
        lines = []
        for _ in range(size):
            line = stack.enter_context(socket.create_connection((parts.hostname, parts.port), timeout=30))
            line.sendall(said)
            lines.append(line)
        yield lines


def is_over(line: socket.socket) -> bool:
    """Waits until the other side has ended the connection; each octet that is sent meanwhile gains nothing."""
    line.settimeout(0.02)
    for _ in range(1500):
        try:
            if not line.recv(4096):
                return True
        except TimeoutError:
            try:
                line.sendall(b"x")
            except OSError:
                return True
        except OSError:
            return True
    return False


def test_many_slow_clients_keep_nobody_out(tmp_path: Path) -> None:
    """380 requests that do not end, and a deadline that is far away: the oldest make room for whoever comes."""
    path = tmp_path / "reports.jsonl"
    with collecting(Collector(POLL, path, port=0, deadline=3600, most=64)) as collector, crowd(collector, 380) as lines:
        assert ask(collector, "GET", "/")[0] == 200
        for number in range(20):
            assert ask(collector, "POST", "/reports", by(number))[0] == 201
        assert len(collector.connections) <= 64
        assert all(is_over(line) for line in lines[:300])
    assert len(read_reports(path, POLL)) == 20


def test_a_rush_of_whole_reports_cuts_nobody_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty at once where four are taken, on a slow disk, among clients that are slow: each learns that it arrived."""
    sync = os.fsync

    def slowly(handle: int) -> None:
        sleep(0.01)
        sync(handle)

    path = tmp_path / "reports.jsonl"
    with collecting(Collector(POLL, path, port=0, deadline=3600, most=4)) as collector, crowd(collector, 10):
        monkeypatch.setattr(os, "fsync", slowly)
        with ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda number: ask(collector, "POST", "/reports", by(number))[0], range(50)))
    assert answers == [201] * 50
    assert len(read_reports(path, POLL)) == 50


@pytest.mark.parametrize(
    "said",
    [b"", b"GET / HT", b"POST /reports HTTP/1.1\r\nContent-Length: 60000\r\n\r\n", b"GET /none HTTP/1.1\r\nA: "],
    ids=["silent", "a line", "a body", "a header"],
)
def test_a_request_has_one_deadline_however_it_drips(said: bytes, tmp_path: Path) -> None:
    """An octet now and then postpones nothing: what counts is when the client came."""
    collector = Collector(POLL, tmp_path / "reports.jsonl", port=0, deadline=0.3)
    with collecting(collector), crowd(collector, 1, said) as lines:
        assert is_over(lines[0])
        assert ask(collector, "GET", "/")[0] == 200


def test_a_client_that_does_not_read_its_answer_is_cut_off_too(tmp_path: Path) -> None:
    collector = Collector(POLL, tmp_path / "reports.jsonl", port=0, deadline=0.3)
    collector.pages = [b"x" * (1 << 26)]  # more than the buffers of a connection hold
    with collecting(collector), crowd(collector, 1, b"GET / HTTP/1.0\r\n\r\n") as lines:
        read = 0
        with suppress(OSError):
            while more := lines[0].recv(1 << 16):
                read += len(more)
                sleep(0.01)  # the whole would take ten seconds
        assert read < 1 << 26


def test_a_machine_without_a_place_is_not_asked_in_a_loop(tmp_path: Path) -> None:
    """`accept` fails for want of descriptors: the oldest connection makes room, and every try ends one or succeeds."""
    collector = Counted(POLL, tmp_path / "reports.jsonl", port=0, deadline=3600)
    scarce = Scarce(fileno=collector.socket.detach())
    scarce.collector, collector.socket = collector, scarce
    with collecting(collector), crowd(collector, 20):
        assert ask(collector, "GET", "/")[0] == 200
        assert ask(collector, "POST", "/reports", by(1))[0] == 201
    assert collector.tries <= 2 * (20 + 2)


@pytest.mark.parametrize("port", [80000, 65536, -1])
def test_a_port_that_does_not_exist_is_refused(port: int, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no such port"):
        Collector(POLL, tmp_path / "reports.jsonl", port=port)
    command = ["poll", "collect", str(tmp_path / "poll.toml"), "--port", str(port)]
    (tmp_path / "poll.toml").write_text(
        new_poll_text("A poll") + question_text("asked", Wording("Have you?"), "warner", {"truth": "3/4"}), "utf-8"
    )
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 2
    assert "Accepted: a port from 0 to 65535." in refused.output
