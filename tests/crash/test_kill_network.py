"""kill −9 through the training of a network: charged once, nothing drawn again, and a network in the end (R33)."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.crash.killing import run_until
from tests.crash.staged_release import Say, lay_out, release_saying
from tests.crash.test_kill_tables import STAGES
from tests.learn.patients import SQL, TYPES, described, table_of, visits_of
from tests.ledger.books import FILE_ONLY, bodies
from tests.ledger.kept import Kept
from torch import nn

from tacit.errors import Failed
from tacit.learn.sgd.network_fit import NetworkFit, NetworkSettings
from tacit.learn.sgd.sgd_plan import PricedPlan
from tacit.learn.training_text import read_training
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.schema.catalogue import Catalogue

pytestmark = pytest.mark.xdist_group("torch")


def training_door(folder: Path, say: Say) -> None:
    """The count of people and four stages of two steps, behind the curator's own door."""
    torch.set_num_threads(1)
    description = described(folder)
    training = read_training(SQL, "urgent", 4, Catalogue(description, {"visits": TYPES}))
    settings = NetworkSettings(Fraction(1, 2), 8, stage_steps=2)
    fit = NetworkFit.of(lambda inputs, outputs: nn.Sequential(nn.Linear(inputs, outputs)), training, settings)
    priced = PricedPlan.for_epsilon(fit.bound, "1/2", 8, description.budget, description.promise, 20, None)
    engine = DuckDBEngine(threads=1)
    with suppress(Failed):  # where the count was lost: the next request is told
        release_saying(folder, say, fit.stages(priced).stages, priced.price, lambda: engine.session(description), True)


@FILE_ONLY
@pytest.mark.long
def test_killed_through_the_training_of_a_network(tmp_path: Path, kept_in: Kept) -> None:
    resumed, without = 0, 0
    rng = np.random.default_rng(2)
    rows = table_of([visit for patient in range(50) for visit in visits_of(patient, rng)])
    for step in range(15, 90, 7):
        here = tmp_path / str(step)
        lay_out(here, kept_in, rows)
        killed, left = run_until(step, training_door, here)
        before = [said for said in left if said.startswith(b"drew")]
        resumed += 1 <= len(before) < 6
        for _ in range(2):
            left += run_until(0, training_door, here)[1]
        drawn = [said.split() for said in left if said.startswith(b"drew")]
        places = [place for _, place, _ in drawn if place != b"5"]  # the last stage draws nothing
        assert len(places) == len(set(places))
        (answer,) = {said for said in left if not said.startswith(b"drew")}
        stages = [bytes(stage) for (stage,) in kept_in.found(here, STAGES)]
        if answer != b"failed":  # of the count alone, without which there is no training
            made = {said[2].decode() for said in drawn}
            assert all(sha256(each).hexdigest() in made for each in stages if each)
            assert len(stages) == 5
            without += stages.count(b"")
        else:
            assert stages in ([], [b""])
        assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
        assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
        if not killed:
            break
    assert resumed >= 1
    assert without >= 1
