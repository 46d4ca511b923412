"""Each person's gradient of one layer: its norm without the gradient itself where that is large (ghost norms).

The rows of a person, and the places of a sequence within a row, are one sequence of S places. A linear layer that was
given a_s and whose output has the gradient b_s at place s has the gradient g = Σ_s b_s·a_sᵀ. Its squared norm is
Σ_{s,t} (b_s·b_t)(a_s·a_t), which takes no matrix of its size; likewise for an embedding, whose a_s are unit vectors.
Gradients of convolutions, LayerNorm and biases are computed for each person: they are small.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import torch
from torch import Tensor, nn

from tacit.frozen import frozen

_ALL: Final = slice(None)
LARGEST: Final = 2.0**60
"""The largest squared norm of what a layer is given, or of its gradient, at one place: beyond, a person counts as 0."""


class GradientPart(ABC):
    """The gradients of one weight, for each person of a batch.

    `squared` is ‖g‖² and `absolute` the square of m = Σ_s ‖b_s‖·‖a_s‖ ≥ ‖g‖, for each person, in float32; for gradients
    that are computed for each person, g is that computed vector and both are ‖g‖². `is_bounded` is false where a number
    is NaN, infinite or too large.
    """

    squared: Tensor
    absolute: Tensor
    is_bounded: Tensor

    @abstractmethod
    def summed(self, factors: Tensor, kept: Tensor | None, at: slice = _ALL) -> Tensor:
        """Σ factor·g over people at these places; who is not `kept` is replaced by zeros; None where all are kept."""


class ProductPart(GradientPart):
    """The matrix of a linear layer: `given` is (people, places, in) and `gradient` (people, places, out)."""

    def __init__(self, given: Tensor, gradient: Tensor) -> None:
        self._given, self._gradient = given, gradient
        given_squared, own_squared = _squares(given), _squares(gradient)
        self.at_one_place = own_squared[:, 0] if given.shape[1] == 1 else None  # ‖b‖² of a bias, too
        self.is_bounded = ((given_squared <= LARGEST) & (own_squared <= LARGEST)).all(1)
        if given.shape[1] == 1:
            self.squared = self.absolute = (given_squared * own_squared)[:, 0]
        else:
            self.absolute = (given_squared.sqrt() * own_squared.sqrt()).sum(1).square()
            self.squared = (_gram(given) * _gram(gradient)).sum((1, 2))

    def summed(self, factors: Tensor, kept: Tensor | None, at: slice = _ALL) -> Tensor:
        given, gradient = self._given[at], self._gradient[at]
        if kept is not None:
            given, gradient = _only(given, kept[at]), _only(gradient, kept[at])
        scaled = (gradient * factors[at, None, None]).flatten(0, 1)
        return scaled.t() @ given.flatten(0, 1)


class TablePart(GradientPart):
    """The table of an embedding: `entries` are (people, places), `gradient` (people, places, width)."""

    def __init__(self, entries: Tensor, gradient: Tensor, size: int) -> None:
        self._entries, self._gradient, self._size = entries, gradient, size
        own_squared = _squares(gradient)
        self.is_bounded = (own_squared <= LARGEST).all(1)
        self.absolute = own_squared.sqrt().sum(1).square()
        if entries.shape[1] == 1:
            self.squared = own_squared[:, 0]
        else:
            same = entries[:, :, None] == entries[:, None, :]
            self.squared = torch.where(same, _gram(gradient), 0.0).sum((1, 2))

    def summed(self, factors: Tensor, kept: Tensor | None, at: slice = _ALL) -> Tensor:
        gradient = self._gradient[at] if kept is None else _only(self._gradient[at], kept[at])
        scaled = (gradient * factors[at, None, None]).flatten(0, 1).double()
        whole = torch.zeros(self._size, gradient.shape[2], dtype=torch.float64)
        return whole.index_add_(0, self._entries[at].flatten(), scaled)


class OwnPart(GradientPart):
    """A weight whose gradient is computed for each person: `own` is (people, numbers), `shape` that of the weight."""

    def __init__(self, own: Tensor, shape: torch.Size, squared: Tensor | None = None) -> None:
        self._own, self._shape = own, shape
        self.squared = self.absolute = _squares(own[:, None])[:, 0] if squared is None else squared
        self.is_bounded = self.squared <= LARGEST

    def summed(self, factors: Tensor, kept: Tensor | None, at: slice = _ALL) -> Tensor:
        own = self._own[at] if kept is None else torch.where(kept[at, None], self._own[at], 0.0)
        return (factors[at] @ own).view(self._shape)


@frozen
class PartSize:
    """Public sizes of a part: places of a ghost norm (0 for gradients of each person), and how many numbers it adds."""

    places: int
    numbers: int


def parts_of(layer: nn.Module, given: Tensor, gradient: Tensor, people: int) -> list[GradientPart]:
    """The parts of a layer, in the order of its weights, from what it was given and the gradient of what it gave."""
    if isinstance(layer, nn.Embedding):
        entries = given.reshape(people, -1)
        return [TablePart(entries, gradient.reshape(*entries.shape, -1), layer.num_embeddings)]
    if isinstance(layer, nn.Conv2d):
        patches = nn.functional.unfold(given, layer.kernel_size, layer.dilation, layer.padding, layer.stride)
        flat = gradient.flatten(2)
        own = torch.bmm(flat, patches.transpose(1, 2)).view(people, -1, *layer.weight.shape).sum(1).flatten(1)
        return [OwnPart(own, layer.weight.shape), *_bias(layer, flat.sum(2).view(people, -1, layer.out_channels))]
    width = gradient.shape[-1]
    own_gradient = gradient.reshape(people, -1, width)
    if isinstance(layer, nn.Linear):
        product = ProductPart(given.reshape(people, -1, layer.in_features), own_gradient)
        return [product, *_bias(layer, own_gradient, product.at_one_place)]
    normal = nn.functional.layer_norm(given, layer.normalized_shape, None, None, layer.eps).reshape(people, -1, width)
    scale = OwnPart((own_gradient * normal).sum(1), layer.weight.shape)
    return [scale, *_bias(layer, own_gradient)]


def sizes_of(layer: nn.Module, given: Tensor, rows_each: int) -> list[PartSize]:
    """The sizes of the same parts, from a row of what the layer is given."""
    numbers = given[0].numel()
    if isinstance(layer, nn.Embedding):
        return [PartSize(rows_each * numbers, layer.embedding_dim)]
    if isinstance(layer, nn.Linear):
        places = rows_each * numbers // layer.in_features
        product = PartSize(places, layer.in_features + layer.out_features)
        return [product, PartSize(0, layer.out_features)] if layer.bias is not None else [product]
    return [PartSize(0, weight.numel()) for weight in layer.parameters()]


def _bias(layer: nn.Module, gradient: Tensor, squared: Tensor | None = None) -> list[GradientPart]:
    if layer.bias is None:
        return []
    own = gradient[:, 0] if gradient.shape[1] == 1 else gradient.sum(1)
    return [OwnPart(own, layer.bias.shape, squared)]


def _squares(values: Tensor) -> Tensor:
    return torch.linalg.vector_norm(values, dim=2).square()


def _gram(values: Tensor) -> Tensor:
    return torch.bmm(values, values.transpose(1, 2))


def _only(values: Tensor, kept: Tensor) -> Tensor:
    return torch.where(kept[:, None, None], values, 0.0)
