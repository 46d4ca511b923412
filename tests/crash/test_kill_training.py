"""kill −9 between the steps of training: charged once, nothing drawn again, one model of what was stored (R33)."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from tests.crash.killing import run_until
from tests.crash.staged_release import Say, lay_out, release_saying
from tests.crash.test_kill_tables import STAGES
from tests.learn.patients import SQL, described, planned, table_of, visits_of
from tests.ledger.books import FILE_ONLY, bodies
from tests.ledger.kept import Kept

from tacit.learn.additive_model import AdditiveModel
from tacit.learn.additive_run import AdditiveRun
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.plans.price import price_of


def training_door(folder: Path, say: Say) -> None:
    """Weights and four steps, each behind the curator's own door; each says that it has drawn."""
    description = described(folder)
    plan = planned(description, SQL, "urgent")
    price = price_of(description.budget, description.promise, 20, None, False)
    release_saying(
        folder, say, AdditiveRun(plan, price).stages, price, lambda: DuckDBEngine(threads=1).session(description)
    )


@FILE_ONLY
@pytest.mark.long
def test_killed_between_the_steps_of_training(tmp_path: Path, kept_in: Kept) -> None:
    charged, resumed = 0, 0
    rng = np.random.default_rng(2)
    rows = table_of([visit for patient in range(50) for visit in visits_of(patient, rng)])
    for step in range(10, 80, 6):
        here = tmp_path / str(step)
        lay_out(here, kept_in, rows)
        killed, left = run_until(step, training_door, here)
        before = [said for said in left if said.startswith(b"drew")]
        charged += killed and len(bodies(here, "charge")) == 1 and not before
        resumed += 1 <= len(before) < 5
        for _ in range(2):
            left += run_until(0, training_door, here)[1]
        drawn = [said.split() for said in left if said.startswith(b"drew")]
        assert len(drawn) == len({place for _, place, _ in drawn})
        (answer,) = {said for said in left if not said.startswith(b"drew")}
        if answer != b"failed":
            payload = bytes.fromhex(answer.removeprefix(b"answer ").decode())
            stages = [bytes(stage) for (stage,) in kept_in.found(here, STAGES)]
            assert [said[2].decode() for said in drawn] == [sha256(each).hexdigest() for each in (*stages, payload)]
            assert len(AdditiveModel.from_fields(json.loads(payload)).scores) == 4
        assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
        assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
        if not killed:
            break
    assert charged >= 1
    assert resumed >= 1
