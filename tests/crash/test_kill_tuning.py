"""kill −9 through a tuning: charged once, nothing drawn again, and of a random number of runs nothing but the best."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.crash.killing import run_until
from tests.crash.staged_release import Say, lay_out, release_saying
from tests.crash.test_kill_tables import STAGES
from tests.learn.patients import SQL, TYPES, described, table_of, visits_of
from tests.ledger.books import FILE_ONLY, bodies
from tests.ledger.kept import Kept

from tacit.curator.model_kinds import model_kind, read_fields
from tacit.learn.tuning.candidates import settings_in
from tacit.learn.tuning.held_out_score import held_out_score
from tacit.learn.tuning.tuning_plan import TuningPlan
from tacit.learn.tuning.tuning_run import TuningRun
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.schema.catalogue import Catalogue


def tuning_plan(folder: Path, *, is_random: bool) -> TuningPlan:
    """Two candidates of one step or two."""
    description = described(folder)
    catalogue = Catalogue(description, {"visits": TYPES})
    settings = settings_in({"steps": [1, 2]}, {"bins": 3})
    fits = tuple(
        model_kind("additive").fit(SQL, "urgent", catalogue, description.unit, candidate) for candidate in settings
    )
    score = held_out_score(SQL, SQL, catalogue, description.unit.relation)
    promise = Approx(100, "1e-6")
    budget = promise if is_random else Zcdp(100, "1e-7")
    return TuningPlan.priced(fits, settings, score, budget, promise, 20, None)


def tuning_door(is_random: bool, folder: Path, say: Say) -> None:
    """The stages of a tuning behind the curator's own door; each says that it has drawn."""
    plan = tuning_plan(folder, is_random=is_random)
    session = partial(DuckDBEngine(threads=1).session, described(folder))
    release_saying(folder, say, TuningRun(plan, read_fields).stages, plan.price, session)


@FILE_ONLY
@pytest.mark.long
@pytest.mark.parametrize("is_random", [True, False])
def test_killed_in_a_tuning(tmp_path: Path, kept_in: Kept, is_random: bool) -> None:
    charged = resumed = failed = 0
    rng = np.random.default_rng(2)
    rows = table_of([visit for patient in range(30) for visit in visits_of(patient, rng)])
    for step in range(10, 70, 6):
        here = tmp_path / str(step)
        lay_out(here, kept_in, rows)
        door = partial(tuning_door, is_random)
        killed, left = run_until(step, door, here)
        before = [said for said in left if said.startswith(b"drew")]
        charged += killed and len(bodies(here, "charge")) == 1 and not before
        for _ in range(2):
            left += run_until(0, door, here)[1]
        drawn = [said.split() for said in left if said.startswith(b"drew")]
        assert len(drawn) == len({place for _, place, _ in drawn})  # no stage drew twice
        (answer,) = {said for said in left if not said.startswith(b"drew")}
        stages = kept_in.found(here, STAGES)
        assert len(stages) <= (0 if is_random else 6)
        if answer == b"failed":
            failed += 1
        else:
            resumed += bool(before) and killed
            found = json.loads(bytes.fromhex(answer.removeprefix(b"answer ").decode()))
            assert set(found) == {"candidate", "model"}
        assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
        assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
        if not killed:
            break
    assert charged
    assert failed or not is_random  # whose process died within the one stage has no answer
    assert resumed or is_random
