"""Decoding by linear program and least squares: it recovers people where noise is o(√n), and fails where it is not.

The shares are theory.md's for n = 128; each bound leaves about four standard deviations of the share over seeds.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from tacit.audit.reconstruction.counting_queries import (
    Counts,
    Noise,
    Subsets,
    gaussian_noise,
    laplace_noise,
    uniform_noise,
)
from tacit.audit.reconstruction.linear_reconstruction import DECODERS, absolute_program, greatest_program, reconstruct
from tacit.errors import Refused


def bits(people: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, people).astype(bool)


def share(people: int, times: int, noise: Noise | None, method: str, seed: int = 1) -> float:
    secrets = bits(people, seed)
    subsets = Subsets.random(people, times * people, seed)
    return reconstruct(Counts(secrets, noise), secrets, subsets, method).recovered


@pytest.mark.parametrize("method", DECODERS)
def test_exact_counts_give_everybody_away(method: str) -> None:
    assert share(64, 2, None, method) == 1


def test_hashed_groups_serve_as_well_as_random_ones() -> None:
    secrets = bits(64)
    found = reconstruct(Counts(secrets), secrets, Subsets.hashed(64, 256, 3))
    assert found.recovered == 1
    assert found.describe().startswith("With 256 counts: 100% of 64 people's bits recovered by the ℓ1 program")


@pytest.mark.parametrize(
    ("noise", "method", "least"),
    [
        ("uniform", "l1 program", 0.95),
        ("uniform", "l-infinity program", 0.99),
        ("gaussian", "l1 program", 0.90),
        ("gaussian", "least squares", 0.90),
    ],
)
def test_noise_of_a_quarter_root_n_is_too_little(noise: str, method: str, least: float) -> None:
    kinds = {"uniform": uniform_noise, "gaussian": gaussian_noise}
    shares = [share(128, 4, kinds[noise](0.25 * sqrt(128), seed), method, seed) for seed in range(4)]
    assert np.mean(shares) >= least


def test_noise_of_order_n_is_enough() -> None:
    """Each bit is then seen through noise of sd 2·128/√512 ≈ 11: right with probability Φ(½/11) ≈ 0.52."""
    assert share(128, 4, laplace_noise(128, 2), "l1 program") < 0.64


@pytest.mark.long
def test_the_target_of_512_people() -> None:
    found = share(512, 8, laplace_noise(0.25 * sqrt(512), 7), "l1 program")
    assert found >= 0.99


def test_the_duals_solve_the_programs() -> None:
    """Held against the programs as they are written, x and all distances as variables."""
    from scipy.optimize import linprog

    generator = np.random.default_rng(4)
    groups = generator.integers(0, 2, (60, 12)).astype(float)
    answers = groups @ generator.integers(0, 2, 12) + generator.laplace(0, 2, 60)
    both = np.vstack([groups, -groups])
    sides = np.concatenate([answers, -answers])
    split = np.hstack([both, -np.vstack([np.eye(60), np.eye(60)])])
    plain = linprog([0] * 12 + [1] * 60, A_ub=split, b_ub=sides, bounds=[(0, 1)] * 12 + [(0, None)] * 60)
    assert np.abs(groups @ absolute_program(groups, answers) - answers).sum() == pytest.approx(plain.fun)
    one = np.hstack([both, -np.ones((120, 1))])
    plain = linprog([0] * 12 + [1], A_ub=one, b_ub=sides, bounds=[(0, 1)] * 12 + [(0, None)])
    assert np.abs(groups @ greatest_program(groups, answers) - answers).max() == pytest.approx(plain.fun)


def test_what_is_refused() -> None:
    with pytest.raises(Refused, match="not bits"):
        Counts([0, 1, 2])
    with pytest.raises(Refused, match="decoding by magic"):
        reconstruct(Counts([0, 1]), [0, 1], Subsets.random(2, 4), "magic")
    with pytest.raises(Refused, match="the same people"):
        reconstruct(Counts([0, 1]), [0, 1], Subsets.random(3, 4))
    with pytest.raises(Refused, match="one number a group"):
        reconstruct(lambda mask: np.zeros(2), [0, 1], Subsets.random(2, 4))  # type: ignore[arg-type, return-value]


def test_the_commoner_bit_is_said_where_it_is_common() -> None:
    secrets = np.zeros(40, dtype=bool)
    secrets[3] = True
    found = reconstruct(lambda mask: 0.0, secrets, Subsets.random(40, 80))
    assert (found.recovered, found.balanced) == (0.975, 0.5)
    assert "giving everybody the commoner bit gets 98%" in found.describe()
