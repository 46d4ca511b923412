"""A small network of torch that is trained without privacy, until it knows its rows by heart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn


def layers(inputs: int, outputs: int) -> nn.Module:
    """The architecture that is trained with and without privacy."""
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, outputs))


class PlainNetwork:
    """That network by plain descent on all rows, as scikit-learn's classifiers are used."""

    def __init__(self, make: Callable[[int, int], nn.Module] = layers, steps: int = 100) -> None:
        self._make, self._steps = make, steps

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.classes_ = np.unique(labels)
        torch.manual_seed(0)  # first weights from a public seed, as those of private training are
        self._model = self._make(rows.shape[1], len(self.classes_))
        optimizer = torch.optim.Adam(self._model.parameters(), lr=0.02)
        given = torch.from_numpy(rows).float()
        wanted = torch.from_numpy(np.searchsorted(self.classes_, labels))
        for _ in range(self._steps):
            optimizer.zero_grad()
            nn.functional.cross_entropy(self._model(given), wanted).backward()
            optimizer.step()

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            found: np.ndarray = torch.softmax(self._model(torch.from_numpy(rows).float()).double(), 1).numpy()
        return found
