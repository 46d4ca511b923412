"""One step on a grid: the upper pair dominates it, the lower one is dominated, and careless twins are caught."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tacit.loss import DiscreteGaussianPair, DiscreteLaplacePair, Gdp, LaplacePair, Loss, Pure, kary_response
from tacit.loss.accountant import account
from tacit.loss.accountant.bracket_ends import Resolution, cut_all, epsilon_upper
from tacit.loss.accountant.discretization import Cells, cut
from tacit.loss.accountant.fourier import add_up
from tacit.loss.accountant.lattice import Lattice, lower_lattice, upper_lattice
from tacit.loss.accountant.numeric import Numeric
from tacit.loss.accountant.tilt import Cumulants
from tacit.loss.distributions.conversion import step_of
from tacit.loss.distributions.step import Step
from tacit.loss.sampling.subsampled import Subsampled, fixed_size, poisson

EPSILONS = (0.0, 0.01, 0.1, 0.33, 0.7, 1.1, 1.9, 3.0)
LOSSES: list[Loss] = [
    Gdp(1),
    Gdp(Fraction(1, 50)),
    LaplacePair(Fraction(4, 5)),
    DiscreteLaplacePair(Fraction(2, 7), 3),
    DiscreteGaussianPair(Fraction(5, 2), 2),
    Pure(Fraction(9, 10)),
    kary_response("1.3", 5),
    poisson(Gdp(1), "0.1"),
    poisson(Gdp(Fraction(1, 3)), "0.7"),
    poisson(LaplacePair(1), "0.2"),
    poisson(Pure(2), "0.05"),
    poisson(kary_response(1, 4), "0.3"),
    fixed_size(Gdp(2), "0.1"),
    fixed_size(LaplacePair(1), "0.4"),
    fixed_size(kary_response(1, 4), "0.3"),
]


def step(loss: Loss) -> Step:
    found = step_of(loss)
    assert found is not None
    return found


def gain(lattice: Lattice, spacing: float, epsilon: float) -> float:
    """δ(ε) of a measure on a grid, by its definition."""
    losses = lattice.places * spacing + lattice.shift
    above = losses > epsilon
    return lattice.infinite + math.fsum(lattice.masses[above] * -np.expm1(epsilon - losses[above]))


@pytest.mark.parametrize("spacing", [0.2, 0.031, 0.0047])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_ends_embrace_the_exact_curve(loss: Loss, spacing: float) -> None:
    """Against the certified curve of the loss: on every grid, in the direction that decides."""
    cells = cut(step(loss), spacing, spacing, 1e-15)
    upper, lower = upper_lattice(cells), lower_lattice(cells)
    for epsilon in EPSILONS:
        low, high = loss.delta_between(epsilon)
        assert gain(upper, spacing, epsilon) >= low * (1 - 1e-13)
        assert gain(lower, spacing, epsilon) <= high * (1 + 1e-13)


@pytest.mark.parametrize("loss", [one for one in LOSSES if isinstance(one, Subsampled)], ids=str)
def test_the_mirror_image_embraces_the_reverse(loss: Subsampled) -> None:
    """δ of Q against (1−q)Q+qP: (1−e^ε(1−q))·δ_base(ln(e^ε q/(1−e^ε(1−q)))), nothing beyond ε = −ln(1−q)."""
    cells = cut(step(loss), 0.011, 0.011, 1e-15).mirrored()
    upper, lower = upper_lattice(cells), lower_lattice(cells)
    rate = float(loss.rate)
    for epsilon in (0.0, 0.01, 0.04, 0.09, 0.2):
        left = 1 - math.exp(epsilon) * (1 - rate)
        if loss.relation.name == "REPLACE":
            truth = loss.delta(epsilon)
        elif left <= 0:
            truth = 0.0
        else:
            truth = left * loss.loss.delta(max(0.0, math.log(math.exp(epsilon) * rate / left)))
        assert gain(upper, 0.011, epsilon) >= truth * (1 - 1e-9)
        assert gain(lower, 0.011, epsilon) <= truth * (1 + 1e-9)


def rounded_to_nearest(cells: Cells) -> Lattice:
    """A careless lower end: every half cell to the node beside it, as if its loss were the node's."""
    masses = np.zeros(len(cells.places))
    masses[:-1] = cells.low.p
    masses[1:] += cells.high.p
    return Lattice.of(cells.places, masses, cells.shift, cells.at_infinity[0])


def test_rounding_to_the_nearest_node_is_caught() -> None:
    caught = 0
    for loss in LOSSES:
        careless = rounded_to_nearest(cut(step(loss), 0.031, 0.031, 1e-15))
        caught += any(gain(careless, 0.031, e) > loss.delta(e) * (1 + 1e-9) for e in EPSILONS)
    assert caught >= len(LOSSES) // 2


def bare_upper(cells: Cells) -> Lattice:
    """A careless upper end: what lies outside the cells is forgotten."""
    return upper_lattice(dataclasses.replace(cells, p_above=0.0, p_below=0.0))


def test_a_forgotten_tail_is_caught() -> None:
    """With a coarse tail the dropped mass is more than connecting the dots adds."""
    loss = Gdp(1)
    cells = cut(step(poisson(loss, "0.999999")), 0.001, 0.001, 1e-2)
    epsilon = 2.5
    assert gain(upper_lattice(cells), 0.001, epsilon) >= loss.delta(epsilon) * 0.99999
    assert gain(bare_upper(cells), 0.001, epsilon) < loss.delta(epsilon) * 0.999


def test_one_direction_alone_is_caught() -> None:
    """Fifty sampled coins: the reverse of the worlds is the dearer one here, so the forward sum alone falls short."""
    asymmetric = Numeric(((_mirrored(step(poisson(Gdp(1), "0.1"))), 50),))
    grid = Resolution(0.001, 0.001, 1e-14, 1e-8)
    whole = epsilon_upper(asymmetric.steps, cut_all(asymmetric.steps, grid), grid, 1e-6, 3.0, 1e-4)
    assert whole.mirrored
    truth = account([(poisson(Gdp(1), "0.1"), 50)]).epsilon("1e-6", "1e-4")
    assert truth.lower <= whole.epsilon <= truth.upper + 1e-2
    parts = [(upper_lattice(cut(asymmetric.steps[0][0], 0.001, 0.001, 1e-14)), 50)]
    from tacit.loss.accountant.hockey_stick import epsilon_above

    alone = add_up(0.001, parts, Cumulants.of(0.001, parts), 3.0, 1e-8)
    assert epsilon_above(alone, 1e-6, 3.0, 1e-4) < truth.lower


def _mirrored(inner: Step) -> Step:
    class Mirrored(Step):
        @property
        def symmetric(self) -> bool:
            return False

        def masses(self, edges):  # type: ignore[no-untyped-def]  # a test's stand-in
            return inner.masses(-edges[::-1]).mirrored()

        def span(self, tail: float) -> tuple[float, float]:
            low, high = inner.span(tail)
            return -high, -low

        def anchor(self, spacing: float) -> float:
            return -inner.anchor(spacing)

    return Mirrored()


@pytest.mark.parametrize("careless", [bare_upper, rounded_to_nearest])
def test_the_twins_differ_from_the_real_ends(careless: Callable[[Cells], Lattice]) -> None:
    cells = cut(step(Gdp(1)), 0.05, 0.05, 1e-3)
    assert gain(careless(cells), 0.05, 1.0) != gain(upper_lattice(cells), 0.05, 1.0)
