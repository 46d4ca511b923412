"""The currency: what a release costs, as a bound on every test between two neighbouring worlds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number


class Loss(ABC):
    """The cost of one release.

    Every answer is a sound bound: `epsilon`, `delta` and `rdp` are rounded up, `tradeoff` is rounded
    down. Both orders of the neighbouring pair are covered. Subclasses are frozen dataclasses whose
    parameters are exact fractions.
    """

    @abstractmethod
    def delta(self, epsilon: Number) -> float:
        """The least known δ for which the release is (ε, δ)-private; rounded up, at most 1."""

    @abstractmethod
    def epsilon(self, delta: Number) -> float:
        """The least known ε for which the release is (ε, δ)-private; rounded up, `inf` where there is none."""

    @abstractmethod
    def tradeoff(self, alpha: Number) -> float:
        """The least miss rate of any membership test with false-alarm rate α; rounded down."""

    @abstractmethod
    def rdp(self, order: Number) -> float:
        """The Rényi divergence of this order (> 1) in the worse direction; rounded up, `inf` where there is none."""

    @abstractmethod
    def group(self, people: int) -> Loss:
        """What the release costs a group of this many people, all hidden at once."""
