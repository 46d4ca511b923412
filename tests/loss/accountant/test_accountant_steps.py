"""The probabilities of steps, compared with certified ones: within their stated errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import fft
from scipy.special import ndtr

from tacit.loss.distributions.continuous import GaussianStep, LaplaceStep, normal_intervals
from tacit.loss.distributions.discrete import CoinStep, DiscreteLaplaceStep, discrete_gaussian_step
from tacit.loss.distributions.mixture import FixedSizeStep, PoissonStep
from tacit.loss.distributions.step import UNIT, Step

STEPS: list[Step] = [
    GaussianStep(0.7),
    GaussianStep(5.0),
    LaplaceStep(0.9),
    CoinStep(1.1, 0.01, 0.01),
    DiscreteLaplaceStep(0.3, 4),
    discrete_gaussian_step(2.5, 3),
    PoissonStep(GaussianStep(1.3), 0.2),
    PoissonStep(CoinStep(0.5, 0.02, 0.02), 0.3),
    PoissonStep(LaplaceStep(0.9), 0.05),
    FixedSizeStep(GaussianStep(1.3), 0.2),
    FixedSizeStep(LaplaceStep(0.9), 0.4),
]


def test_the_normal_tail_is_as_exact_as_claimed() -> None:
    """6(1+z²) units, four times less than the margin in use, over the whole range."""
    for z in np.concatenate([np.linspace(0, 37.5, 1501), np.linspace(0.9, 1.6, 401)]):
        truth = mpmath.ncdf(-mpmath.mpf(float(z)))
        error = abs(mpmath.mpf(float(ndtr(-z))) / truth - 1)
        assert error <= 6 * (1 + z * z) * UNIT


@pytest.mark.parametrize("mean", [0.0, 0.37, 4.0])
def test_intervals_of_the_normal_law(mean: float) -> None:
    """Wide and narrow ones, at the middle and far out."""
    random = np.random.default_rng(5)
    starts = np.concatenate([random.uniform(-12, 12, 60), [0.0]])
    widths = 10.0 ** random.uniform(-7, 0, len(starts))
    edges = np.unique(np.concatenate([starts, starts + widths, [-math.inf, math.inf]]))
    found, error = normal_intervals(edges, mean)
    for k in range(len(found)):
        low, high = (mpmath.mpf(float(edge)) - mpmath.mpf(mean) for edge in edges[k : k + 2])
        truth = mpmath.ncdf(high) - mpmath.ncdf(low) if high < 0 else mpmath.ncdf(-low) - mpmath.ncdf(-high)
        assert abs(mpmath.mpf(float(found[k])) - truth) <= error[k]
        if high - low < 1e-3 and abs(low) < 8:
            assert error[k] <= 1e-12 * found[k]


@pytest.mark.parametrize("size", [1024, 6000, 46656, 100_000])
def test_the_transform_is_as_exact_as_claimed(size: int) -> None:
    """8·log₂N units for each output of a law: against a transform in extended precision, with room to spare."""
    law = np.random.default_rng(size).exponential(size=size) ** 3
    law /= law.sum()
    exact = fft.rfft(law.astype(np.longdouble))
    assert float(np.max(np.abs(fft.rfft(law) - exact))) <= 2 * math.log2(size) * UNIT


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_all_mass_is_somewhere(step: Step) -> None:
    low, high = step.span(1e-12)
    edges = np.concatenate([[-math.inf], np.linspace(low - 0.1, high + 0.1, 57), [math.inf]])
    found = step.masses(edges)
    p_low, p_up, q_low, q_up = step.infinite()
    assert abs(math.fsum(found.p) + (p_low + p_up) / 2 - 1) <= math.fsum(found.p_error) + 1e-15
    assert abs(math.fsum(found.q) + (q_low + q_up) / 2 - 1) <= math.fsum(found.q_error) + 1e-15
    assert math.fsum(found.p_error) < 1e-11


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_the_loss_in_a_cell_is_the_cell_s(step: Step) -> None:
    """Between two edges ln(P/Q) lies between them: the two laws are those of one loss."""
    low, high = step.span(1e-9)
    edges = np.linspace(low - 0.01, high + 0.01, 201)
    found = step.masses(edges)
    seen = (found.p > 1e-6) & (found.q > 1e-6)
    loss = np.log(found.p[seen] / found.q[seen])
    assert np.all(loss >= edges[:-1][seen] - 1e-8)
    assert np.all(loss <= edges[1:][seen] + 1e-8)


@pytest.mark.parametrize("step", [one for one in STEPS if one.symmetric], ids=lambda step: type(step).__name__)
def test_symmetric_means_the_same_both_ways(step: Step) -> None:
    edges = np.linspace(-2.513, 2.513, 300)
    forth, back = step.masses(edges), step.masses(-edges[::-1]).mirrored()
    assert np.allclose(forth.p, back.p, rtol=1e-9, atol=1e-13)
    assert np.allclose(forth.q, back.q, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (LaplaceStep, lambda step: step.ratio),
        (lambda x: CoinStep(x, 0.0, 0.0), lambda step: step.epsilon),
        (lambda x: DiscreteLaplaceStep(x, 3), lambda step: step.rate),
        (lambda x: PoissonStep(LaplaceStep(x), 0.1), lambda step: step.base.ratio),
        (lambda x: FixedSizeStep(CoinStep(x, 0.0, 0.0), 0.1), lambda step: step.base.epsilon),
    ],
)
def test_snapping_only_ever_lowers(make: Callable[[float], Step], size: Callable[[Step], float]) -> None:
    for value in (0.05, 0.337, 1.0, 2.71):
        for spacing in (0.001, 0.0137):
            step = make(value)
            snapped = step.snapped(spacing)
            assert size(snapped) <= size(step)
            assert snapped.ladder is not None
            assert step.ladder is not None
            if step.ladder.spacing >= spacing:
                rungs = snapped.ladder.spacing / spacing
                assert abs(rungs - round(rungs)) < 1e-9
                assert step.ladder.spacing - snapped.ladder.spacing <= spacing * (1 + 1e-9)


def test_the_discrete_gaussian_table() -> None:
    step = discrete_gaussian_step(2.5, 2)
    weights = [mpmath.exp(-(mpmath.mpf(x) ** 2) / 5) for x in range(-80, 81)]
    total = mpmath.fsum(weights)
    found = dict(zip(step.losses, step.p, strict=True))
    for x in (-9, -1, 0, 1, 4):
        loss = float(Fraction(2 * (2 - 2 * x), 5))
        assert abs(found[loss] / (weights[x + 80] / total) - 1) < 1e-13
