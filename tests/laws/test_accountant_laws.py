"""R09: brackets that always contain the truth, for random compositions with a closed form or an exact enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest

from tacit.loss import Approx, DiscreteLaplacePair, Gdp, LaplacePair, Loss, Pure, binary_response
from tacit.loss.accountant import Bracket, account
from tacit.loss.accountant.numeric import Numeric
from tacit.loss.distributions.continuous import GaussianStep
from tacit.loss.distributions.step import Step
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.sampling.subsampled import fixed_size, poisson

Case = tuple[Bracket, float]  # what was found, and the truth to about 1e-12


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield


def gaussians(random: np.random.Generator) -> Case:
    """Different Gaussian releases, never gathered: each a step of its own."""
    steps: list[tuple[Step, int]] = []
    squared = Fraction(0)
    for _ in range(random.integers(1, 4)):
        mu, times = float(np.round(10 ** random.uniform(-2, -0.3), 6)), int(random.integers(1, 40))
        steps.append((GaussianStep(mu), times))
        squared += Fraction(mu) ** 2 * times
    delta = 10.0 ** -random.uniform(1, 12)
    found = Numeric(tuple(steps)).epsilon(delta, 1e-3)
    return found, Gdp(squared).epsilon(Fraction(delta))


def coins(random: np.random.Generator) -> Case:
    """k equal responses through the numeric path, against the exact binomial sum."""
    from tacit.loss.distributions.discrete import CoinStep

    epsilon, times = float(np.round(10 ** random.uniform(-2, 0.3), 4)), int(random.integers(1, 60))
    slack = float(random.choice([0.0, 1e-4]))
    delta = 1 - (1 - slack) ** times + 10.0 ** -random.uniform(1, 10)
    found = Numeric(((CoinStep(epsilon, slack, slack), times),)).epsilon(delta, 1e-3)
    return found, RepeatedApprox(epsilon, Fraction(slack), times).epsilon(Fraction(delta))


def integers(random: np.random.Generator) -> Case:
    """Two kinds of discrete Laplace noise whose losses share a step: the exact law of the sum, by convolution."""
    unit = Fraction(int(random.integers(1, 20)), 200)
    kinds = [(DiscreteLaplacePair(unit * a, int(random.integers(1, 4))), int(random.integers(1, 12))) for a in (1, 3)]
    law = {0: mpmath.mpf(1)}
    for pair, times in kinds:
        rate, shift = pair.rate, pair.shift
        a = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator)
        one = {
            int((shift - 2 * k) * rate / unit): a**k * ((1 / (1 + a)) if k in (0, shift) else (1 - a) / (1 + a))
            for k in range(shift + 1)
        }
        for _ in range(times):
            grown: dict[int, mpmath.mpf] = {}
            for s, p in law.items():
                for t, q in one.items():
                    grown[s + t] = grown.get(s + t, mpmath.mpf(0)) + p * q
            law = grown
    delta = 10.0 ** -random.uniform(1, 9)
    step = mpmath.mpf(unit.numerator) / unit.denominator
    found = account([(pair, times) for pair, times in kinds]).epsilon(Fraction(delta))
    return found, float(exact_epsilon({step * s: p for s, p in law.items()}, mpmath.mpf(delta)))


def gaussian_with_coins(random: np.random.Generator) -> Case:
    """A Gaussian release and up to five different responses: every pattern of coins shifts the Gaussian's ε."""
    mu = Fraction(int(random.integers(5, 120)), 100)
    own = [Fraction(int(random.integers(1, 999)), 1000) for _ in range(random.integers(1, 6))]
    epsilon = mpmath.mpf(float(random.uniform(0, 1.5)) * (float(mu) * 3 + float(sum(own)) / 2))
    size = mpmath.mpf(mu.numerator) / mu.denominator

    def gaussian(at: mpmath.mpf) -> mpmath.mpf:
        return mpmath.ncdf(size / 2 - at / size) - mpmath.exp(at) * mpmath.ncdf(-size / 2 - at / size)

    delta = mpmath.mpf(0)
    for pattern in product((1, -1), repeat=len(own)):
        losses = [sign * mpmath.mpf(e.numerator) / e.denominator for sign, e in zip(pattern, own, strict=True)]
        mass = mpmath.fprod(1 / (1 + mpmath.exp(-loss)) for loss in losses)
        delta += mass * gaussian(epsilon - mpmath.fsum(losses))
    parts: list[tuple[Loss, int]] = [(Gdp.from_mu(mu), 1), *((binary_response(e), 1) for e in own)]
    return account(parts).epsilon(Fraction(float(delta))), float(epsilon)


