"""What every aggregate is: the parts it needs counted, and how its answer is read from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TypeAlias

from tacit.query.above.estimates import Noisy
from tacit.query.aggregates.noisy_parts import NoisyRanks, NoisySum
from tacit.query.aggregates.parts import Part

NoisyParts: TypeAlias = Mapping[Part, NoisySum | NoisyRanks]


class Aggregate(ABC):
    """One aggregate of a query. Subclasses are frozen dataclasses; they hold no data."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """What must be counted below the noise; equal parts of several aggregates are counted once."""

    @abstractmethod
    def read(self, noisy: NoisyParts) -> Noisy:
        """The aggregate after the noise: post-processing."""

    @abstractmethod
    def describe(self) -> str:
        """What it stands for, in words, where that is not plain from SQL; else nothing."""
