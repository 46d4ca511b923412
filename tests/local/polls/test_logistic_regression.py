"""Regression on randomised answers: right where the naive fit is not, intervals that cover, oracles without noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from tacit.errors import Refused
from tacit.local.polls.designs.randomized_response import WarnerDesign
from tacit.local.polls.estimation.logistic_regression import Fit, logistic, logistic_on_report, sigmoid
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel
from tacit.noise.bits import Seeded

TRUTHFUL = YesNoChannel(Fraction(1), Fraction(0))
WARNER = WarnerDesign("4/5")


def outcome_poll(seed: int, people: int) -> Fit:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(people, 2))
    truth = rng.binomial(1, sigmoid(-0.5 + x @ [0.8, -0.4]))
    return logistic(WARNER.channel, WARNER.table.draw_many(truth, Seeded(seed)), x, ["age", "income"])


def predictor_poll(seed: int, people: int) -> Fit:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=people)
    z = rng.binomial(1, sigmoid(-0.3 + 0.5 * x))
    y = rng.binomial(1, sigmoid(-0.4 + 0.6 * x + 1.1 * z))
    return logistic_on_report(WARNER.channel, WARNER.table.draw_many(z, Seeded(seed)), y, x, ["age"])


def coverage(fits: list[Fit], truth: dict[str, float]) -> float:
    held = [low <= value <= high for fit in fits for name, value in truth.items() for low, high in [fit.interval(name)]]
    return float(np.mean(held))


def test_without_randomness_it_is_plain_logistic_regression() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, 2))
    y = rng.binomial(1, sigmoid(0.2 + x @ [1.0, -1.0]))
    fit = logistic(TRUTHFUL, y, x)
    design = np.column_stack([np.ones(500), x])
    plain = minimize(
        lambda at: np.sum(np.logaddexp(0, design @ at)) - y @ design @ at, np.zeros(3), method="Nelder-Mead"
    )
    assert fit.coefficients == pytest.approx(plain.x, abs=1e-3)
    rates = sigmoid(design @ fit.coefficients)
    information = design.T @ (design * (rates * (1 - rates))[:, None])
    assert fit.covariance == pytest.approx(np.linalg.inv(information), rel=1e-4)
    z = rng.binomial(1, 0.4, 500)
    beside = logistic_on_report(TRUTHFUL, z, y, x)
    both = logistic(TRUTHFUL, y, np.column_stack([x, z]), ["x1", "x2", "z"])
    assert beside.coefficients[0] == pytest.approx(both.coefficients[3], abs=1e-4)


def test_the_outcome_is_seen_through_its_noise() -> None:
    """60 polls of 2,000: coverage of 180 intervals within 4 standard errors of 95%; false alarm below 1e-4."""
    fits = [outcome_poll(seed, 2000) for seed in range(60)]
    assert coverage(fits, {"intercept": -0.5, "age": 0.8, "income": -0.4}) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 180)
    mean = np.mean([fit.coefficients for fit in fits], axis=0)
    spread = np.std([fit.coefficients for fit in fits], axis=0) / np.sqrt(60)
    assert np.all(np.abs(mean - [-0.5, 0.8, -0.4]) < 4 * spread + 0.03)


def test_the_naive_twin_is_caught() -> None:
    """Reports taken for the truth: the effect is halved, and far outside its own interval."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20_000, 1))
    reports = WARNER.table.draw_many(rng.binomial(1, sigmoid(x[:, 0])), Seeded(1))
    assert logistic(TRUTHFUL, reports, x).interval("x1")[1] < 0.7
    low, high = logistic(WARNER.channel, reports, x).interval("x1")
    assert low < 1 < high


def test_the_predictor_is_seen_through_its_noise() -> None:
    fits = [predictor_poll(seed, 3000) for seed in range(30)]
    assert coverage(fits, {"sensitive": 1.1, "age": 0.6, "intercept": -0.4}) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 90)
    assert np.mean([fit.coefficients[0] for fit in fits]) == pytest.approx(1.1, abs=0.15)


@pytest.mark.long
def test_intervals_cover_over_many_polls() -> None:
    """400 polls each: 95% within 4 standard errors."""
    fits = [outcome_poll(1000 + seed, 1000) for seed in range(400)]
    assert abs(coverage(fits, {"age": 0.8}) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400)
    fits = [predictor_poll(1000 + seed, 2000) for seed in range(400)]
    assert abs(coverage(fits, {"sensitive": 1.1}) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400)


def test_a_fit_reads_well() -> None:
    text = outcome_poll(1, 2000).describe()
    assert text.startswith("2,000 people, log odds with 95% intervals\n  intercept  -0.")
    assert "odds ratio" in text


def test_what_cannot_be_fitted_is_refused() -> None:
    x = np.random.default_rng(2).normal(size=100)
    y = np.tile([0, 1], 50)
    for call in (
        lambda: logistic(WARNER.channel, y, x[:50]),
        lambda: logistic(WARNER.channel, y, np.full(100, np.nan)),
        lambda: logistic(WARNER.channel, [None, *y[1:]], x),
        lambda: logistic(WARNER.channel, y, np.column_stack([x, x])),
        lambda: logistic(WARNER.channel, y, x, ["a", "b"]),
        lambda: logistic_on_report(WARNER.channel, y, y[:50], x),
        lambda: outcome_poll(1, 2000).interval("weight"),
    ):
        with pytest.raises(Refused):
            call()
