"""A desk: where questions are asked of one data set under one budget. Any desk can be audited, Tacit's or another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from tacit.frozen import frozen


@frozen
class Cell:
    """One number of an answer, with the standard deviation that is stated for its noise."""

    value: float
    deviation: float


@frozen
class Reply:
    """What came back: an answer with its price, or a refusal, or a failure behind the charge."""

    cells: tuple[Cell, ...] = ()
    share: Fraction = Fraction(0)
    """The part of the budget that it says it cost, just now."""
    rho: float = 0.0
    """The same as zero-concentrated loss, where the account counts in that; 0 where it does not."""
    is_refused: bool = False
    is_failed: bool = False


class Desk(ABC):
    """Questions in, replies out, and books that anybody may read."""

    @abstractmethod
    def ask(self, analyst: str, sql: str, epsilon: Fraction, *, fresh: bool = False, cancel: bool = False) -> Reply:
        """The reply to one question; with `cancel` the run is interrupted after it was charged."""

    @abstractmethod
    def used(self) -> Fraction:
        """The part of the budget that the books say is used."""

    @abstractmethod
    def used_by(self, analyst: str) -> Fraction:
        """The part that one analyst used."""

    @abstractmethod
    def limits(self) -> dict[str, Fraction]:
        """The analysts, and which part of the budget each may use."""
