"""Ctrl-C, and worse, in the middle of a long query: charged, clean, and settled."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import duckdb
import pytest
from tests.ledger.kept import InFile

DESCRIPTION = """\
[dataset]
name = "letters"
unit = { id = "writer", hides = "one writer, all letters" }
budget = { rho = 1, delta = 1e-6 }

[tables.letters]
source = "letters.parquet"
limits = { rows = 20 }

[tables.letters.columns]
word = { type = "text", nullable = false }
"""
ROWS = "SELECT (i * 7919) % 50000 AS writer, md5(CAST(i AS VARCHAR)) AS word FROM range({rows}) AS r(i)"
SLOW = "SELECT COUNT(DISTINCT word) AS words FROM letters"  # the words of every writer are sorted
PATIENCE = 60  # seconds
LATER = "import time; now = time.time; time.time = lambda: now() + {}; from tacit.cli.main import main; main()"


@dataclass(frozen=True)
class Letters:
    """A folder with many rows; ledger, witness and temporary files lie in it."""

    folder: Path

    def start(self, *words: str, later: int = 0) -> subprocess.Popen[str]:
        """`tacit` as a process of its own, whose clock may be so many seconds ahead."""
        apart = {"TACIT_HOME": "home", "TACIT_WITNESS": "home/witness", "TMPDIR": "temporary"}
        env = os.environ | {name: str(self.folder / place) for name, place in apart.items()}
        command = [sys.executable, *(["-c", LATER.format(later)] if later else ["-m", "tacit"]), *words]
        return subprocess.Popen(
            command, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def tacit(self, *words: str, later: int = 0) -> tuple[int, str]:
        child = self.start(*words, later=later)
        said, _ = child.communicate(timeout=PATIENCE)
        return child.returncode, said

    def ask(self) -> tuple[str, ...]:
        return ("query", "letters.toml", SLOW, "--epsilon", "0.5", "--memory", "500MB", "--threads", "1")

    @contextmanager
    def in_the_middle(self) -> Iterator[subprocess.Popen[str]]:
        """A query that was charged, and whose rows are being read."""
        before = self.charged()
        with self.start(*self.ask()) as child:
            until = monotonic() + PATIENCE
            while self.charged() <= before and monotonic() < until:
                assert child.poll() is None, child.communicate()
                sleep(0.01)
            sleep(0.2)
            assert child.poll() is None, "the query is too fast to be interrupted"
            yield child

    def charged(self) -> int:
        """How many runs were begun under a charge."""
        place = self.folder / "home" / "ledger.sqlite"
        if not place.exists():
            return 0
        try:
            with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as ledger:
                begun = "SELECT COUNT(*) FROM entries WHERE kind IN ('charge', 'again')"
                return int(ledger.execute(begun).fetchone()[0])
        except sqlite3.OperationalError:
            return 0

    def entries(self) -> list[dict[str, object]]:
        said = self.tacit("budget", "letters.toml", "--json")[1]
        found: list[dict[str, object]] = json.loads(said)["entries"]
        return found

    def temporary(self) -> list[str]:
        return [path.name for path in (self.folder / "temporary").iterdir()]


@pytest.fixture(autouse=True)
def kept_in() -> InFile:
    """The ledger is a file, the command's own."""
    return InFile()


@pytest.fixture
def letters(tmp_path: Path) -> Letters:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "letters.toml").write_text(DESCRIPTION)
    target = tmp_path / "letters.parquet"
    duckdb.execute(f"COPY ({ROWS.format(rows=4_000_000)}) TO '{target}'")
    return Letters(tmp_path)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_ended_has_failed(letters: Letters, sent: signal.Signals, code: int) -> None:
    """R33, R34, R49: a real signal while the engine reads: the stored answer is the failure, and no file is left."""
    with letters.in_the_middle() as child:
        child.send_signal(sent)
        out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (code, "")
    assert err == "Interrupted. What was charged stays charged, and has failed: --fresh pays for another run.\n"
    assert letters.temporary() == []
    assert letters.tacit("verify", "--ledger", "letters.toml")[0] == 0
    (entry,) = letters.entries()
    assert (entry["answered"], entry["failed"]) == (False, True)
    assert letters.tacit(*letters.ask()) == (3, "")
    assert letters.entries() == [entry]


def test_a_run_whose_client_is_gone_ends_well(letters: Letters) -> None:
    """The terminal is closed in the middle: the answer is stored all the same, and free."""
    with letters.in_the_middle() as child:
        child.send_signal(signal.SIGHUP)
        child.communicate(timeout=PATIENCE)
    (entry,) = letters.entries()
    assert entry["answered"]
    assert letters.tacit(*letters.ask())[0] == 0
    assert letters.entries() == [entry]


@pytest.mark.long
def test_a_kill_leaves_no_rows_behind_for_long(letters: Letters) -> None:
    """R33: the charge stays; rows in temporary files are closed to others, and removed by the next to come.

    A folder younger than a minute may belong to a process that has not locked it yet: the next process has a later
    clock.
    """
    with letters.in_the_middle() as child:
        child.kill()
        child.communicate()
    (left,) = letters.temporary()
    assert (letters.folder / "temporary" / left).stat().st_mode & 0o777 == 0o700
    assert letters.tacit("verify", "--ledger", "letters.toml")[0] == 0
    assert letters.temporary() == [left]
    (entry,) = letters.entries()
    assert letters.tacit(*letters.ask(), later=61)[0] == 0
    assert letters.entries() == [entry | {"answered": True}]
    assert letters.temporary() == []


@pytest.mark.long
def test_a_run_that_dies_again_and_again_has_failed(letters: Letters) -> None:
    """R33, R49: killed before noise was drawn, it runs once more under its charge; killed again, it has failed."""
    for _ in range(2):
        with letters.in_the_middle() as child:
            child.kill()
            child.communicate()
    for _ in range(2):
        assert letters.tacit(*letters.ask())[0] == 3
    (entry,) = letters.entries()
    assert entry["failed"]
