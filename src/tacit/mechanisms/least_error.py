"""The least error of a class of releases, and the sentence about it that is printed beside an error."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.ball import START_BITS, ball, precision, up
from tacit.words import shown_up

NO_BOUND = "No bound is known."
_CLOSE = 1.01  # smaller factors are shown to a thousandth


@frozen
class LeastVariance:
    """A certified lower end of the variance that every release of a class has.

    Each bound is about a class of releases: unbiased or not, private in which sense, at one data set or at the worst.
    It says nothing about releases outside the class, so `among` is shown wherever the number is.
    """

    variance_down: Fraction
    among: str  # "any release could have at this price, if it is unbiased whatever the counts are"

    def __post_init__(self) -> None:
        if not self.variance_down > 0:
            raise Refused(f"a least variance of {self.variance_down}", "It bounds nothing.", "a number above 0.")

    def variance_factor_up(self, variance_up: Fraction) -> float:
        """The ratio of this variance to the least, rounded up."""
        return up(ball(variance_up / self.variance_down))

    def error_factor_up(self, variance_up: Fraction) -> float:
        """The ratio of the standard error of this variance to the least, rounded up."""
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
    """A factor as text, rounded up: to three digits, near 1 to a thousandth."""
    return shown_up(factor, 4 if factor < _CLOSE else 3)


def _sentence(subject: str, factor: float, least: str, among: str) -> str:
    """A factor below 1 is impossible within the class, so it is shown as 1."""
    within = "" if factor <= 1 else f"within {factor_words(factor)} of "
    return f"{subject} {within}the {least} that {among}."
