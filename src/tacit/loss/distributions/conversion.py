"""From a loss to the step that is composed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.errors import Refused
from tacit.loss.distributions.continuous import GaussianStep, LaplaceStep
from tacit.loss.distributions.discrete import AtomsStep, CoinStep, DiscreteLaplaceStep, discrete_gaussian_step
from tacit.loss.distributions.mixture import FixedSizeStep, PoissonStep
from tacit.loss.distributions.step import UNIT, Array, Ladder, Step
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_down, float_up
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair, LaplacePair
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.loss.sampling.amplification import Sampling
from tacit.loss.sampling.subsampled import Subsampled
from tacit.noise.ball import START_BITS, Ball, ball, precision

_WIDEST_INTEGERS = Fraction(10) ** 8  # σ² beyond which a table of the discrete Gaussian would not fit
_MOST_STEPS = 10**6
_LEAST = 1e-250  # smaller parameters, or numbers computed from them, underflow


def step_of(loss: Loss) -> Step | None:
    """The loss as a step: the world with the person (the pair's P) against the one without; None if it costs nothing.

    Parameters become the nearest floats; the errors that every step states are wider than that.
    """
    match loss:
        case Gdp(mu_squared=squared):
            return GaussianStep(_root(squared)) if squared else None
        case LaplacePair(ratio=ratio):
            return LaplaceStep(_held(ratio)) if ratio else None
        case DiscreteLaplacePair(rate=rate, shift=shift) if shift <= _MOST_STEPS:
            return DiscreteLaplaceStep(_held(rate), shift)
        case DiscreteGaussianPair(variance=variance, shift=shift) if (
            variance <= _WIDEST_INTEGERS and shift <= _MOST_STEPS
        ):
            return discrete_gaussian_step(_held(variance), shift)
        case Approx(exact_epsilon=epsilon, exact_delta=delta):
            return _coin(epsilon, delta)
        case FinitePair():
            return _table(loss)
        case Subsampled(loss=base, rate=rate, sampling=sampling):
            return _sampled(base, rate, sampling)
    raise Refused(
        f"({loss}) in a numeric composition",
        "No dominating pair of it is known here, only bounds of its curve, and these must not be multiplied.",
        "a pair (Gdp, Laplace, discrete, finite, sub-sampled), Pure or Approx; `loss.approx(delta)` enters as such "
        "and only ever loses. Zcdp, Rdp and BoundedRange add up by `compose`.",
    )


def _root(squared: Fraction) -> float:
    with precision(START_BITS):
        return _held(ball(squared).sqrt())


def _held(value: Fraction | Ball) -> float:
    """The nearest float of a positive parameter; refused where it is too small for floats to compute with."""
    found = float(value)
    if not found >= _LEAST:
        raise Refused(
            "a numeric composition with a parameter below 1e-250",
            "Floats cannot hold it.",
            "a larger parameter, or `compose`, which adds up exactly.",
        )
    return found


def _coin(epsilon: Fraction, delta: Fraction) -> Step | None:
    if not epsilon and not delta:
        return None
    return CoinStep(_held(epsilon) if epsilon else 0.0, max(0.0, float_down(delta)), float_up(delta))


def _sampled(base: Loss, rate: Fraction, sampling: Sampling) -> Step | None:
    step = step_of(base)
    if step is None or not rate:
        return None
    if sampling is Sampling.POISSON:
        return PoissonStep(step, _held(rate)) if rate < 1 else step
    if not step.symmetric:
        raise Refused(
            f"({base}) on samples of fixed size",
            "Under replace either world may be the first, and this pair is not the same both ways.",
            "a symmetric pair, or `loss.approx(delta)`.",
        )
    return FixedSizeStep(step, _held(rate)) if rate < 1 else step


def _table(pair: FinitePair) -> Step | None:
    """All outputs of the pair, including those with equal mass in both worlds and those possible in one world only."""
    shared = [atom for atom in pair.atoms if atom.weight_p and atom.weight_q]
    all_shared = len(shared) == len(pair.atoms)
    forth, back = ((0.0, 0.0) if all_shared else _given_away(pair, side) for side in (0, 1))
    alike = sorted(shared) == sorted(Atom(a.weight_q, a.exponent_q, a.weight_p, a.exponent_p) for a in shared)
    with precision(16 * START_BITS):  # so that even a loss of 1e-300 keeps all its digits
        totals = [
            sum((ball(atom[2 * side]) * ball(atom[2 * side + 1]).exp() for atom in pair.atoms), ball(0))
            for side in (0, 1)
        ]
        rows = []
        for atom in shared:
            p, q = (ball(atom[2 * side]) * ball(atom[2 * side + 1]).exp() / totals[side] for side in (0, 1))
            rows.append((float((p / q).log()), float(p), float(q)))
    if not forth[1] and not back[1] and not any(loss for loss, *_ in rows):
        if pair.satisfies(0, 0):
            return None
        _held(Fraction(0))
    symmetric = alike and forth == back
    if symmetric and len(rows) == 2:
        return CoinStep(abs(rows[0][0]), *forth)
    losses, p_masses, q_masses = (
        (np.array(column) for column in zip(*rows, strict=True)) if rows else (np.zeros(1),) * 3
    )
    return AtomsStep(losses, p_masses, q_masses, (*forth, *back), symmetric, _ladder(losses))


def _ladder(losses: Array) -> Ladder | None:
    """The common distance of the losses, if there is one."""
    rungs = np.unique(losses)
    if len(rungs) < 2:
        return None
    spacing = float(np.min(np.diff(rungs)))
    steps = (rungs - rungs[0]) / spacing
    return Ladder(float(rungs[-1]), spacing) if np.all(np.abs(steps - np.rint(steps)) < 1e-12) else None


def _given_away(pair: FinitePair, side: int) -> tuple[float, float]:
    """Bounds of the mass that only P (side 0) or only Q (side 1) can give."""
    share = pair.directions[side].giveaway()
    up = float_up(share)
    return max(0.0, math.nextafter(float_down(share), 0.0) * (1 - 4 * UNIT)), min(1.0, up)
