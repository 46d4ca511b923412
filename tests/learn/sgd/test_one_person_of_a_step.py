"""What one person moves the whole numbers of a step by, on odd neighbours: never more than the noise is made for."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from tests.learn.sgd.networks import MAKERS, batch_of, moved, sums_of, without
from torch import Tensor

from tacit.learn.sgd.clipped_sums import ClippedSums, PeopleBatch
from tacit.learn.sgd.error_bound import ErrorBound
from tacit.learn.sgd.gradient_parts import ProductPart

pytestmark = pytest.mark.xdist_group("torch")
CASES = [(name, rows_each) for name in MAKERS for rows_each in (1, 4)]


def odd(batch: PeopleBatch, person: int, kind: int) -> PeopleBatch:
    """A person with huge rows, rows of NaN or infinity, many rows that are all the same, or rows that cancel."""
    rows, targets, present = batch.rows.clone(), batch.targets.clone(), batch.present.clone()
    present[person] = 1
    if rows.dtype != torch.int64:
        rows[person] *= (1.0, 1e6, 1e30, 1.0, 1.0, 1e-30)[kind]
        if kind in (3, 4):
            rows[person, -1] = (0.0, 0.0, 0.0, torch.nan, torch.inf)[kind]
    if kind == 0:
        rows[person], targets[person] = rows[person, :1], targets[person, 0]
    if kind == 5:
        rows[person], targets[person] = rows[person, :1], torch.arange(rows.shape[1]) % 3
    return PeopleBatch(rows, targets, present)


def most_moved(sums: ClippedSums, name: str, rows_each: int) -> float:
    most, people = 0.0, sums.bound.people
    for seed in range(6):
        batch = batch_of(name, people, rows_each, seed, size=(0.1, 1.0, 30.0)[seed % 3])
        person = seed % people
        one, other = odd(batch, person, seed), without(batch, person)
        strange = odd(odd(one, (person + 1) % people, 3), (person + 2) % people, 2)
        pairs = [(one, other), (strange, without(strange, person))]
        order = torch.randperm(people)
        pairs.append((one, PeopleBatch(other.rows[order], other.targets[order], other.present[order])))
        most = max(most, *(moved(sums, *pair) for pair in pairs))
    return most


@pytest.mark.parametrize(("name", "rows_each"), CASES)
@pytest.mark.parametrize("clip", ["0.001", "1", "100"])
def test_one_person_moves_whole_numbers_within_the_sensitivity(name: str, rows_each: int, clip: str) -> None:
    sums = sums_of(name, 8, rows_each, clip)
    found = most_moved(sums, name, rows_each)
    assert found <= 1
    assert found > 0.9 or clip == "100"


@pytest.mark.parametrize("name", MAKERS)
def test_noise_for_half_the_clip_is_caught(name: str) -> None:
    """A broken twin: gradients are clipped at twice what the noise is made for."""
    sums = sums_of(name, 8, 1, "0.001")
    double = ClippedSums(sums.network, sums.loss, replace(sums.bound, clip=2 * sums.bound.clip))
    assert double.bound.exponent == sums.bound.exponent + 1
    fine = ClippedSums(sums.network, sums.loss, sums.bound)
    object.__setattr__(fine, "bound", _Fixed(sums.bound, 2 * sums.bound.inner))
    assert most_moved(fine, name, 1) > 1.5


def test_rows_that_are_clipped_one_by_one_are_caught() -> None:
    """A broken twin: each of four rows is a person of its own, so that one person counts four times."""
    sums = sums_of("dense", 8, 1, "0.001")
    batch = batch_of("dense", 2, 4, 1)
    same = odd(batch, 0, 0)
    one = PeopleBatch(same.rows.reshape(8, 1, -1), same.targets.reshape(8, 1), torch.ones(8, 1))
    other = PeopleBatch(one.rows.clone(), one.targets, torch.ones(8, 1))
    other.rows[:4], other.present[:4] = 0, 0
    assert moved(sums, one, other) > 3


def test_a_thousand_copies_of_a_row_are_one_person() -> None:
    """All 256 rows that are read of somebody with a thousand, beside somebody with one."""
    sums = sums_of("dense", 2, 256)
    batch = odd(batch_of("dense", 2, 256, 3), 0, 0)
    assert 0.9 < moved(sums, batch, without(batch, 0)) <= 1


def test_somebody_with_nan_counts_as_nobody() -> None:
    """And what others add stays, bit by bit. A twin that leaves NaN in gives no numbers at all."""
    sums = sums_of("dense", 8, 1)
    batch = odd(batch_of("dense", 8, 1, 1), 3, 3)
    assert moved(sums, batch, without(batch, 3)) == 0
    parts = sums.parts(batch)
    factors, kept = sums.factors(parts, batch)
    assert kept.tolist() == [place != 3 for place in range(8)]
    assert parts[0].summed(factors, None).isnan().any()
    assert not parts[0].summed(factors, kept).isnan().any()


def test_somebody_with_nan_changes_nothing_in_other_micro_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even whether numbers are copied: products may round otherwise at another place in memory."""
    seen: list[tuple[int, bool]] = []
    plain = ProductPart.summed

    def noted(self: ProductPart, factors: Tensor, kept: Tensor | None, at: slice) -> Tensor:
        seen.append((at.start, kept is not None))
        return plain(self, factors, kept, at)

    monkeypatch.setattr(ProductPart, "summed", noted)
    sums = sums_of("dense", 7, 1)
    batch = odd(batch_of("dense", 21, 1, 1), 9, 3)
    assert moved(sums, batch, without(batch, 9)) <= 1
    with_one, without_one = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    assert {start for start, is_copied in with_one if is_copied} == {7}
    assert not any(is_copied for _, is_copied in without_one)


class _Fixed(ErrorBound):
    """A bound that clips elsewhere than it says."""

    def __init__(self, bound: ErrorBound, inner: float) -> None:
        super().__init__(bound.clip, bound.people, bound.sizes, bound.dimension)
        object.__setattr__(self, "_inner", inner)

    @property
    def inner(self) -> float:
        return float(vars(self)["_inner"])
