"""The tests of noise have the false-alarm rates that they state."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from tacit.audit.stages.exact_tests import LawCells, agreements, binomial_p, fits, sum_p
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian


def test_a_sum_of_scores_has_the_chance_that_enumeration_gives() -> None:
    scores, chances = np.array([0, 3, 1]), np.array([0.5, 0.2, 0.3])
    law: dict[int, float] = {}
    for drawn in product(range(3), repeat=5):
        total = int(scores[list(drawn)].sum())
        law[total] = law.get(total, 0.0) + float(np.prod(chances[list(drawn)]))
    for total in law:
        low = sum(mass for at, mass in law.items() if at <= total)
        high = sum(mass for at, mass in law.items() if at >= total)
        assert sum_p(scores, chances, total, 5) == pytest.approx(min(1.0, 2 * min(low, high)), abs=1e-10)


@pytest.mark.parametrize("runs", [1, 2, 1000, 30_000])
def test_a_sum_of_coins_is_binomial(runs: int) -> None:
    scores, chances = np.array([0, 1]), np.array([0.7, 0.3])
    for hits in {0, runs // 4, round(0.3 * runs), round(0.31 * runs), runs}:
        exact = min(1.0, 2 * min(binom.cdf(hits, runs, 0.3), binom.sf(hits - 1, runs, 0.3)))
        assert sum_p(scores, chances, hits, runs) == pytest.approx(exact, abs=1e-10)
        assert binomial_p(hits, runs, 0.3) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    "law", [DiscreteLaplace(2), DiscreteLaplace("0.3"), RoundedGaussian(14), RoundedGaussian(10**12)]
)
def test_cells_hold_all_of_the_law(law: DiscreteLaplace | RoundedGaussian) -> None:
    cells = LawCells.of(law)
    assert cells.chances.sum() == pytest.approx(1, abs=1e-12)
    inside = (
        range(int(cells.edges[3]), min(int(cells.edges[4]), int(cells.edges[3]) + 50)) if cells.edges.size > 4 else ()
    )
    if cells.edges.size > 4 and cells.edges[4] - cells.edges[3] < 50:
        assert cells.chances[4] == pytest.approx(sum(float(law.mass(x)) for x in inside), abs=1e-12)
    assert cells.place(cells.edges).tolist() == list(range(1, cells.edges.size + 1))


def test_alarms_are_as_rare_as_stated() -> None:
    """600 runs of 7 tests each at 1/20: each test's share of alarms is at most 1/20, but for chance (4.9σ, 1e-6)."""
    law, alarms, rounds = DiscreteLaplace(2), {}, 600
    cells = LawCells.of(law)
    for seed in range(rounds):
        draws = law.draw(200, Seeded(seed))
        for name, chance in (fits(draws, cells) | agreements(draws[::2], draws[1::2], cells)).items():
            alarms[name] = alarms.get(name, 0) + (chance <= 0.05)
    assert max(alarms.values()) <= rounds * 0.05 + 4.9 * (rounds * 0.05 * 0.95) ** 0.5
    assert alarms["square"] >= rounds * 0.01  # and it is no test that never alarms
