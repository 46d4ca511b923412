"""A least variance with its class: what is printed beside an error, and the words for it."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.ball import START_BITS, ball, precision, up
from tacit.words import shown_up

NO_BOUND = "No bound is known."


@frozen
class LeastVariance:
    """A certified lower end of the variance that every release of a class has.

    A release has a class of its own: unbiased or not, private in which sense, at one data set or at the worst. A bound
    says nothing about releases outside its class, so `among` goes wherever the number goes.
    """

    variance_down: Fraction
    among: str  # "any unbiased release"

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

    def words(self, variance_up: Fraction) -> str:
        """The sentence beside an error: how near it is to the least, and least among what."""
        factor = shown_up(self.error_factor_up(variance_up), 3)
        if factor == "1":
            return f"No smaller error is possible at this price for {self.among}."
        return f"Within {factor} of the least error that {self.among} could have at this price."
