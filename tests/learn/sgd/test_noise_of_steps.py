"""The noise of steps: always there, exact, new each time, and never divided by what is private."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.learn.sgd.networks import CLASSES, INPUTS, batch_of, rows_of, sums_of, whole_numbers

from tacit.learn.sgd import sgd_run
from tacit.learn.sgd.clipped_sums import ClippedSums
from tacit.learn.sgd.people_rows import PeopleRows
from tacit.learn.sgd.places import NOBODY, SampledPlaces
from tacit.learn.sgd.sgd_plan import PricedPlan
from tacit.learn.sgd.sgd_run import NoisyStep
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.bits import Seeded

pytestmark = pytest.mark.xdist_group("torch")


def step_of(sums: ClippedSums, rate: str = "1/4", epsilon: str = "1", steps: int = 30) -> NoisyStep:
    budget, promise = Zcdp(3, "1e-4"), Approx(10, "1e-3")
    return NoisyStep(PricedPlan.for_epsilon(sums.bound, rate, steps, budget, promise, epsilon, "1e-5"), sums)


def people_of(many: int, rows_each: int = 1, seed: int = 1) -> PeopleRows:
    batch = batch_of("dense", many + 1, rows_each, seed)
    rows, targets, present = batch.rows.clone(), batch.targets.clone(), batch.present.clone()
    rows[many], targets[many], present[many] = 0, 0, 0
    return PeopleRows(rows, targets, present)


@pytest.mark.parametrize("people", [0, 1])
def test_noise_of_every_step_is_that_of_the_plan(people: int) -> None:
    """Also of an empty sample: 40 steps of 171 numbers, 6 deviations; false alarm below 10⁻⁸. A twin of 0.9σ is out."""
    step = step_of(sums_of("dense", 64, 1), rate="1/1000")
    arrangement, bits = SampledPlaces.drawn(people, 60, Seeded(1)), Seeded(2)
    found = [step.whole_numbers(people_of(people), arrangement, bits) for _ in range(40)]
    assert len({each.tobytes() for each in found}) == 40  # a twin that reuses noise has one
    values, law = np.concatenate(found).astype(float), step.priced.law
    ratio, allowed = float(np.mean(values**2) / law.variance), 6 * (2 / len(values)) ** 0.5
    assert abs(ratio - 1) < allowed
    assert abs(0.81 * ratio - 1) > allowed


def test_micro_batches_add_up_to_one_large_batch() -> None:
    """70 people at 100 places at once and by 16: numbers differ by rounding alone, half a step for each batch."""
    one, by_few = sums_of("dense", 128, 1), sums_of("dense", 16, 1)
    by_few = ClippedSums(by_few.network, by_few.loss, one.bound)
    people, who = people_of(70), SampledPlaces.drawn(70, 100, Seeded(1)).who
    whole = whole_numbers(one, people.batch(who))
    parts = [whole_numbers(by_few, people.batch(who[start : start + 16])) for start in range(0, 100, 16)]
    assert int((whole - torch.stack(parts).sum(0)).abs().max()) <= 1 + len(parts)
    here = whole_numbers(one, people.batch(who[who != NOBODY]))
    assert int((whole - here).abs().max()) <= 2
    assert int(whole.abs().max()) > 100_000


def test_sums_are_folded_into_integers_before_they_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every micro-batch, or none of them: the same numbers, bit by bit."""
    step, people = step_of(sums_of("dense", 8, 1), rate="1/2"), people_of(60)
    arrangement = SampledPlaces.drawn(60, 80, Seeded(1))
    plain = step.whole_numbers(people, arrangement, Seeded(2))
    for many in (4, 8):
        monkeypatch.setattr(sgd_run, "EXACT_BATCHES", many)
        assert np.array_equal(step.whole_numbers(people, arrangement, Seeded(2)), plain)


def test_the_gradient_is_divided_by_public_numbers_alone() -> None:
    """By rate times the noisy number of people. A twin that divides by the sample shows how many it holds."""
    sums = sums_of("dense", 64, 1)
    step, numbers = step_of(sums), np.arange(sums.bound.dimension) * 1_000
    step.give(numbers, 200)
    found = torch.cat([weight.grad.flatten() for weight in sums.network.weights]).double().numpy()
    expected = numbers * float(sums.bound.step) / 50
    assert np.allclose(found, expected, rtol=1e-6)
    assert not np.allclose(found, numbers * float(sums.bound.step) / 49, rtol=1e-6)  # a sample of 49 people
    step.give(numbers, -3)
    assert all(weight.grad.isfinite().all() for weight in sums.network.weights)


def test_one_step_on_neighbours_differs_by_the_sensitivity_at_most() -> None:
    """The whole step with the same arrangement, coins and noise, with and without each of a few odd people."""
    sums = sums_of("dense", 16, 4, "0.01")
    step, most = step_of(sums, rate="1/2"), 0.0
    for seed in range(12):
        many = 40
        people = people_of(many, 4, seed)
        people.rows[many - 1] *= (1, 1e20, float("nan"))[seed % 3]
        if seed % 4 == 0:
            people.rows[many - 1], people.present[many - 1] = people.rows[many - 1, :1], 1
        less = PeopleRows(
            *(torch.cat([each[: many - 1], each[many:]]) for each in (people.rows, people.targets, people.present))
        )
        arrangement = SampledPlaces.drawn(many, 60, Seeded(seed))
        others = SampledPlaces(np.where(arrangement.who == many - 1, NOBODY, arrangement.who))
        one, other = (
            step.whole_numbers(each, where, Seeded(seed)) for each, where in ((people, arrangement), (less, others))
        )
        most = max(most, float(np.linalg.norm((one - other).astype(float))) / float(sums.bound.sensitivity))
    assert 0.9 < most <= 1


def test_steps_learn() -> None:
    """Nearly without noise, thirty steps on 500 people find most of what their rows say."""
    maker = torch.Generator().manual_seed(1)
    truth = torch.randn(INPUTS, CLASSES, generator=maker)
    rows = torch.cat([rows_of("dense", 500, 1, 3), torch.zeros(1, 1, INPUTS)])
    targets, present = (rows @ truth).argmax(2), torch.ones(501, 1)
    targets[500], present[500] = 0, 0
    sums = sums_of("dense", 128, 1)
    step = step_of(sums, epsilon="60")
    optimizer = torch.optim.Adam(sums.network.weights, lr=0.05)
    arrangement, bits = SampledPlaces.drawn(500, 520, Seeded(1)), Seeded(2)
    for _ in range(30):
        step.give(step.whole_numbers(PeopleRows(rows, targets, present), arrangement, bits), 505)
        optimizer.step()
    found = torch.nn.Sequential(*sums.network.layers)(rows[:500, 0]).argmax(1)
    assert float((found == targets[:500, 0]).float().mean()) > 0.75
