"""Odometers: readings by currency. That they hold at all times is in tests/laws/test_adaptive_filters.py."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Loss, Pure, Rdp, Zcdp
from tacit.loss.filters.privacy_filter import Filter, Odometer

SLACK = Fraction(1, 10**6)


def test_readings_by_currency() -> None:
    assert Odometer(Filter(Pure(1)).charge(Pure("0.25")), SLACK).read() == Pure("0.25")
    assert Odometer(Filter(Approx(1, "1e-5")).charge(Approx("0.25", "1e-7")), SLACK).read() == Approx("0.25", "1e-5")
    renyi = Odometer(Filter(Rdp({5: 1})).charge(Rdp({5: "0.5"})), SLACK).read()
    assert float(renyi.exact_epsilon) == pytest.approx(0.5 + math.log(10**6) / 4, rel=1e-12)
    assert renyi.exact_delta == SLACK
    approximate = Odometer(Filter(Zcdp(1, "1e-5")).charge(Zcdp("0.1")), SLACK).read()
    assert approximate.exact_delta == SLACK + Fraction(1, 10**5)
    gaussian = Odometer(Filter(Gdp(2)).charge(Gdp("0.2")), SLACK).read()
    assert gaussian.exact_epsilon == approximate.exact_epsilon


@pytest.mark.parametrize("budget", [Pure(1), Approx(1, "1e-5"), Zcdp(1), Gdp(1), Rdp({5: 1})], ids=str)
def test_a_fresh_odometer_reads_zero_and_never_falls(budget: Loss) -> None:
    odometer = Odometer(Filter(budget), SLACK)
    assert odometer.read().exact_epsilon == 0
    readings = []
    for _ in range(10):
        odometer = odometer.charge(Pure("0.01"))
        readings.append(odometer.read().exact_epsilon)
    assert readings == sorted(readings)
    assert readings[0] > 0
    assert odometer.delta == SLACK


def test_it_is_above_the_bound_at_one_time_but_not_by_much() -> None:
    for share in (Fraction(1), Fraction(1, 10), Fraction(1, 1000)):
        rho = share / 10
        account = Filter(Zcdp("0.1")).charge(Zcdp(rho))
        reading = float(Odometer(account, SLACK).read().exact_epsilon)
        fixed = float(rho) + 2 * math.sqrt(float(rho) * math.log(10**6))
        assert fixed < reading < 1.5 * fixed


def test_tiny_budgets_still_read() -> None:
    tiny = Fraction(1, 10**400)
    assert Odometer(Filter(Zcdp(tiny)).charge(Zcdp(tiny)), SLACK).read().exact_epsilon > 0
    assert Odometer(Filter(Zcdp(0)), SLACK).read().exact_epsilon == 0


@pytest.mark.parametrize("delta", [0, 1, -1, math.nan, math.inf, "x", True])
def test_what_is_no_slack_is_refused(delta: float) -> None:
    """R08."""
    with pytest.raises(Refused):
        Odometer(Filter(Zcdp(1)), delta)  # type: ignore[arg-type]  # numbers as written are read
    with pytest.raises(Refused):
        Odometer(Zcdp(1), SLACK)  # type: ignore[arg-type]  # that is the point
