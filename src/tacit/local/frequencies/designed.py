"""Oracles that are block designs: what they cost and how often they support an option follows from three numbers."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from tacit.local.frequencies.design import Design
from tacit.local.frequencies.oracle import Oracle
from tacit.loss.families.loss import Loss


class DesignedOracle(Oracle):
    """An oracle whose reports are the blocks of a design."""

    @property
    @abstractmethod
    def design(self) -> Design:
        """How many reports there are, how many support an option, and how many support two."""

    @property
    def loss(self) -> Loss:
        return self.design.loss

    @property
    def hit(self) -> Fraction:
        return self.design.hit

    @property
    def stray(self) -> Fraction:
        return self.design.stray
