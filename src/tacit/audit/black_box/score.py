"""A score: a number for every answer, high where it speaks for the first world, low for the second."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.matrix import Matrix

Scores: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.float64]
"""1 for an answer about the first data, 0 for one about the second."""


class Score(ABC):
    """Learned from labelled rows; nothing rests on its being any good."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it goes by, in words."""

    @abstractmethod
    def of(self, rows: Matrix) -> Scores:
        """One number a row."""
