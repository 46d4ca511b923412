"""What an event proves against a claim."""

from __future__ import annotations

from math import exp, inf, log

import pytest
from scipy.stats import binom

from tacit.audit.event_counts import POWER, Counted, least_share
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp


def test_the_ends_are_exact() -> None:
    found = Counted(30, 100, 5, 200, 0.02)
    assert binom.sf(29, 100, found.hit) == pytest.approx(0.01, rel=1e-9)
    assert binom.cdf(5, 200, found.stray) == pytest.approx(0.01, rel=1e-9)
    assert Counted(0, 10, 10, 10, 0.1).hit == 0
    assert Counted(0, 10, 10, 10, 0.1).stray == 1


@pytest.mark.parametrize("claim", [Pure(1), Approx("0.5", "0.01"), Gdp(1)])
def test_a_true_claim_is_broken_as_rarely_as_stated(claim: Pure) -> None:
    """The worst event that the claim admits, at a miss of 1/10, summed exactly over all counts."""
    runs, miss = 24, 0.1
    for stray in (0.05, 0.3):
        hit = 1 - claim.tradeoff(stray)
        alarm = 0.0
        for hits in range(runs + 1):
            for strays in range(runs + 1):
                if Counted(hits, runs, strays, runs, miss).breaks(claim):
                    alarm += binom.pmf(hits, runs, hit) * binom.pmf(strays, runs, stray)
        assert alarm <= miss


def test_an_event_or_its_opposite_bounds_epsilon() -> None:
    often, seldom = Counted(900, 1000, 600, 1000, 0.01), Counted(400, 1000, 100, 1000, 0.01)
    assert often.epsilon(0) == pytest.approx(seldom.epsilon(0))
    assert seldom.epsilon(0) == pytest.approx(log(seldom.hit / seldom.stray))
    assert log(4) - 0.5 < seldom.epsilon(0) < log(4)


def test_the_least_share_is_found_95_times_in_100() -> None:
    share = least_share(Pure(1), 1000, 1e-4)
    breaks = [hits for hits in range(1001) if Counted(hits, 1000, 0, 1000, 1e-4).breaks(Pure(1))]
    assert binom.sf(breaks[0] - 1, 1000, share) == pytest.approx(POWER)
    assert least_share(Pure(20), 100, 1e-4) == inf
    assert exp(1) * 0.009 < share < 0.1
