"""At a fixed shape and place a row's numbers depend on that row alone, bit by bit; layers that mix rows are refused."""

from __future__ import annotations

import pytest
import torch
from tests.learn.sgd.networks import MAKERS, PeopleBatch, batch_of, dense, sums_of
from torch import Tensor, nn

from tacit.errors import Refused
from tacit.learn.sgd.clipped_sums import ClippedSums, RowLoss
from tacit.learn.sgd.network import WITHOUT_WEIGHTS, PrivateNetwork

pytestmark = pytest.mark.xdist_group("torch")


def bits_at(sums: ClippedSums, batch: PeopleBatch, places: list[int]) -> list[Tensor]:
    """All that is known of the people at these places."""
    found = []
    for part in sums.parts(batch):
        known = [value for value in vars(part).values() if isinstance(value, Tensor)]
        found += [value[places].clone() for value in known]
    return found


def depends_on_others(sums: ClippedSums, name: str, people: int, rows_each: int) -> bool:
    batch = batch_of(name, people, rows_each, 1)
    others = [place for place in range(people) if place % 3]
    own = [place for place in range(people) if not place % 3]
    rows, targets, present = batch.rows.clone(), batch.targets.clone(), batch.present.clone()
    replaced = batch_of(name, people, rows_each, 2, size=1e5)
    rows[others], targets[others] = replaced.rows[others], replaced.targets[others]
    present[others[::2]] = 0
    if rows.dtype != torch.int64:
        rows[others[::4]], rows[others[1::4]] = torch.nan, torch.inf
    changed = bits_at(sums, PeopleBatch(rows, targets, present), own)
    return any(not torch.equal(a, b) for a, b in zip(bits_at(sums, batch, own), changed, strict=True))


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("people", "rows_each"), [(67, 1), (256, 1), (13, 5)])
def test_bits_of_a_row_do_not_depend_on_others(name: str, people: int, rows_each: int) -> None:
    assert not depends_on_others(sums_of(name, people, rows_each), name, people, rows_each)


APART = (nn.Dropout, nn.MaxPool2d, nn.AvgPool2d, nn.Unflatten)  # pools are convolved; dropout draws by place


@pytest.mark.parametrize("kind", [kind for kind in WITHOUT_WEIGHTS if kind not in APART])
def test_layers_without_weights_leave_rows_alone(kind: type[nn.Module]) -> None:
    sums = sums_of("dense", 67, 1)
    network = PrivateNetwork.of(nn.Sequential(nn.Linear(6, 33), kind(), nn.Linear(33, 3)))
    assert not depends_on_others(ClippedSums(network, RowLoss.CROSS_ENTROPY, sums.bound), "dense", 67, 1)


def test_a_layer_that_mixes_rows_is_caught() -> None:
    """A broken twin: batch normalisation, let in past the list."""
    sums = sums_of("dense", 67, 1)
    layers = (nn.Linear(6, 8), nn.BatchNorm1d(8, affine=False), nn.Linear(8, 3))
    assert depends_on_others(ClippedSums(PrivateNetwork(layers), sums.loss, sums.bound), "dense", 67, 1)


class Mixing(nn.Module):
    def forward(self, rows: Tensor) -> Tensor:
        return rows - rows.mean(0)


def hooked() -> nn.Module:
    model = dense()
    model[0].register_forward_hook(lambda *_: None)
    return model


def half_frozen() -> nn.Module:
    model = dense()
    model[0].bias.requires_grad_(False)
    return model


SHARED = nn.Linear(6, 6)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8)), "BatchNorm1d at model.1.*mixes the rows"),
        (nn.Sequential(nn.Conv2d(1, 2, 3), nn.Sequential(nn.BatchNorm2d(2))), "BatchNorm2d at model.1.0"),
        (nn.LSTM(6, 3), "LSTM at model"),
        (nn.Sequential(nn.Linear(6, 3), Mixing()), "Mixing at model.1"),
        (nn.Sequential(nn.Linear(6, 3), nn.Softmax(0)), "Softmax at model.1"),
        (nn.Sequential(nn.Flatten(0), nn.Linear(6, 3)), "start_dim=1"),
        (nn.Sequential(nn.Linear(6, 3), nn.ReLU(inplace=True)), "inplace=False"),
        (nn.Sequential(nn.Embedding(6, 3, padding_idx=0), nn.Linear(3, 3)), "padding_idx"),
        (nn.Sequential(nn.LayerNorm((2, 3)), nn.Linear(6, 3)), "more than the last"),
        (nn.Sequential(nn.Conv2d(2, 2, 3, groups=2)), "groups=1"),
        (nn.Sequential(nn.Conv2d(2, 2, 3, padding="same")), "a number"),
        (nn.Sequential(nn.Unflatten(0, (1, 1)), nn.Linear(6, 3)), "dim=1"),
        (nn.Sequential(SHARED, nn.ReLU(), SHARED), "share"),
        (nn.Sequential(nn.ReLU()), "without weights"),
        (dense().double(), "float32"),
        (hooked(), "hooks"),
        (half_frozen(), "others not"),
    ],
)
def test_models_that_are_refused(model: nn.Module, why: str) -> None:
    with pytest.raises(Refused, match=why):
        PrivateNetwork.of(model)


def test_a_subclass_of_a_listed_layer_is_refused() -> None:
    class Odd(nn.Linear):
        """Who knows what its forward does."""

    with pytest.raises(Refused, match=r"Odd at model\.0"):
        PrivateNetwork.of(nn.Sequential(Odd(6, 3)))
