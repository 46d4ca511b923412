"""Real answers to a sensitive question: polls that see only reports recover the share, and what goes with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples.fair_poll import answers, ask, draw

from tacit.local.polls.designs.randomized_response import WarnerDesign
from tacit.local.polls.estimation.logistic_regression import logistic
from tacit.noise.bits import Seeded


def test_every_design_recovers_the_share(tmp_path: Path) -> None:
    """Each of 5 estimates within 4.5 standard errors of the answers' own share: false alarm below 1e-4."""
    truth, about = answers()
    assert (truth.size, truth.mean()) == (6366, pytest.approx(0.3225, abs=1e-4))
    polls = ask(truth, Seeded(4))
    for _, _, found in polls:
        assert abs(found.value - truth.mean()) < 4.5 * found.standard_error
    draw(tmp_path / "affairs.png", float(truth.mean()), polls)
    fit = logistic(
        WarnerDesign("3/4").channel, WarnerDesign("3/4").table.draw_many(truth, Seeded(5)), about, ["rating", "years"]
    )
    assert fit.interval("rating")[1] < 0 < fit.interval("years")[0]
