"""The accountant at its edges: pure sums, single releases, rare large losses, and questions that are too much work."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from tacit.errors import Refused
from tacit.loss import DiscreteLaplacePair, Gdp, LaplacePair, Loss, Pure, account, binary_response, fixed_size, poisson
from tacit.loss.accountant import bracket_ends as ends
from tacit.loss.accountant import rare
from tacit.loss.accountant.fourier import MOST_WORK, Sum
from tacit.loss.accountant.pilot import least_epsilon, most_epsilon
from tacit.loss.distributions.conversion import step_of

RARE = poisson(Gdp(1 / Fraction("0.6") ** 2), "1e-6")


@pytest.fixture
def transformed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The work of all transforms that are made."""
    sizes: list[int] = []
    honest = ends.add_up

    def counted(*arguments: Any) -> Sum:
        found = honest(*arguments)
        sizes.append(found.work)
        return found

    for module in (ends, rare):
        monkeypatch.setattr(module, "add_up", counted)
    return sizes


@pytest.mark.parametrize(
    ("loss", "times", "delta", "most"),
    [
        (LaplacePair(5), 3, "1e-12", 15),
        (DiscreteLaplacePair("2.5", 3), 4, "1e-12", 30),
        (DiscreteLaplacePair(1 / Fraction("0.21"), 1), 3, "1e-30", 3 / Fraction("0.21")),
        (LaplacePair(1 / Fraction("0.21")), 3, "1e-30", 3 / Fraction("0.21")),
    ],
    ids=str,
)
def test_no_epsilon_is_above_the_sum_of_the_pure_ones(
    loss: Loss, times: int, delta: str, most: Fraction, transformed: list[int]
) -> None:
    whole = account([(loss, times)])
    assert most <= Fraction(most_epsilon(whole.parts)) <= Fraction(whole.epsilon(delta).upper)
    assert whole.epsilon(delta).upper == pytest.approx(float(most), rel=1e-15)
    assert whole.epsilon(delta).gap <= 1e-3
    assert whole.upper(delta) == whole.epsilon(delta).upper
    assert transformed == []


@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12"])
@pytest.mark.parametrize(
    "loss",
    [binary_response(2), DiscreteLaplacePair(1, 2), poisson(Pure(2), "0.3"), fixed_size(Pure(2), "0.3")],
    ids=str,
)
def test_the_mass_at_the_largest_loss_is_a_lower_end(loss: Loss, delta: str) -> None:
    """Against the numeric bracket, and attained where δ is far below that mass."""
    step = step_of(loss)
    assert step is not None
    low, whole = least_epsilon([(step, 3)], float(delta)), account([(loss, 3)])
    assert low <= account([(loss, 3)]).epsilon(delta, "1e-4").upper
    if delta == "1e-12":
        assert low == pytest.approx(most_epsilon(whole.parts), rel=1e-8)


def test_a_twin_that_doubles_the_mass_at_the_top_is_caught() -> None:
    """δ below the mass that is there, above half of it: the honest corner lies below ε, the doubled one above."""
    step = step_of(binary_response(2))
    assert step is not None
    mass = (1 / (1 + 2.718281828459045**-2)) ** 3
    delta = mass * (1 - 2.718281828459045**-3) * 1.2
    exactly = account([(binary_response(2), 3)]).epsilon(str(delta)).upper
    assert least_epsilon([(step, 3)], delta) <= exactly
    assert least_epsilon([(step, 3)], delta / 2) > exactly


def test_one_release_whose_curve_is_exact_is_never_refused() -> None:
    found = account([(RARE, 1)]).epsilon("1e-9")
    assert found.upper == RARE.epsilon("1e-9")
    assert found.gap <= 1e-12
    assert account([(RARE, 1)]).delta("0.01").contains(RARE.delta("0.01"))