def exact_epsilon(law: dict[mpmath.mpf, mpmath.mpf], delta: mpmath.mpf) -> mpmath.mpf:
    """The ε at which Σ p(1−e^{ε−loss})₊ = δ, solved between two losses in closed form; at least 0."""
    losses = sorted(law, reverse=True)
    mass = weight = mpmath.mpf(0)
    for loss, below in zip(losses, [*losses[1:], -mpmath.inf], strict=True):
        mass, weight = mass + law[loss], weight + law[loss] * mpmath.exp(-loss)
        if mass > delta:
            epsilon = mpmath.log((mass - delta) / weight)
            if epsilon >= below:
                return max(mpmath.mpf(0), epsilon)
    return mpmath.mpf(0)


def check(seed: int) -> None:
    random = np.random.default_rng(seed)
    for make in (gaussians, coins, integers, gaussian_with_coins):
        found, truth = make(random)
        assert found.lower <= truth + 1e-9, (make.__name__, seed)  # the truth is rounded
        assert truth - 1e-9 <= found.upper, (make.__name__, seed)
        assert found.gap <= 1e-3, (make.__name__, seed)


@pytest.mark.parametrize("seed", range(12))
def test_random_compositions(seed: int) -> None:
    check(seed)


@pytest.mark.long
def test_a_thousand_random_compositions() -> None:
    for seed in range(1000, 1250):
        check(seed)


MIXTURE: list[tuple[Loss, int]] = [
    (poisson(Gdp(1), "0.02"), 300),
    (LaplacePair(Fraction(1, 13)), 40),
    (Approx("0.05", "1e-8"), 20),
    (DiscreteLaplacePair(Fraction(1, 20), 2), 10),
]


def test_monotone_in_every_parameter() -> None:
    """A dearer composition never has a bracket that lies wholly below that of a cheaper one."""

    def ordered(brackets: list[Bracket]) -> bool:
        return (
            all(low.lower <= high.upper for low, high in pairwise(brackets)) and brackets[0].upper < brackets[-1].lower
        )

    assert ordered([account([(poisson(Gdp(1), "0.01"), k)]).epsilon("1e-5") for k in (100, 300, 301, 1000)])
    assert ordered([account([(poisson(Gdp(1), q), 300)]).epsilon("1e-5") for q in ("0.005", "0.01", "0.0101", "0.02")])
    assert ordered([account([(poisson(Gdp(m), "0.01"), 300)]).epsilon("1e-5") for m in ("0.5", "0.9", "0.91", "2")])
    assert ordered([account([(LaplacePair(r), 30)]).epsilon("1e-5") for r in ("0.05", "0.1", "0.1001", "0.3")])
    assert ordered([account([(Pure(e), 3000)]).epsilon("1e-5") for e in ("0.005", "0.01", "0.0101", "0.02")])
    assert ordered([account(MIXTURE).epsilon(d) for d in ("1e-3", "1e-5", "9.9e-6", "1e-7")])


def test_refining_never_crosses() -> None:
    """Brackets of one composition, wide and narrow, all share a point."""
    for parts in ([(poisson(LaplacePair(1), "0.1"), 50)], [(fixed_size(Gdp(1), "0.1"), 50)], MIXTURE):
        found = [account(parts).epsilon("1e-6", gap) for gap in ("1e-1", "1e-2", "1e-3", "3e-4")]
        assert max(one.lower for one in found) <= min(one.upper for one in found)


def test_order_does_not_matter() -> None:
    assert account(MIXTURE).epsilon("1e-6").contains(account(MIXTURE[::-1]).epsilon("1e-6", "1e-4").upper)


def test_flat_in_repetitions_and_free_when_nothing_is_released() -> None:
    assert account([]).epsilon("1e-6") == Bracket(0.0, 0.0)
    assert account([(Gdp(0), 5), (Pure(0), 7), (poisson(Gdp(1), 0), 3), (LaplacePair(0), 1)]).delta(0) == Bracket(
        0.0, 0.0
    )
    found = account([(poisson(Gdp(1), "1e-5"), 10**7)]).epsilon("1e-6", "1e-2")
    assert found.lower > 0
    assert found.gap <= 1e-2


def test_a_rate_of_one_is_no_sampling() -> None:
    whole = account([(poisson(LaplacePair("0.3"), 1), 20)]).epsilon("1e-6", "1e-5")
    plain = account([(LaplacePair("0.3"), 20)]).epsilon("1e-6", "1e-5")
    assert whole.lower <= plain.upper
    assert plain.lower <= whole.upper


def test_more_is_given_away_than_allowed() -> None:
    assert account([(Approx("0.1", "0.01"), 5000)]).epsilon("0.5") == Bracket(math.inf, math.inf)
    parts: list[tuple[Loss, int]] = [(Approx("0.1", "0.01"), 20), (binary_response("0.2"), 5)]
    assert account(parts).epsilon("0.1") == Bracket(math.inf, math.inf)
