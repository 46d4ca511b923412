"""The state of training between two stages, as safetensors: weights, and what the optimizer remembers. No pickle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from tacit.errors import Refused
from tacit.exact import exact
from tacit.frozen import frozen
from tacit.learn.sgd.network import PrivateNetwork

_WITH_CLOSURE = ("LBFGS", "SparseAdam")


@frozen(eq=False)
class OptimizerChoice:
    """An optimizer of torch with its settings. It reads noisy gradients alone, so it is post-processing."""

    kind: type[torch.optim.Optimizer]
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        named = getattr(self.kind, "__name__", str(self.kind))
        is_torch = isinstance(self.kind, type) and issubclass(self.kind, torch.optim.Optimizer)
        if not (is_torch and self.kind.__module__.startswith("torch.optim.")) or named in _WITH_CLOSURE:
            raise Refused(
                f"the optimizer {named}",
                "What it does cannot be told from its name, or it evaluates the loss again.",
                "a class of torch.optim, such as torch.optim.Adam; not LBFGS or SparseAdam.",
            )
        for name, value in self.settings.items():
            for number in value if isinstance(value, tuple) else (value,):
                if not isinstance(number, bool) and number is not None:
                    exact(number, name)

    @property
    def words(self) -> str:
        listed = ", ".join(f"{name}={value!r}" for name, value in sorted(self.settings.items()))
        return f"{self.kind.__name__}({listed})"

    def made(self, weights: list[nn.Parameter]) -> torch.optim.Optimizer:
        """The optimizer of these weights, at its beginning."""
        return self.kind(weights, **self.settings)


def packed(network: PrivateNetwork, optimizer: torch.optim.Optimizer | None = None) -> bytes:
    """The weights, and the state of the optimizer."""
    tensors = {f"weights.{place}": weight.detach().clone() for place, weight in enumerate(network.weights)}
    for place, state in (optimizer.state_dict()["state"] if optimizer else {}).items():
        for name, value in state.items():
            if value is not None:
                is_tensor = isinstance(value, Tensor)
                tensors[f"state.{place}.{name}"] = value.clone() if is_tensor else torch.tensor(value)
    return bytes(save(tensors))


def unpack(payload: bytes, network: PrivateNetwork, optimizer: torch.optim.Optimizer | None = None) -> None:
    """Put the state into a network and an optimizer like those that were packed."""
    tensors = load(payload)
    states: dict[int, dict[str, Tensor]] = {}
    with torch.no_grad():
        for name, value in tensors.items():
            kind, place, *inner = name.split(".", 2)
            if kind == "weights":
                network.weights[int(place)].copy_(value)
            else:
                states.setdefault(int(place), {})[inner[0]] = value
    if optimizer is not None:
        optimizer.load_state_dict({"state": states, "param_groups": optimizer.state_dict()["param_groups"]})
