"""Samples of integer noise: brackets against enumeration, where an output is equally likely in both worlds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import mpmath
import numpy as np
import pytest

from tacit.loss.accountant.account import account
from tacit.loss.distributions.discrete import DiscreteLaplaceStep, discrete_gaussian_step
from tacit.loss.distributions.mixture import FixedSizeStep, PoissonStep
from tacit.loss.distributions.step import Step
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair
from tacit.loss.sampling.subsampled import fixed_size, poisson

RATE = Fraction(9, 10)
LogWeight: TypeAlias = Callable[[int], Any]


@pytest.mark.parametrize("base", [discrete_gaussian_step(1.0, 2), DiscreteLaplaceStep(1.0, 2)])
@pytest.mark.parametrize("edges", [(-1.0, 1.0), (-1.0, 0.0, 1.0), (0.0,)])
def test_the_masses_add_up_to_one(base: Step, edges: tuple[float, ...]) -> None:
    found = FixedSizeStep(base, 0.9).masses(np.array([-math.inf, *edges, math.inf]))
    assert abs(found.p.sum() - 1) <= found.p_error.sum()
    assert abs(found.q.sum() - 1) <= found.q_error.sum()


def _sampled(log_weight: LogWeight, shift: int) -> list[tuple[Any, Any]]:
    """(loss, mass) of the symmetric pair of a fixed-size sample: above 0 the mixture's, below its mirror, else 0."""
    weights = {x: mpmath.exp(log_weight(x)) for x in range(-9 - shift, 10 + shift)}
    total, rate = mpmath.fsum(weights.values()), mpmath.mpf(9) / 10
    found, rest = [], mpmath.mpf(1)
    for x in range(-9, 10):
        own, other = weights[x] / total, weights[x - shift] / total
        if 2 * x < shift:  # nearer to 0 than to the shift
            mixed = (1 - rate) * other + rate * own
            loss, rest = mpmath.log(mixed / other), rest - mixed - other
            found += [(loss, mixed), (-loss, other)]
    return [*found, (mpmath.mpf(0), rest)]


@pytest.mark.parametrize(
    ("pair", "log_weight"),
    [
        (DiscreteGaussianPair(Fraction(1), 2), lambda x: -mpmath.mpf(x * x) / 2),
        (DiscreteLaplacePair(Fraction(2), 2), lambda x: -2 * mpmath.mpf(abs(x))),
    ],
    ids=["Gaussian", "Laplace"],
)
def test_the_bracket_contains_what_enumeration_finds(
    pair: DiscreteGaussianPair | DiscreteLaplacePair, log_weight: LogWeight
) -> None:
    """The output halfway has loss 0; it was counted above 0 and below."""
    law = _sampled(log_weight, 2)
    truth = mpmath.fsum(
        a * b * (1 - mpmath.exp(1 - one - other)) for (one, a), (other, b) in product(law, law) if one + other > 1
    )
    found = account([(fixed_size(pair, RATE), 2)]).delta(1)
    assert found.lower <= truth * (1 + 1e-7)
    assert truth * (1 - 1e-7) <= found.upper <= truth * 1.01


def test_the_two_atoms_of_a_sampled_geometric_step_span_a_ladder() -> None:
    """Their distance is positive; 1000 such steps were a division by zero."""
    ladder = PoissonStep(DiscreteLaplaceStep(2.0, 1), 1 / 13).ladder
    assert ladder is not None
    assert ladder.spacing > 0
    assert ladder.anchor > 0
    found = account([(poisson(DiscreteLaplacePair(Fraction(2), 1), Fraction(1, 13)), 1000)]).epsilon("1e-5")
    assert 0 < found.lower <= found.upper <= found.lower + 1e-3
