"""The whole of Tacit in half a minute: a steward describes a clinic's data, analysts ask, and the budget is kept.

`make demo` runs this. Every line after a $ is a real command; the data, the ledger and all files are in a temporary
folder, except for the figure.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from clinic import write_clinic
from respondents import answer_poll

HERE = Path(__file__).parent

BY_REGION = "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region"
BY_COST = "SELECT region, AVG(cost) FROM visits GROUP BY region ORDER BY 2 DESC"
BY_MONTH = "SELECT date_trunc('month', day) AS month, COUNT(*) FROM visits GROUP BY month"
BY_WARD = "SELECT ward, COUNT(DISTINCT patient_id) AS patients FROM visits GROUP BY ward ORDER BY patients DESC"
MEDIAN = "SELECT MEDIAN(cost), QUANTILE_CONT(cost, 0.9) FROM visits"
PER_PERSON = "SELECT AVG(total) FROM (SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id)"
COUNT = "SELECT COUNT(*) FROM visits"
ELDERLY = "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE age >= 65"
DOSE = "Did you skip a dose last week?"
CUBE = "SELECT region, ward, COUNT(*) AS visits FROM visits GROUP BY CUBE(region, ward)"
NORTH = "SELECT ward, COUNT(*) AS visits FROM visits WHERE region = 'north' GROUP BY ward ORDER BY visits DESC LIMIT 3"
COSTLY = "SELECT cost >= 500 AS costly, region, LEAST(stay_days, 7) AS days FROM visits WHERE day"
ONE_BY_ONE = "SELECT patient_id, SUM(cost) FROM visits GROUP BY patient_id"


class Shell:
    """Runs commands in a folder and shows them as somebody would have typed them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        home = {"TACIT_HOME": str(folder / "home"), "TACIT_WITNESS": str(folder / "elsewhere" / "witness")}
        self._environment = {**os.environ, **home, "COLUMNS": "110"}

    def tacit(self, *words: str, expect: int = 0) -> None:
        shown = " ".join(word if word.startswith("-") or " " not in word else f'"{word}"' for word in words)
        print(f"$ tacit {shown}", flush=True)
        command = [sys.executable, "-m", "tacit", *words]
        done = subprocess.run(command, cwd=self._folder, env=self._environment, stderr=subprocess.STDOUT)
        if done.returncode != expect:
            sys.exit(f"{shlex.join(command)} ended with {done.returncode}, not with {expect}")
        print(flush=True)


def main(figure: Path) -> None:
    start = perf_counter()
    with TemporaryDirectory() as name:
        folder = Path(name)
        shell = Shell(folder)
        write_clinic(folder / "visits.parquet")
        _steward(shell, folder)
        _analysts(shell)
        _keeping_the_budget(shell)
        _a_publication(shell)
        _a_model(shell, folder)
        _a_poll(shell, folder)
        shutil.copy(folder / "months.png", figure)
    print(f"The figure: {figure}. All of it took {perf_counter() - start:.0f} seconds.")


def _steward(shell: Shell, folder: Path) -> None:
    _title("The steward describes the data, sets one budget for all of it, learns a profile, prepares")
    shell.tacit("init", "visits.parquet", "--unit", "patient_id", "--out", "first.toml")
    print("# The steward fills in bounds, keys and the budget: see examples/clinic.toml\n")
    shutil.copy(HERE / "clinic.toml", folder)
    shell.tacit("check", "clinic.toml")
    shell.tacit("profile", "clinic.toml", "--epsilon", "1")
    shell.tacit("prepare", "clinic.toml")


def _analysts(shell: Shell) -> None:
    _title("Analysts see the price and the error first, and then ask in SQL")
    shell.tacit("explain", "clinic.toml", BY_REGION, "--epsilon", "1", "--brief")
    shell.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--as", "alice")
    shell.tacit("query", "clinic.toml", BY_MONTH, "--epsilon", "1", "--as", "alice", "--figure", "months.png")
    shell.tacit("query", "clinic.toml", BY_WARD, "--epsilon", "1", "--as", "bob")
    shell.tacit("query", "clinic.toml", MEDIAN, "--epsilon", "1", "--as", "alice")
    shell.tacit("query", "clinic.toml", PER_PERSON, "--epsilon", "0.5", "--as", "bob")
    _title("What an interval is about: all rows under an assumption, all data whatever they are, or the noise alone")
    for kind in ("usual", "guaranteed", "bounded"):
        shell.tacit("query", "clinic.toml", COUNT, "--epsilon", "0.5", "--as", "alice", "--interval", kind)
    _title("The other way round: name the error, and pay the least price that promises it")
    shell.tacit("query", "clinic.toml", ELDERLY, "--error", "40", "--as", "bob")


def _keeping_the_budget(shell: Shell) -> None:
    _title("What was answered once is free for everybody, in another order, too")
    shell.tacit("query", "clinic.toml", BY_COST, "--as", "bob")
    _title("What has no private answer, or costs more than is left, is refused before a row is read")
    shell.tacit("query", "clinic.toml", ONE_BY_ONE, "--epsilon", "0.1", "--as", "alice", expect=2)
    shell.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "4", "--as", "alice", expect=2)
    _title("Every answer carries a certificate")
    kept = ("--out", "answer.csv", "--certificate", "answer.json")
    shell.tacit("query", "clinic.toml", BY_REGION, "--as", "alice", *kept)
    shell.tacit("verify", "answer.json", "--ledger", "clinic.toml", "--table", "answer.csv")


def _a_publication(shell: Shell) -> None:
    _title("Several tables are released together: one price, margins that add up, and what they imply is free")
    shell.tacit("tables", "clinic.toml", CUBE, "--epsilon", "1", "--as", "alice", "--out", "publication")
    shell.tacit("query", "clinic.toml", NORTH, "--as", "bob")
    shell.tacit("verify", "publication")


def _a_model(shell: Shell, folder: Path) -> None:
    _title("A model is a release too: a fit and an evaluation have prices, a prediction is free")
    fit = ("--target", "costly", "--epsilon", "0.5", "--rows", "5", "--out", "costly.json")
    shell.tacit("learn", "fit", "clinic.toml", f"{COSTLY} < '2025-10-01'", *fit)
    shell.tacit("learn", "evaluate", "clinic.toml", "costly.json", f"{COSTLY} >= '2025-10-01'", "--epsilon", "0.5")
    print("# Two visits that nobody has made yet are in new.csv\n")
    (folder / "new.csv").write_text("region,days\nnorth,0\nwest,6\n", encoding="utf-8")
    shell.tacit("learn", "predict", "costly.json", "new.csv")
    shell.tacit("learn", "card", "costly.json", "--out", "costly.html")


def _a_poll(shell: Shell, folder: Path) -> None:
    _title("What no data hold is asked by a poll in which everybody's own device randomises")
    shell.tacit("poll", "design", DOSE, "--truth", "3/4", "--width", "0.08", "--name", "skipped")
    print("# 2,420 people answer on the page that `tacit poll page` writes; 23% of them would truly say yes\n")
    answer_poll(folder / "poll.toml", folder / "reports.jsonl", people=2420, share=0.23)
    shell.tacit("poll", "estimate", "reports.jsonl")
    _title("The data and the poll are about the same people: every charge is kept, and one view says what both cost")
    shell.tacit("budget", "clinic.toml", "--poll", "poll.toml")


def _title(words: str) -> None:
    print(f"\033[1m{words}\033[0m\n" if sys.stdout.isatty() else f"== {words} ==\n", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo.png"))
