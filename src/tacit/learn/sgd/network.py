"""A torch model as a list of layers whose gradients are known person by person; every other layer is refused by name.

Claim: at a fixed shape and place, what a listed layer gives for a row, forward and backward, is computed from that row
and the weights alone. Each of them is a map of rows (a product with a matrix, a function of each number, a maximum or a
mean within a row), and torch computes it for each place by operations that its shape decides. So a model that mixes
rows cannot be built of them. The tests change all other rows, also to NaN, and compare bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch
from torch import Tensor, nn

from tacit.errors import Refused
from tacit.frozen import frozen

WITHOUT_WEIGHTS: Final = (
    nn.ReLU,
    nn.LeakyReLU,
    nn.ELU,
    nn.GELU,
    nn.SiLU,
    nn.Tanh,
    nn.Sigmoid,
    nn.Softplus,
    nn.Identity,
    nn.Dropout,
    nn.Flatten,
    nn.Unflatten,
    nn.MaxPool2d,
    nn.AvgPool2d,
)
WITH_WEIGHTS: Final = (nn.Linear, nn.Embedding, nn.LayerNorm, nn.Conv2d)
_BATCH_NORMS: Final = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
_LISTED: Final = "a Sequential of " + ", ".join(each.__name__ for each in (*WITH_WEIGHTS, *WITHOUT_WEIGHTS)) + "."


@frozen(eq=False)
class PrivateNetwork:
    """The layers of a model in their order, and which of them are trained."""

    layers: tuple[nn.Module, ...]

    @classmethod
    def of(cls, model: nn.Module) -> PrivateNetwork:
        """The network of a Sequential; refused where a layer mixes people, or has no known gradient for each person."""
        layers = tuple(_flat(model, "model"))
        weights = [weight for layer in layers for weight in layer.parameters()]
        if len({id(weight) for weight in weights}) != len(weights):
            raise Refused("a weight that two layers share", "Its gradient is that of neither.", _LISTED)
        if any(weight.dtype != torch.float32 or weight.device.type != "cpu" for weight in weights):
            raise Refused(
                "weights that are not float32 on the CPU",
                "The error bounds are proven for these.",
                "model.float().cpu().",
            )
        found = cls(layers)
        if not found.trained:
            raise Refused("a model without weights to train", "There is nothing to learn.", _LISTED)
        return found

    @property
    def trained(self) -> list[nn.Module]:
        """The layers that have weights which ask for a gradient."""
        return [layer for layer in self.layers if any(weight.requires_grad for weight in layer.parameters())]

    @property
    def weights(self) -> list[nn.Parameter]:
        """What is trained, layer by layer."""
        return [weight for layer in self.trained for weight in layer.parameters()]

    @property
    def size(self) -> int:
        return sum(weight.numel() for weight in self.weights)

    def run(self, rows: Tensor) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """What the model gives, what each trained layer was given, and what each gave: leaves of a later backward."""
        trained = {id(layer) for layer in self.trained}
        inputs, outputs, value = [], [], rows
        for layer in self.layers:
            if id(layer) not in trained:
                value = layer(value)
                continue
            inputs.append(value.detach())
            value = _given_weights(layer, value)
            if not value.requires_grad:
                value.requires_grad_(True)
            outputs.append(value)
        return value, inputs, outputs


def one_hidden_layer(inputs: int, outputs: int, width: int = 64) -> nn.Module:
    """A small network for any table."""
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, outputs))


def _flat(module: nn.Module, name: str) -> Iterator[nn.Module]:
    if type(module) is nn.Sequential:
        for inner, child in enumerate(module):  # also a layer that comes twice, which named_children leaves out
            yield from _flat(child, f"{name}.{inner}")
        return
    kind = type(module)
    if isinstance(module, _BATCH_NORMS):
        raise Refused(
            f"{kind.__name__} at {name}",
            "It mixes the rows of a batch: the gradient of one person depends on all others, and cannot be clipped.",
            "LayerNorm, or no normalisation.",
        )
    if kind not in (*WITH_WEIGHTS, *WITHOUT_WEIGHTS):
        raise Refused(f"{kind.__name__} at {name}", "Its gradient for each person is not known here.", _LISTED)
    if why := _unsuitable(module):
        raise Refused(f"{kind.__name__} at {name}", why, _LISTED)
    yield module


def _unsuitable(layer: nn.Module) -> str:
    """Why a layer of a listed kind is not taken; empty where it is."""
    if layer._forward_hooks or layer._forward_pre_hooks or layer._backward_hooks or layer._backward_pre_hooks:
        return "It has hooks, and nothing is known of what they do."
    if getattr(layer, "inplace", False):
        return "It overwrites what the layer before it gave: inplace=False."
    if "forward" in vars(layer):
        return "Its forward was replaced."
    if isinstance(layer, nn.Flatten) and layer.start_dim != 1:
        return "It would join rows of several people: start_dim=1."
    if isinstance(layer, nn.Unflatten) and layer.dim != 1:
        return "It would part rows: dim=1."
    if isinstance(layer, nn.Embedding) and (
        layer.padding_idx,
        layer.max_norm,
        layer.scale_grad_by_freq,
        layer.sparse,
    ) != (
        None,
        None,
        False,
        False,
    ):
        return "padding_idx, max_norm, scale_grad_by_freq and sparse change its gradient."
    if isinstance(layer, nn.LayerNorm) and len(layer.normalized_shape) != 1:
        return "It normalises more than the last dimension."
    if isinstance(layer, nn.Conv2d) and (layer.groups, layer.padding_mode) != (1, "zeros"):
        return "Its gradient is known for groups=1 and padding with zeros."
    if isinstance(layer, nn.Conv2d) and isinstance(layer.padding, str):
        return "Its padding must be a number."
    trained = {weight.requires_grad for weight in layer.parameters()}
    return "Some of its weights are trained and others not." if len(trained) > 1 else ""


def _given_weights(layer: nn.Module, value: Tensor) -> Tensor:
    """The layer with its weights held fixed, so that a backward stops at what it gave."""
    weight, bias = layer.weight, getattr(layer, "bias", None)
    fixed = None if bias is None else bias.detach()
    if isinstance(layer, nn.Linear):
        return nn.functional.linear(value, weight.detach(), fixed)
    if isinstance(layer, nn.Embedding):
        return nn.functional.embedding(value, weight.detach())
    if isinstance(layer, nn.Conv2d):
        if value.dim() != 4:
            raise Refused(
                "Conv2d on rows that are no images", "It would take rows for channels.", "nn.Unflatten before."
            )
        return nn.functional.conv2d(value, weight.detach(), fixed, layer.stride, layer.padding, layer.dilation)
    return nn.functional.layer_norm(value, layer.normalized_shape, weight.detach(), fixed, layer.eps)
