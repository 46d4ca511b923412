"""Networks under attack: one that knows its rows by heart is broken, its private twin is not, nor one without noise.

The private twin draws its noise from the system's entropy. Its bound is above the ε that it keeps at most once in
10,000 runs of this test.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from typing import Any

import numpy as np
import pytest
import torch
from tests.audit.membership.networks import PlainNetwork, layers

from tacit.audit.membership.attacked_models import (
    AttackedModel,
    opened_model,
    own_model,
    private_model,
    trained_network,
)
from tacit.audit.membership.attacked_table import AttackedTable
from tacit.audit.membership.model_attack import ModelAttack, attack_on
from tacit.exact import Number
from tacit.learn.sgd import sgd_run

pytestmark = pytest.mark.xdist_group("torch")
SETTINGS: dict[str, Any] = {"rate": "1/4", "steps": 120, "stage_steps": 120, "options": {"lr": 0.02}}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Several threads on a busy machine wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def people() -> AttackedTable:
    """200 people with 8 answers of 5, the first of which says a little about the label."""
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 5, (200, 8))
    labels = (answers[:, 0] + 4 * rng.standard_normal(200) > 2).tolist()
    columns = {f"a{place}": [f"answer {each}" for each in answers[:, place]] for place in range(8)}
    return AttackedTable.of({"ill": labels, **columns}, "ill", None, 200)


def attacked(model: AttackedModel, confidence: Number = "0.95") -> ModelAttack:
    return attack_on(model, people(), 16, 4, confidence=confidence)


def attacked_twin(confidence: Number = "0.95") -> ModelAttack:
    """The same layers, trained privately."""
    with private_model("twin", lambda *price: trained_network(layers, *price, **SETTINGS), 1, "1e-6") as model:
        return attacked(model, confidence)


def test_the_network_of_the_command_is_trained() -> None:
    """Three classes that one column gives, at a price at which noise is nothing."""
    place = np.arange(90)
    told = {"ill": (place % 3).tolist(), "sign": [f"s{each}" for each in place % 3]}
    with opened_model("network", 1000, "1e-6") as model:
        sure = model.confidence(AttackedTable.of(told, "ill", None, 400), place % 7 != 0)
    assert (sure > 0).all()


@pytest.mark.long
def test_a_network_without_privacy_is_broken() -> None:
    found = attacked(own_model("tests:plain", PlainNetwork))
    assert found.bound > 1.5
    few, fewer = found.found["likelihood ratio"]
    assert few.hits.interval()[0] > 10 * few.alarms.value
    assert few.hits.interval()[0] > few.alarms.interval()[1], "beyond what chance explains"
    assert fewer.hits.count > 5
    assert fewer.alarms.count == 0
    assert len(found.exposed) > 10


@pytest.mark.long
def test_its_private_twin_is_not() -> None:
    found = attacked_twin("0.9999")
    assert not found.refutes
    for each in found.found["likelihood ratio"]:
        assert each.hits.interval("0.9999")[0] <= exp(1) * each.alarms.interval("0.9999")[1] + 1e-6


@pytest.mark.long
def test_a_twin_whose_noise_was_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same plan, price and certificate; only that nothing is added to the sums."""
    monkeypatch.setattr(sgd_run, "saturated_sum", lambda sums, noise: sums)
    found = attacked_twin("0.9999")
    assert found.refutes
    assert found.bound > 1.5 * (found.model.epsilon or 0)
