"""The best report of a number: exact over the whole table, near the least variance there can be, and unbiased."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.goodness import FALSE_ALARM
from tests.local.means.least_variance import least_variance
from tests.local.randomizers.laws import is_private, totals

from tacit.errors import Refused
from tacit.local.means.linear_program import ProgramShape
from tacit.local.means.mean_response import MeanResponse
from tacit.local.means.optimal_mean import best_mean, kept_epsilons, read_table, shape_for, solved, tables_text
from tacit.local.randomizers.randomizer import WeightTable
from tacit.noise.bits import ENTROPY, Seeded

HYBRID = {1: 4.29, 2: 1.042, 3: 0.432, 4: 0.219}
BEST = {1: 3.99, 2: 0.866, 3: 0.305, 4: 0.128}


def check_all(response: MeanResponse) -> None:
    """Every claim anew, in fractions, over the whole table."""
    table, unit = response.table, response.per_unit
    assert is_private(table, response.epsilon)
    assert totals(table) == [1] * (2 * response.steps + 1)
    for place in range(-response.steps, response.steps + 1):
        chances = [table.probability(place + response.steps, report) for report in table.alphabet()]
        mean = sum(Fraction(out, unit) * chance for out, chance in zip(response.outputs, chances, strict=True))
        assert mean == Fraction(place, response.steps)


@pytest.mark.parametrize("epsilon", kept_epsilons(), ids=str)
def test_kept_tables_hold_exactly(epsilon: Fraction) -> None:
    response = read_table(epsilon)
    check_all(response)
    assert not is_private(response.table, epsilon * (1 - Fraction(1, 10**4))), "hardly any of ε is wasted"
    assert response.loss.epsilon(0) == epsilon
    assert response.table.total < 1 << 63


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "2.3"])
def test_tables_solved_on_demand_hold_exactly(epsilon: str) -> None:
    response = best_mean(epsilon)
    check_all(response)
    assert response.worst_variance < 1 / np.tanh(float(epsilon) / 2) ** 2 * (1 + 1e-3), "no worse than one bit"


@pytest.mark.parametrize("epsilon", [1, 2, 3, 4])
def test_the_hybrid_is_beaten_and_the_known_best_met(epsilon: int) -> None:
    worst = float(best_mean(epsilon).worst_variance)
    assert worst < HYBRID[epsilon]
    assert worst < BEST[epsilon] * 1.001


@pytest.mark.parametrize(
    ("epsilon", "finer", "close"), [("1/4", 1, 1.001), ("1", 1, 1.002), ("2", 1, 1.003), ("3", 1, 1.01)]
)
def test_no_unbiased_report_is_much_better(epsilon: str, finer: int, close: float) -> None:
    _near_the_least(epsilon, finer, close)


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "finer", "close"), [("3/2", 1, 1.003), ("4", 2, 1.01)])
def test_no_unbiased_report_is_much_better_held_finer(epsilon: str, finer: int, close: float) -> None:
    _near_the_least(epsilon, finer, close)


def _near_the_least(epsilon: str, finer: int, close: float) -> None:
    response, shape = best_mean(epsilon), shape_for(Fraction(epsilon))
    bound = least_variance(
        float(Fraction(epsilon)), ProgramShape(shape.steps, finer * shape.per_unit, finer * shape.widest)
    )
    assert bound <= float(response.worst_variance) <= close * bound


def test_kept_tables_are_what_is_solved_for() -> None:
    kept_text = files("tacit.local.means").joinpath("tables.json").read_text("utf-8")
    assert kept_text == tables_text(read_table(epsilon) for epsilon in kept_epsilons())
    again = solved(Fraction(1))
    assert float(again.worst_variance) == pytest.approx(float(read_table(Fraction(1)).worst_variance), rel=1e-6)


def test_the_worst_variance_is_the_largest_over_a_fine_grid() -> None:
    for epsilon in ("1/2", "2", "4"):
        response = best_mean(epsilon)
        largest = max(response.variance(Fraction(k, 1024)) for k in range(-1024, 1025))
        assert largest <= response.worst_variance
        assert float(response.worst_variance) == pytest.approx(float(largest), rel=1e-3)


def test_broken_tables_are_refused() -> None:
    good = best_mean(1)
    rows = [list(row) for row in good.table.weights]

    def twin(changed: list[list[int]], outputs: tuple[int, ...] = good.outputs) -> MeanResponse:
        return MeanResponse(good.epsilon, good.steps, good.per_unit, outputs, WeightTable(tuple(map(tuple, changed))))

    assert twin(rows) == good
    with pytest.raises(Refused, match="more than e"):
        MeanResponse(good.epsilon * Fraction(999, 1000), good.steps, good.per_unit, good.outputs, good.table)
    with pytest.raises(Refused, match="not its grid point"):
        twin(rows, (*good.outputs[:-1], good.outputs[-1] + 1))
    with pytest.raises(Refused, match="one total"):
        twin([[rows[0][0] + 1, *rows[0][1:]], *rows[1:]])
    moved = [rows[0][0] + 1, rows[0][1] - 1, *rows[0][2:]]
    with pytest.raises(Refused, match=r"not its grid point|more than e"):
        twin([moved, *rows[1:]])
    with pytest.raises(Refused, match="not those of the grid"):
        twin(rows[:-1])


@pytest.mark.parametrize("value", [-1, "-0.3", "1/3", 5])
def test_single_and_many_reports_have_the_stated_law(value: Any) -> None:
    """Chi-square of 20,000 seeded reports at once and 3,000 one by one; false-alarm rate FALSE_ALARM each."""
    response, bits = best_mean(2), Seeded(5)
    at = max(Fraction(-1), min(Fraction(1), Fraction(value)))
    place = min(int((at + 1) * response.steps), 2 * response.steps - 1)
    share = (at + 1) * response.steps - place
    left, right = response.table.weights[place], response.table.weights[place + 1]
    law = [float((1 - share) * a + share * b) / response.table.total for a, b in zip(left, right, strict=True)]
    many = response.rehearse(np.full(20_000, float(at)), bits)
    single = [response._draw(value, bits) for _ in range(3000)]
    for drawn in (many, single):
        observed = np.bincount(drawn, minlength=len(law))
        assert chisquare(observed, np.array(law) * len(drawn)).pvalue > FALSE_ALARM


def test_arrays_are_reported_at_once() -> None:
    """4,000 reports in one call; the interval holds with 1 − 1e-6."""
    response = best_mean(1)
    values = np.linspace(-0.5, 1, 4000)
    for many in (values, values.tolist(), tuple(values)):
        reports = response.report(many)
        assert reports.shape == (4000,)
        low, high = response.estimate(reports).interval("0.999999")
        assert low <= values.mean() <= high
    for bad in ([], [0.5, float("nan")], ["secret-17"], [None]):
        with pytest.raises(Refused, match="not all numbers") as caught:
            response.report(bad)  # type: ignore[call-overload]
        assert "secret" not in str(caught.value)


def test_rounding_is_unbiased_for_the_smallest_numbers() -> None:
    """A number far below the grid's step goes outward with its own tiny probability: never, in so few draws."""
    response = best_mean(1)
    assert set(response._places(np.full(1000, 1e-300), Seeded(1)).tolist()) == {response.steps}
    assert set(response._places(np.array([-1.0, 1.0, -7.0, 7.0]), Seeded(1)).tolist()) == {0, 2 * response.steps}


