"""kill −9 while reports come in: each one that was acknowledged is in the file, in one line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.crash.killing import run_until
from tests.local.browser.asked import POLL
from tests.local.browser.test_submissions import GOOD, changed

from tacit.local.browser.collector import read_reports
from tacit.local.browser.report_file import ReportFile, write_submission

Say = Callable[[bytes], None]
_PROGRAM = """
import json, sys
from contextlib import suppress
from pathlib import Path
from tacit.local.browser.collector import Collector
with Collector(json.loads(sys.stdin.readline()), Path(sys.argv[1]), port=0) as collector, suppress(KeyboardInterrupt):
    sys.stdout.write(collector.address + "\\n")
    sys.stdout.flush()
    collector.serve()
"""


def started(path: Path) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(POLL) + "\n")
    process.stdin.flush()
    return process, process.stdout.readline().strip()


def post(address: str, body: bytes) -> int:
    """The status; 0 where the collector went away."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.request("POST", "/reports", body)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


def ended(process: subprocess.Popen[str]) -> int:
    with process:
        return process.wait(timeout=30)


def test_every_acknowledged_report_survives_a_kill(tmp_path: Path) -> None:
    """Three rounds on one file; eight clients post, and the collector is killed amid them."""
    path, numbers = tmp_path / "reports.jsonl", count()
    acknowledged: list[str] = []
    for _ in range(3):
        process, address = started(path)
        aim = len(acknowledged) + 60

        def send(address: str = address, process: subprocess.Popen[str] = process, aim: int = aim) -> None:
            status = 201
            while status == 201:
                respondent = f"{next(numbers):032x}"
                status = post(address, changed(respondent=respondent))
                if status == 201:
                    acknowledged.append(respondent)
                if len(acknowledged) >= aim:
                    process.kill()

        with ThreadPoolExecutor(8) as clients:
            for client in [clients.submit(send) for _ in range(8)]:
                client.result()
        assert ended(process) == -signal.SIGKILL
    process, address = started(path)
    assert {post(address, changed(respondent=each)) for each in acknowledged} == {409}
    process.send_signal(signal.SIGINT)
    assert ended(process) == 0, "Ctrl-C ends it cleanly"
    kept = Counter(each["respondent"] for each in read_reports(path, POLL))
    assert len(acknowledged) >= 180
    assert set(acknowledged) <= kept.keys()
    assert set(kept.values()) == {1}


def adding(folder: Path, say: Say) -> None:
    """A start on a torn file, and three reports."""
    file = ReportFile(folder / "reports.jsonl", POLL)
    for number in range(3):
        submission = GOOD | {"respondent": f"{number:032x}"}
        file.add(submission)
        say(submission["respondent"].encode())


def hasty(folder: Path, say: Say) -> None:
    """The broken twin: acknowledges before the report is written."""
    file = ReportFile(folder / "reports.jsonl", POLL)
    for number in range(3):
        submission = GOOD | {"respondent": f"{number:032x}"}
        say(submission["respondent"].encode())
        file.add(submission)


def survivals(folder: Path, door: Callable[[Path, Say], None]) -> Iterator[bool]:
    """For each step: whether, killed there, the first line and all that was acknowledged stand once."""
    for step in count(1):
        place = folder / str(step)
        place.mkdir()
        path = place / "reports.jsonl"
        path.write_bytes(write_submission(GOOD) + b'{"poll"')
        was_killed, said = run_until(step, door, place)
        ReportFile(path, POLL).close()
        kept = [each["respondent"] for each in read_reports(path, POLL)]
        yield kept[0] == GOOD["respondent"] and set(kept) >= {each.decode() for each in said}
        if not was_killed:
            return


def test_a_kill_at_any_step_loses_nothing_acknowledged(tmp_path: Path) -> None:
    steps = list(survivals(tmp_path, adding))
    assert all(steps)
    assert len(steps) > 10


def test_a_hasty_twin_is_caught(tmp_path: Path) -> None:
    assert not all(survivals(tmp_path, hasty))


@pytest.mark.long
def test_many_reports_survive_many_kills(tmp_path: Path) -> None:
    for number in range(8):
        place = tmp_path / str(number)
        place.mkdir()
        test_every_acknowledged_report_survives_a_kill(place)
