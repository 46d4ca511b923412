"""Small networks of every listed kind, odd people, and gradients of each person in float64."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import torch
from torch import Tensor, nn

from tacit.learn.sgd.clipped_sums import ClippedSums, PeopleBatch, RowLoss
from tacit.learn.sgd.error_bound import ErrorBound
from tacit.learn.sgd.gradient_parts import ProductPart, TablePart, sizes_of
from tacit.learn.sgd.network import PrivateNetwork

INPUTS, CLASSES, ENTRIES = 6, 3, 10


def dense() -> nn.Module:
    return nn.Sequential(nn.Linear(INPUTS, 8), nn.ReLU(), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, CLASSES))


def normalised() -> nn.Module:
    return nn.Sequential(nn.Linear(INPUTS, 8, bias=False), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, CLASSES))


def embedded() -> nn.Module:
    """Sequences of places within a row: an embedding, a linear layer at each place, then all of them together."""
    each = nn.Sequential(nn.Embedding(ENTRIES, 4), nn.Linear(4, 5), nn.SiLU(), nn.LayerNorm(5))
    return nn.Sequential(each, nn.Flatten(), nn.Linear(5 * INPUTS, CLASSES))


def convolved() -> nn.Module:
    first = nn.Sequential(nn.Conv2d(1, 3, 3, stride=1, padding=1), nn.ReLU(), nn.MaxPool2d(2))
    return nn.Sequential(first, nn.Conv2d(3, 4, 2), nn.ELU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(4, CLASSES))


MAKERS: dict[str, Callable[[], nn.Module]] = {
    "dense": dense,
    "normalised": normalised,
    "embedded": embedded,
    "convolved": convolved,
}


def sums_of(name: str, people: int, rows_each: int, clip: str = "1", seed: int = 0) -> ClippedSums:
    """Clipped sums of a network of this kind, and its bound for batches of so many people."""
    torch.manual_seed(seed)
    network = PrivateNetwork.of(MAKERS[name]())
    _, inputs, _ = network.run(rows_of(name, 1, 1, seed)[0])
    sizes = [
        size for layer, given in zip(network.trained, inputs, strict=True) for size in sizes_of(layer, given, rows_each)
    ]
    return ClippedSums(network, RowLoss.CROSS_ENTROPY, ErrorBound(Fraction(clip), people, tuple(sizes), network.size))


def rows_of(name: str, people: int, rows_each: int, seed: int, size: float = 1.0) -> Tensor:
    maker = torch.Generator().manual_seed(seed)
    if name == "embedded":
        return torch.randint(0, ENTRIES, (people, rows_each, INPUTS), generator=maker)
    shape = (1, 8, 8) if name == "convolved" else (INPUTS,)
    return size * torch.randn(people, rows_each, *shape, generator=maker)


def batch_of(name: str, people: int, rows_each: int, seed: int, size: float = 1.0) -> PeopleBatch:
    """People with one row to all of theirs."""
    maker = torch.Generator().manual_seed(seed + 1)
    present = (torch.rand(people, rows_each, generator=maker) < 0.7).float()
    present[:, 0] = 1
    targets = torch.randint(0, CLASSES, (people, rows_each), generator=maker)
    return PeopleBatch(rows_of(name, people, rows_each, seed, size), targets, present)


def without(batch: PeopleBatch, person: int) -> PeopleBatch:
    """The same, the place of one person being empty."""
    rows, targets, present = batch.rows.clone(), batch.targets.clone(), batch.present.clone()
    rows[person], targets[person], present[person] = 0, 0, 0
    return PeopleBatch(rows, targets, present)


def whole_numbers(sums: ClippedSums, batch: PeopleBatch) -> Tensor:
    total = torch.zeros(sums.bound.dimension, dtype=torch.float64)
    sums.add_to(total, batch)
    assert torch.equal(total, total.round())
    return total.to(torch.int64)


def moved(sums: ClippedSums, one: PeopleBatch, other: PeopleBatch) -> float:
    """The ℓ₂ norm by which whole numbers differ, as a part of what the bound says."""
    difference = (whole_numbers(sums, one) - whole_numbers(sums, other)).double()
    return float(difference.norm()) / float(sums.bound.sensitivity)


def exact_gradients(sums: ClippedSums, batch: PeopleBatch) -> Tensor:
    """Each person's gradient from what layers were given and the gradients of what they gave, in float64."""
    listed = []
    for part in sums.parts(batch):
        if isinstance(part, ProductPart):
            each = torch.einsum("pso,psi->poi", part._gradient.double(), part._given.double())
        elif isinstance(part, TablePart):
            unit = nn.functional.one_hot(part._entries, part._size).double()
            each = torch.einsum("psv,psw->pvw", unit, part._gradient.double())
        else:
            each = part._own.double()
        listed.append(each.flatten(1))
    return torch.cat(listed, 1)


def autograd_gradients(sums: ClippedSums, batch: PeopleBatch) -> Tensor:
    """The same by torch's own derivative of each person's loss, in float64."""
    model = nn.Sequential(*sums.network.layers).double()
    listed = []
    for rows, targets, present in zip(batch.rows, batch.targets, batch.present, strict=True):
        given = model(rows if rows.dtype == torch.int64 else rows.double())
        loss = (nn.functional.cross_entropy(given, targets, reduction="none") * present.double()).sum()
        listed.append(torch.cat([each.flatten() for each in torch.autograd.grad(loss, list(model.parameters()))]))
    model.float()
    return torch.stack(listed)