def test_the_estimate_is_unbiased_with_the_stated_variance() -> None:
    """400 surveys of 500 people: mean and variance within 5 standard errors (false alarm below 1e-6 each)."""
    response, people, surveys = best_mean(1), 500, 400
    values = np.linspace(-0.9, 0.7, people)
    bits = Seeded(11)
    found = np.array([response.estimate(response.rehearse(values, bits)).value for _ in range(surveys)])
    variance = sum(float(response.variance(value)) for value in values) / people**2
    assert abs(found.mean() - values.mean()) < 5 * sqrt(variance / surveys)
    assert abs(found.var() / variance - 1) < 5 * sqrt(2 / surveys)


@pytest.mark.parametrize("value", ["nan", "inf", None, True, "secret-17"])
def test_what_is_no_number_is_refused_without_being_named(value: Any) -> None:
    with pytest.raises(Refused, match="no number") as caught:
        best_mean(1).report(value)
    assert str(value) not in str(caught.value).replace("a value that is no number", "")


def test_other_misuse_is_refused() -> None:
    for epsilon in (0, "nan", "1e-12", 9):
        with pytest.raises(Refused):
            best_mean(epsilon)
    with pytest.raises(Refused, match="rehearsal"):
        best_mean(1).rehearse([0.5], ENTROPY)  # type: ignore[arg-type]
    for values in ([0.5, float("nan")], []):
        with pytest.raises(Refused, match="not all numbers"):
            best_mean(1).rehearse(values, Seeded(1))
    for reports in ([], [-1], [10**6], [0.5]):
        with pytest.raises(Refused, match="estimate"):
            best_mean(1).estimate(reports)
    assert 0 <= best_mean(1).report("0.25") < len(best_mean(1).outputs)
