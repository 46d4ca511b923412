"""A histogram of K options in the local and in the central model: exact mean squared errors.

Neighbours differ in one person's option; n is public. Errors are of one option's share of these n people, averaged over
the options. The local ones are the exact variance of the reports' noise: n·Var does not depend on the true shares, and
subset selection is the optimum of all ε-local reports. The central one is the variance of discrete Laplace noise at
scale 2/ε, for a person who changes leaves one count and enters another: 2r/((1−r)²n²), r = e^{−ε/2}.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from tacit.exact import positive, whole
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import KaryOracle
from tacit.local.frequencies.set_reports import SubsetOracle
from tacit.loss.families.curve import float_up
from tacit.noise.ball import START_BITS, ball, fraction_up, precision


@frozen
class HistogramModels:
    """So many people, so many options, at a pure ε."""

    people: int
    options: int
    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "people", whole(self.people, "people", 1))
        object.__setattr__(self, "options", whole(self.options, "options", 2))
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))

    @property
    def kary(self) -> Fraction:
        """K-ary randomized response."""
        return KaryOracle.within(self.epsilon, self.options).mean_variance / self.people

    @property
    def subsets(self) -> Fraction:
        """Subset selection: the least of all ε-local reports."""
        return SubsetOracle.within(self.epsilon, self.options).mean_variance / self.people

    @property
    def central(self) -> Fraction:
        """Laplace noise on every count."""
        with precision(START_BITS):
            kept = (-ball(self.epsilon / 2)).exp()
            return fraction_up(2 * kept / (1 - kept) ** 2) / self.people**2

    @property
    def errors(self) -> dict[str, float]:
        """The root of each."""
        return {
            "K-ary response": sqrt(float_up(self.kary)),
            "subset selection, the best local report": sqrt(float_up(self.subsets)),
            "a curator's Laplace noise": sqrt(float_up(self.central)),
        }

    @property
    def people_to_match(self) -> float:
        """The factor of people that local reports need for the accuracy of the curator."""
        return float(self.subsets / self.central)
