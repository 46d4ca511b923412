"""Block designs: reports that each support some options, any two options together in equally many of them."""

from __future__ import annotations

from fractions import Fraction

from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import Atom, FinitePair


@frozen
class Design:
    """Among `reports` reports, `supporting` support a given option and `both` support two given options.

    Each report that supports the true option is sent with weight `odds`, each other with weight 1. Claim, for the
    replacement of one option by another: the report is ln(odds)-private. Proof: every option has the same total
    weight, and two weights of one report are equal or have ratio `odds`. The three numbers may have a common factor.
    """

    reports: int
    supporting: int
    both: int
    odds: Fraction

    @property
    def total(self) -> Fraction:
        """The weight of all reports."""
        return self.odds * self.supporting + self.reports - self.supporting

    @property
    def hit(self) -> Fraction:
        return self.odds * self.supporting / self.total

    @property
    def stray(self) -> Fraction:
        return (self.odds * self.both + self.supporting - self.both) / self.total

    @property
    def loss(self) -> FinitePair:
        zero, one = Fraction(0), Fraction(self.supporting - self.both)
        both, neither = Fraction(self.both), Fraction(self.reports - 2 * self.supporting + self.both)
        weights = (
            (self.odds * both, self.odds * both),
            (self.odds * one, one),
            (one, self.odds * one),
            (neither, neither),
        )
        return FinitePair(tuple(Atom(p, zero, q, zero) for p, q in weights))
