"""A trained network: weights, what its inputs are, and what it says of the target. Kept as safetensors."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import ModelFeature
from tacit.learn.number_columns import NumberColumn, listed_numbers
from tacit.learn.sgd.people_rows import as_numbers, listed_codes, one_hot
from tacit.learn.training_text import TrainingTarget
from tacit.schema.kind import Key

_KIND = "tacit network 1"


@frozen(eq=False)
class NetworkInputs:
    """What a network reads: columns of numbers, then features as levels, each by a column or by its number.

    A network whose first layer is an embedding is given levels by number, and has no columns of numbers.
    """

    features: tuple[ModelFeature, ...]
    are_columns: bool
    numbers: tuple[NumberColumn, ...] = ()

    @property
    def columns(self) -> int:
        return len(self.numbers) + sum(feature.levels for feature in self.features)

    def tensor(self, columns: Mapping[str, Sequence[Any]]) -> Tensor:
        """Rows, given by columns that are named as in the SELECT, in any case."""
        named = {name.lower(): values for name, values in columns.items()}
        names = [column.name for column in self.numbers] + [feature.name for feature in self.features]
        missing = [name for name in names if name not in named]
        if missing:
            listed = ", ".join(names)
            raise Refused(f"rows without {missing[0]}", "The network reads it.", f"columns {listed}.")
        given = []
        if self.numbers:
            given.append(as_numbers(torch.from_numpy(listed_numbers(self.numbers, named))))
        if self.features:
            codes = [feature.codes(named[feature.name]) for feature in self.features]
            listed_rows = listed_codes(codes, [feature.levels for feature in self.features])
            given.append(one_hot(listed_rows, self.columns - len(self.numbers)) if self.are_columns else listed_rows)
        return torch.cat(given, dim=1)


@frozen(eq=False)
class TrainedNetwork:
    """A torch model with the weights of a release."""

    model: nn.Module
    inputs: NetworkInputs
    target: TrainingTarget

    def output(self, columns: Mapping[str, Sequence[Any]]) -> NDArray[np.float32]:
        """What the network gives for rows."""
        model = copy.deepcopy(self.model).eval()
        with torch.no_grad():
            found: NDArray[np.float32] = model(self.inputs.tensor(columns)).numpy()
        return found

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> list[Key] | NDArray[np.float64]:
        """The likeliest value of the target, or the number that is expected."""
        found = self.output(columns)
        if self.target.values is not None:
            return [self.target.values[place] for place in found.argmax(1)]
        least, most = self.target.bounds or (0.0, 0.0)
        return least + (most - least) * (np.clip(found[:, 0].astype(np.float64), -0.5, 0.5) + 0.5)

    @property
    def digest(self) -> str:
        """What tells the network from any other."""
        summed = hashlib.sha256(str(self.model).encode())
        for name, weight in sorted(self.model.state_dict().items()):
            summed.update(name.encode() + weight.contiguous().numpy().tobytes())
        return summed.hexdigest()

    def save(self, place: str | Path, **said: str) -> None:
        """The weights by their names in the model, and texts that belong to them."""
        weights = {name: weight.contiguous().clone() for name, weight in self.model.state_dict().items()}
        save_file(weights, str(place), {"kind": _KIND, "digest": self.digest, "layers": str(self.model), **said})


def load_network(place: str | Path, model: nn.Module) -> Mapping[str, str]:
    """Put the weights of a file into a model of the same layers; the texts that were written with them."""
    try:
        with safe_open(str(place), "pt") as found:
            said: dict[str, str] = found.metadata() or {}
            weights = {name: found.get_tensor(name) for name in found.keys()}  # noqa: SIM118  (it is no mapping)
        if said.get("kind") != _KIND or said.get("layers") != str(model):
            raise ValueError
        model.load_state_dict(weights)
        json.loads(said.get("certificate", "{}"))
    except (OSError, ValueError, RuntimeError, SafetensorError):
        raise Refused(f"the network in {place}", "It is not one of this model.", "a file of a model like it.") from None
    return said
