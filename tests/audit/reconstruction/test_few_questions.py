"""Differencing and all groups: what two questions, and 2ⁿ, reveal."""

from __future__ import annotations

import numpy as np
import pytest
from tests.audit.reconstruction.all_subsets import reconstruct_from_all
from tests.audit.reconstruction.differencing import difference

from tacit.audit.reconstruction.counting_queries import Counts, laplace_noise, uniform_noise
from tacit.errors import Refused

SECRETS = np.random.default_rng(8).integers(0, 2, 200).astype(bool)


def test_two_exact_counts_are_one_person() -> None:
    found = difference(Counts(SECRETS), SECRETS, range(20))
    assert found.recovered == 1
    assert set(found.differences) <= {0.0, 1.0}
    assert "two questions a person: 100% of 20" in found.describe()


def test_averaging_undoes_fresh_noise() -> None:
    """Noise of sd 5 a count, 2,000 rounds: the difference has sd 5·√(2/2000) ≈ 0.16; 20 people all right, 2% off."""
    assert difference(Counts(SECRETS, laplace_noise(5, 1)), SECRETS, range(20), rounds=2000).recovered >= 0.95
    assert difference(Counts(SECRETS, laplace_noise(5, 1)), SECRETS, range(200)).recovered < 0.7


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("error", [0.0, 0.06, 0.1, 0.2])
def test_all_groups_keep_the_theorem(seed: int, error: float) -> None:
    secrets = np.random.default_rng(seed).integers(0, 2, 9).astype(bool)
    found = reconstruct_from_all(Counts(secrets, uniform_noise(9 * error, seed)), secrets)
    assert found.error <= error
    assert found.wrong <= 4 * found.error * 9
    assert error > 0 or found.recovered == 1


def test_an_adversarial_answer_reaches_the_order_of_the_bound() -> None:
    """Answers that split the difference between two worlds leave their 2En differing bits open: E = 1/8 at n = 8."""
    secrets = np.zeros(8, dtype=bool)
    other = secrets.copy()
    other[:2] = True
    found = reconstruct_from_all(lambda mask: (mask & secrets).sum() / 2 + (mask & other).sum() / 2, secrets)
    assert found.error == 1 / 8
    assert found.wrong <= found.bound == 4


def test_what_is_refused() -> None:
    with pytest.raises(Refused, match="at most 14"):
        reconstruct_from_all(Counts(SECRETS), SECRETS)
