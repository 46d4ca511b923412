"""kill −9 through convex training: charged once, noise drawn once, and a run goes on from what is stored (R33)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.crash.killing import run_until
from tests.crash.staged_release import Say, lay_out, release_saying
from tests.learn.convex.test_convex_release import planned
from tests.learn.patients import described, table_of, visits_of
from tests.ledger.books import FILE_ONLY, bodies
from tests.ledger.kept import Kept

from tacit.learn.convex.convex_plan import Way
from tacit.learn.convex.convex_run import ConvexRun
from tacit.loss.families.loss import Relation
from tacit.query.engines.duckdb.engine import DuckDBEngine


def convex_door(way: Way, folder: Path, say: Say) -> None:
    """The stages of one way, each behind the curator's own door; each says that it has drawn."""
    plan, price = planned(folder, way, Relation.ADD_REMOVE)
    session = partial(DuckDBEngine(threads=1).session, described(folder))
    release_saying(folder, say, ConvexRun(plan, price).stages, price, session)


@FILE_ONLY
@pytest.mark.long
@pytest.mark.parametrize("way", list(Way))
def test_killed_in_convex_training(tmp_path: Path, kept_in: Kept, way: Way) -> None:
    charged = 0
    rng = np.random.default_rng(2)
    rows = table_of([visit for patient in range(30) for visit in visits_of(patient, rng)])
    for step in range(10, 60, 10):
        here = tmp_path / str(step)
        lay_out(here, kept_in, rows)
        killed, left = run_until(step, partial(convex_door, way), here)
        charged += killed and len(bodies(here, "charge")) == 1
        for _ in range(2):
            left += run_until(0, partial(convex_door, way), here)[1]
        drawn = [said.split() for said in left if said.startswith(b"drew")]
        assert len(drawn) == len({place for _, place, _ in drawn})  # no stage drew twice
        assert len({said for said in left if not said.startswith(b"drew")}) == 1
        assert len(bodies(here, "charge")) == 1
    assert charged