@pytest.mark.parametrize("times", [2, 10, 50])
def test_a_few_of_it_are_answered(times: int, transformed: list[int]) -> None:
    found = account([(RARE, times)]).epsilon("1e-9")
    assert 0 < found.gap <= 1e-3
    assert _convolved(found.lower, times=times) > 1e-9 > _convolved(found.upper, times=times)
    assert sum(transformed) <= 2 * MOST_WORK


def test_a_thousand_of_it_are_answered(transformed: list[int]) -> None:
    """The bracket holds the ε of a plain convolution, whose rounding keeps the mean and is far below the gap."""
    found = account([(RARE, 1000)]).epsilon("1e-9")
    assert 0 < found.gap <= 1e-3
    assert sum(transformed) <= 2 * MOST_WORK
    low, high = _convolved(found.lower), _convolved(found.upper)
    assert 1.02e-9 > low > 1e-9 > high > 0.96e-9


@pytest.mark.parametrize(
    ("sigma", "rate", "delta"),
    [("0.5", "1e-5", "1e-10"), ("0.4", "1e-7", "1e-12"), ("0.6", "1e-6", "1e-9"), ("0.6", "1e-6", "1e-12")],
)
def test_a_thousand_rare_ones_are_answered_at_every_delta(
    sigma: str, rate: str, delta: str, transformed: list[int]
) -> None:
    whole = account([(poisson(Gdp(1 / Fraction(sigma) ** 2), rate), 1000)])
    found = whole.epsilon(delta)
    assert found.gap <= min(1e-3, 0.02 * found.upper)
    assert found.upper <= whole.upper(delta)
    assert sum(transformed) <= 2 * MOST_WORK
    reference = _convolved(found.upper, 1 / float(sigma), float(rate))
    assert reference == pytest.approx(float(delta), rel=0.05)
    for epsilon in ("0.5", "5", "10"):
        assert 0 < whole.delta(epsilon).upper <= 1.02 * whole.delta(epsilon).lower


def test_without_a_gap_the_nearest_bracket_is_given() -> None:
    """Two kinds of rare losses at once: no closer than this in about a second, and still a bracket."""
    whole = account([(poisson(Gdp(4), "1e-5"), 10**5), (poisson(Gdp(9), "1e-6"), 10**5)])
    found = whole.epsilon("1e-10")
    assert 8.12 < found.lower < found.upper < 8.14
    with pytest.raises(Refused, match=r"It lies between .* wider gap"):
        whole.epsilon("1e-10", "1e-6")


def _convolved(epsilon: float, mu: float = 1 / 0.6, rate: float = 1e-6, times: int = 1000) -> float:
    """δ at ε of the composed law on a lattice of 1e-5, by one transform of the plain masses."""
    lattice, size = 1e-5, 1 << 20
    x = np.linspace(-12, 12 + mu, 200_001)
    without = np.diff(-ndtr(-x))
    masses = (1 - rate) * without + rate * np.diff(-ndtr(mu - x))
    middle = (x[:-1] + x[1:]) / 2
    at = np.log1p(rate * np.expm1(mu * middle - mu * mu / 2)) / lattice
    node = np.floor(at).astype(int)
    law = np.bincount(node % size, masses * (1 - at + node), size)
    law += np.bincount((node + 1) % size, masses * (at - node), size)
    law = np.fft.irfft(np.fft.rfft(law) ** times, size)
    loss = lattice * np.where(np.arange(size) < 0.9 * size, np.arange(size), np.arange(size) - size)
    above = loss > epsilon
    return float((law[above] * -np.expm1(epsilon - loss[above])).sum())


@pytest.mark.parametrize("delta", ["1e-9", "1e-12"])
def test_a_question_that_is_too_much_work_is_refused_early(delta: str, transformed: list[int]) -> None:
    parts = [(poisson(Gdp(1 / Fraction("0.31") ** 2), "3e-4"), 50)]
    with pytest.raises(Refused, match=r"too much work.*wider gap, a larger δ"):
        account(parts).epsilon(delta, "1e-5")
    assert sum(transformed) <= 2 * MOST_WORK
    assert account(parts).epsilon(delta, "1e-3").gap <= 1e-3
