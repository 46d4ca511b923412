"""kill −9 between the charge of a workload, its limit and its measurements: nothing is drawn again (R33)."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from tests.crash.killing import run_until
from tests.crash.staged_release import BUDGET, Say, release_saying
from tests.crash.test_kill_tables import CLINIC, STAGES, write_rows
from tests.ledger.books import FILE_ONLY, NAME, bodies, opened
from tests.ledger.kept import Kept

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.reader import read_description
from tacit.workload.linear.asked_counts import read_asked
from tacit.workload.linear.counts_plan import plan_counts
from tacit.workload.linear.counts_run import CountsRun
from tacit.workload.linear.noisy_counts import NoisyCounts

ASKED = "SELECT region, COUNT(*) FROM visits GROUP BY 1; SELECT COUNT(*) FROM visits WHERE ward IN ('n1', 's2')"


def workload_door(folder: Path, say: Say) -> None:
    """A limit that is found, then the measurements."""
    description = read_description(folder / "clinic.toml")
    catalogue, engine = Catalogue(description), DuckDBEngine(threads=1)
    plan = plan_counts(read_asked(ASKED, None, catalogue), catalogue, IntervalKind.USUAL)
    price = price_of(description.budget, description.promise, 20, None, False)
    release_saying(folder, say, CountsRun(plan, price).stages, price, lambda: engine.session(description))


@FILE_ONLY
@pytest.mark.long
def test_killed_between_the_stages_of_a_workload(tmp_path: Path, kept_in: Kept) -> None:
    """R33: one charge, each stage drawn once, and the one answer has the limit that was stored."""
    charged, resumed = 0, 0
    for step in range(10, 46, 3):
        here = tmp_path / str(step)
        kept_in.place(here)
        here.mkdir(exist_ok=True)
        write_rows(here / "visits.parquet")
        (here / "clinic.toml").write_text(CLINIC, encoding="utf-8")
        with opened(here) as ledger:
            ledger.account(NAME, BUDGET)
        killed, left = run_until(step, workload_door, here)
        before = [said for said in left if said.startswith(b"drew")]
        charged += killed and len(bodies(here, "charge")) == 1 and not before
        resumed += len(before) == 1
        for _ in range(2):
            left += run_until(0, workload_door, here)[1]
        drawn = [said.split() for said in left if said.startswith(b"drew")]
        assert len(drawn) == len({place for _, place, _ in drawn})
        (answer,) = {said for said in left if not said.startswith(b"drew")}
        if answer != b"failed":
            payload = bytes.fromhex(answer.removeprefix(b"answer ").decode())
            stages = [bytes(stage) for (stage,) in kept_in.found(here, STAGES)]
            assert [said[2].decode() for said in drawn] == [sha256(each).hexdigest() for each in (*stages, payload)]
            assert NoisyCounts.from_bytes(payload).norm >= 1
        assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
        assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
        if not killed:
            break
    assert charged >= 1
    assert resumed >= 1
