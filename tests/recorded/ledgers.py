"""A ledger of earlier code, with a certificate and the answers, which current code must read.

`python -m tests.recorded.ledgers` records again what current code reads from that ledger ("answers", "budget"), and the
entries it writes for the same questions ("written"), after a change of words. The ledger itself stays, and so do the
certificate and its table. `python -m tests.recorded.ledgers --new` makes another: for a ledger of a new format.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
import zlib
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pytest
from click.testing import CliRunner
from tests.recorded.recording import hashed, seeded

import tacit
from tacit.cli.main import app

PLACE: Final = Path(__file__).with_name("ledger.json")
DESCRIPTION: Final = """\
[dataset]
name = "recorded"
unit = { id = "patient", hides = "one patient, all visits" }
budget = { epsilon = 9, delta = 1e-7 }
analysts = { alice = "60%" }

[tables.visits]
source = "frame"

[tables.visits.columns]
region = { type = "text", keys = ["north", "south"] }
ward = { type = "text" }
cost = { type = "int", min = 0, max = 100 }
"""
ASKED: Final = {
    "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region": "2",
    "SELECT ward, COUNT(DISTINCT patient) AS people FROM visits GROUP BY ward": "4",
    "SELECT MEDIAN(cost) FROM visits": "1",
}
"""Each question and its price, asked in this order after a profile."""
KIND: Final = "bounded"  # as all intervals were when the ledger was written

_PATIENTS: Final = [patient for patient in range(300) for _ in range(1 + patient % 3)]
ROWS: Final = pa.table(
    {
        "patient": pa.array(_PATIENTS, pa.int64()),
        "region": pa.array([["north", "south"][each % 2] for each in range(len(_PATIENTS))]),
        "ward": pa.array([f"ward {each % 4}" for each in range(len(_PATIENTS))]),
        "cost": pa.array([each * 7 % 100 for each in range(len(_PATIENTS))], pa.int32()),
    }
)


def opened(folder: Path) -> tacit.Dataset:
    """The data set, with the ledger in this folder."""
    (folder / "recorded.toml").write_text(DESCRIPTION, encoding="utf-8")
    frames = {"visits": ROWS}
    return tacit.open(folder / "recorded.toml", analyst="alice", frames=frames, ledger=folder / "ledger.sqlite")


def ask_all(folder: Path) -> None:
    """A profile and every question, paid for in a new ledger."""
    with opened(folder) as dataset:
        seeded("profile", lambda: dataset.profile(epsilon="0.5"))
        for sql, epsilon in ASKED.items():
            seeded(sql, lambda sql=sql, epsilon=epsilon: dataset.query(sql, epsilon=epsilon, interval=KIND))


def entries(folder: Path) -> list[dict[str, Any]]:
    """Every entry of the ledger; what no two ledgers share (seals, moments, keyed names) is left out."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        bodies = [body for (body,) in connection.execute("SELECT body FROM entries ORDER BY number")]
    told = [json.loads(body) for body in bodies]
    for entry in told:
        entry |= {name: "…" for name in ("time", "previous") if name in entry}
        family, dot, parts = entry.get("digest", "").partition(".")
        if dot:
            entry["digest"] = f"{family if len(family) < 48 else '…'}.{parts if family != 'profile' else '…'}"
    return told


def restore(folder: Path) -> dict[str, Any]:
    """The files as they were recorded; their record."""
    record: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    (folder / "ledger.sqlite").write_bytes(zlib.decompress(base64.b64decode(record["ledger"])))
    (folder / "signing.key").write_text(record["key"], encoding="ascii")
    for name in ("ledger.sqlite", "signing.key"):
        (folder / name).chmod(0o600)
    for name in ("answer.json", "answer.csv"):
        (folder / name).write_text(record[name], encoding="utf-8", newline="")
    return record


def make_new(folder: Path) -> dict[str, Any]:
    """The record of a new ledger in a folder."""
    ask_all(folder)
    with opened(folder) as dataset:
        answer = dataset.query(next(iter(ASKED)), interval=KIND)
        certificate = answer.certified("csv")
        assert certificate is not None
        files = {"answer.json": certificate.to_json(), "answer.csv": answer.presented("csv").decode()}
    ledger = base64.b64encode(zlib.compress((folder / "ledger.sqlite").read_bytes(), 9)).decode("ascii")
    return files | {"key": (folder / "signing.key").read_text("ascii"), "ledger": ledger, "entries": entries(folder)}


def accept(folder: Path) -> None:
    """The steward's word, on a machine that has no witness yet."""
    done = CliRunner().invoke(app, ["verify", "--ledger", str(folder / "ledger.sqlite"), "--accept-witness"])
    assert done.exit_code == 0, done.stderr


def main(is_new: bool) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACIT_WITNESS", f"{name}/witness")
        folder, other = Path(name) / "kept", Path(name) / "other"
        folder.mkdir()
        other.mkdir()
        record = make_new(folder) if is_new else restore(folder)
        if not is_new:
            accept(folder)
        with opened(folder) as dataset:
            record["budget"] = hashed(str(dataset.budget()))
            record["answers"] = {sql: dataset.query(sql, interval=KIND).text(120) for sql in ASKED}
        ask_all(other)
        record["written"] = entries(other)
    PLACE.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main("--new" in sys.argv[1:])
