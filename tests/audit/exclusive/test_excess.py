"""The exact test of exclusive answers, and its power, summed over all counts."""

from __future__ import annotations

from itertools import product
from math import exp, inf

import pytest
from scipy.stats import binom, multinomial

from tacit.audit.black_box.guess_rule import Claimed
from tacit.audit.stages.exclusive_search import Excess, least_chance


@pytest.mark.parametrize("claimed", [Claimed(0.0, 1.0), Claimed(0.05, 1.0), Claimed(0.3, 0.1)])
@pytest.mark.parametrize("stray", [0.01, 0.1, 0.3])
def test_a_true_claim_is_broken_as_rarely_as_stated(claimed: Claimed, stray: float) -> None:
    """The likeliest hit that the claim admits, over 40 answers, at a rate of 1/10."""
    hit = min(1.0, exp(claimed.epsilon) * stray + claimed.delta)
    test, alarm = Excess(claimed, 40, 0.1), 0.0
    for hits, strays in product(range(41), repeat=2):
        if hits + strays <= 40 and test.breaks(hits, strays):
            alarm += multinomial.pmf(
                [hits, strays, 40 - hits - strays], 40, [hit / 2, stray / 2, 1 - (hit + stray) / 2]
            )
    assert alarm <= 0.1


def test_a_broken_claim_is_seen_and_bounded() -> None:
    test = Excess(Claimed(0.0, 1.0), 100_000, 1e-5)
    assert test.breaks(test.least_hits, 0)
    assert not test.breaks(test.least_hits - 1, 0)
    assert test.epsilon(100, 0) > 1
    assert test.epsilon(100, 100) == 0
    assert Excess(Claimed(1e-3, 1.0), 100_000, 1e-5).spared > 50, "δ admits that many"


def test_the_power_is_what_both_chances_give() -> None:
    test = Excess(Claimed(0.0, 1.0), 100_000, 1e-5)
    chance = least_chance(3, 6_000, test)
    power = binom.sf(2, 6_000, chance) * binom.sf(test.least_hits - 1, 100_000, chance / 2)
    assert power == pytest.approx(0.95, abs=1e-3)
    assert least_chance(3, 6_000, Excess(Claimed(0.0, 30.0), 100_000, 1e-5)) == inf, "no power is claimed there"
