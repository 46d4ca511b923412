"""The least error of a class of releases: what is printed beside an error, and the words for it."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.ball import START_BITS, ball, precision, up
from tacit.words import shown_up

NO_BOUND = "No bound is known."
_CLOSE = 1.01  # below it a factor is shown to a thousandth


@frozen
class LeastVariance:
    """A certified lower end of the variance that every release of a class has.

    A release has a class of its own: unbiased or not, private in which sense, at one data set or at the worst. A bound
    says nothing about releases outside its class, so `among` goes wherever the number goes.
    """

    variance_down: Fraction
    among: str  # "any release could have at this price, if it is unbiased whatever the counts are"

    def __post_init__(self) -> None:
        if not self.variance_down > 0:
            raise Refused(f"a least variance of {self.variance_down}", "It bounds nothing.", "a number above 0.")

    def variance_factor_up(self, variance_up: Fraction) -> float:
        """How many times the least variance this one is, rounded up."""
        return up(ball(variance_up / self.variance_down))

    def error_factor_up(self, variance_up: Fraction) -> float:
        """How many times the least standard error this variance's is, rounded up."""
        with precision(START_BITS):
            return up(ball(variance_up / self.variance_down).sqrt())

    def words(self, variance_up: Fraction, of: str = "") -> str:
        """The sentence beside an error: how near the noise is to the least, and least among what."""
        return _sentence(f"The noise{of} is", self.error_factor_up(variance_up), "least", self.among)


@frozen
class LeastHalfWidth:
    """A certified lower end of the half-widths t at which some release of a class has intervals Y ± t."""

    half_down: Fraction
    among: str

    def __post_init__(self) -> None:
        if not self.half_down > 0:
            raise Refused(f"a least half-width of {self.half_down}", "It bounds nothing.", "a number above 0.")

    def words(self, half: Fraction, of: str = "") -> str:
        """The sentence beside intervals of this half-width."""
        return _sentence(f"The intervals{of} are", up(ball(half / self.half_down)), "narrowest", self.among)


def factor_words(factor: float) -> str:
    """A factor as it is shown, rounded up: to three digits, near 1 to a thousandth."""
    return shown_up(factor, 4 if factor < _CLOSE else 3)


def _sentence(subject: str, factor: float, least: str, among: str) -> str:
    """Nothing can lie below the least of its own class; what is it exactly has the factor 1."""
    within = "" if factor <= 1 else f"within {factor_words(factor)} of "
    return f"{subject} {within}the {least} that {among}."
