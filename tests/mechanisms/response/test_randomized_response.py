"""Randomized responses: exact laws of all pairs of answers, draws, estimates without bias, intervals (R45)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from tests.divergence import EPSILONS, Law, hockey_stick, violations
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.loss.families.loss import Relation
from tacit.mechanisms.response.binary import Forced, OptimalResponse, Warner
from tacit.mechanisms.response.proportion import Share
from tacit.mechanisms.response.randomized_response import Kary, Response
from tacit.noise.bits import Seeded

RESPONSES = [
    Warner("3/4"),
    Warner("1/5"),
    Warner.for_epsilon(2),
    Forced("4/6", "1/6", "1/6"),
    Forced("1/2", "2/5", "1/10"),
    Kary(1, 2),
    Kary("3/2", 5),
    OptimalResponse(1, "1/10"),
    OptimalResponse("1/2", 0),
    OptimalResponse(0, "1/4"),
]
every = pytest.mark.parametrize("response", RESPONSES, ids=str)


def alphabet(response: Response) -> range:
    return range(4 if isinstance(response, OptimalResponse) else response.options)


def law(response: Response, answer: int) -> Law:
    return {report: float(response.probability(answer, report)) for report in alphabet(response)}


@every
def test_the_loss_is_exactly_that_of_the_worst_two_answers(response: Response) -> None:
    answers = range(response.options)
    pairs = [(law(response, one), law(response, other)) for one in answers for other in answers if one != other]
    assert violations(response.loss, pairs) == []
    assert response.relation is Relation.REPLACE
    for epsilon in EPSILONS:
        worst = max(hockey_stick(p, q, epsilon) for p, q in pairs)
        assert worst == pytest.approx(response.loss.delta(epsilon), abs=1e-14)


@every
def test_reports_follow_the_law(response: Response) -> None:
    """Chi-square for each answer, 20,000 respondents; false-alarm rate FALSE_ALARM each."""
    for answer in range(response.options):
        reports = response.rehearse(np.full(20_000, answer), Seeded(answer)).value
        drawn = np.bincount(reports, minlength=len(alphabet(response)))
        masses = np.array(list(law(response, answer).values()))
        assert not drawn[masses == 0].any()
        assert p_value(drawn[masses > 0], masses[masses > 0]) > FALSE_ALARM


@every
def test_the_estimate_has_no_bias_and_the_stated_variance(response: Response) -> None:
    """Over one report of a person whose answer is the option with probability π; people are independent."""
    for option in range(response.options):
        values = {report: response.estimate([report], option).value for report in alphabet(response)}
        for share in (0.0, 0.3, 1.0):
            other = (option + 1) % response.options
            yes, no = law(response, option), law(response, other)
            mixed = {report: share * yes[report] + (1 - share) * no[report] for report in values}
            mean = math.fsum(mixed[report] * values[report] for report in values)
            assert mean == pytest.approx(share, abs=1e-12)
            squares = math.fsum(mixed[report] * values[report] ** 2 for report in values)
            assert response.variance(share, 1, option) == pytest.approx(squares - mean**2, rel=1e-11)


def test_the_notes_formulas() -> None:
    p, n, share = 0.75, 40, 0.3
    textbook = share * (1 - share) / n + p * (1 - p) / (n * (2 * p - 1) ** 2)
    assert Warner("3/4").variance("0.3", n) == pytest.approx(textbook, rel=1e-14)
    assert Share(22, n, Warner("3/4")).value == pytest.approx((22 / n - (1 - p)) / (2 * p - 1), rel=1e-14)
    assert Forced("4/6", "1/6", "1/6").loss.epsilon(0) == pytest.approx(math.log(5), rel=1e-15)
    e, p0 = math.exp(1.5), 1 / (4 + math.exp(1.5))
    assert Share(22, n, Kary("1.5", 5)).value == pytest.approx((22 / n - p0) / (p0 * (e - 1)), rel=1e-13)
    exact, rounded = Kary(1, 2), Warner.for_epsilon(1)
    assert float(rounded.hit()) == pytest.approx(float(exact.hit()), rel=1e-18)
    assert rounded.loss.satisfies(1, 0)


@pytest.mark.parametrize("response", [Warner("1/5"), Forced("4/6", "1/6", "1/6"), Kary(1, 5)], ids=str)
@pytest.mark.parametrize("confidence", ["0.8", "0.95"])
def test_the_interval_covers_and_the_error_contains_it(response: Response, confidence: str) -> None:
    """Exact coverage, summed over all counts of 30 reports, for 41 true shares."""
    people = 30
    shares = [Share(count, people, response) for count in range(people + 1)]
    ends = np.array([share.interval(confidence) for share in shares])
    values = np.array([share.value for share in shares])
    error = response.error(confidence, people)
    stray, hit = float(response.stray()), float(response.hit())
    for true in np.linspace(0, 1, 41):
        mass = binom.pmf(np.arange(people + 1), people, stray + (hit - stray) * true)
        assert mass[(ends[:, 0] <= true) & (true <= ends[:, 1])].sum() >= float(confidence)
        assert mass[np.abs(values - true) <= error].sum() >= float(confidence)
        assert 0.0 <= ends.min() <= ends.max() <= 1.0
    wider = Share(0, people, response)
    assert wider.interval(confidence)[0] <= wider.interval("0.5")[0]


def test_the_interval_covers_a_fixed_group_too() -> None:
    """If the same 30 people answer again and again, the count varies less than a binomial one."""
    response, people = Warner("3/4"), 30
    ends = np.array([Share(count, people, response).interval("0.95") for count in range(people + 1)])
    for yes in range(people + 1):
        true = yes / people
        count = np.convolve(binom.pmf(np.arange(yes + 1), yes, 0.75), binom.pmf(np.arange(31 - yes), 30 - yes, 0.25))
        assert count[(ends[:, 0] <= true) & (true <= ends[:, 1])].sum() >= 0.95


def test_broken_twins_are_caught() -> None:
    """A truth told with e^ε/(1+e^ε) among 5 options; a no that is never turned round; a coin of 3/4 sold as ε = 1."""
    truth = 1 / (1 + math.exp(-1))
    crowded = [{k: truth if k == answer else (1 - truth) / 4 for k in range(5)} for answer in (0, 1)]
    assert violations(Kary(1, 5).loss, [(crowded[0], crowded[1])])
    one_sided = ({0: 0.5, 1: 0.5}, {0: 1.0})
    assert violations(Forced("1/2", "1/4", "1/4").loss, [one_sided])
    assert violations(Kary(1, 2).loss, [(law(Warner("3/4"), 0), law(Warner("3/4"), 1))])


def test_shapes_and_words() -> None:
    response = Warner("3/4")
    assert response.release(True).value in (0, 1)
    assert response.release(np.ones((2, 3), bool)).value.shape == (2, 3)
    assert str(response.release(0))[1:] == "  (cost to each respondent ε = 1.099)"
    many = response.rehearse(np.arange(1000) < 300, Seeded(5))
    low, high = many.interval()
    assert low < 0.3 < high
    assert many.error() == response.error("0.95", 1000)
    assert str(many).startswith("1,000 reports: ")
    assert "95% interval" in str(many)
    assert "cost to each respondent ε = 1 at δ = 0.1)" in str(OptimalResponse(1, "1/10").release(1))
    histogram = Kary(3, 3).histogram(Kary(3, 3).rehearse(np.arange(900) % 3, Seeded(6)).value)
    assert sum(share.value for share in histogram) == pytest.approx(1)


def test_answers_beyond_the_options_count_as_the_nearest() -> None:
    response = Kary(40, 3)
    assert response.release([7, -2, 2**70, -(2**70), 1]).value.tolist() == [2, 0, 2, 0, 1]


def test_a_response_that_reveals_all_or_nothing_is_refused() -> None:
    for ask in (
        lambda: Forced("1/2", "1/2", 0),
        lambda: Forced("1/2", 0, "1/2"),
        lambda: Forced(1, 0, 0),
        lambda: Forced(0, "1/2", "1/2"),
        lambda: Forced("1/2", "1/2", "1/2"),
        lambda: Warner(1),
        lambda: Warner(0),
        lambda: Warner("1/2"),
        lambda: Warner(math.nan),
        lambda: Warner.for_epsilon(0),
        lambda: Kary(0, 3),
        lambda: Kary(1, 1),
        lambda: Kary(math.inf, 3),
        lambda: Kary(1, 2.0),
        lambda: OptimalResponse(1, 1),
        lambda: OptimalResponse(0, 0),
        lambda: OptimalResponse(-1, "1/10"),
        lambda: Warner("3/4").release([0.5]),
        lambda: Warner("3/4").release("yes"),
        lambda: Warner("3/4").estimate([]),
        lambda: Warner("3/4").estimate([1], 2),
        lambda: Warner("3/4").error("0.95", 0),
        lambda: Warner("3/4").variance(2, 1),
    ):
        with pytest.raises(Refused):
            ask()


def test_a_million_respondents_are_vectorised() -> None:
    answers = np.arange(10**6) % 5
    reports = Kary(1, 5).release(answers).value
    share = Kary(1, 5).estimate(reports, 3)
    assert share.standard_error == pytest.approx(math.sqrt(Kary(1, 5).variance("1/5", 10**6)), rel=0.02)
    assert abs(share.value - Fraction(1, 5)) < 7 * share.standard_error  # fails with probability below 1e-11


def test_more_options_than_64_bits_hold_are_refused() -> None:
    with pytest.raises(Refused):
        Kary(1, 2**62 + 1)
    assert 0 <= Kary(1, 2**62).rehearse(3, Seeded(1)).value < 2**62


def test_a_faint_response_still_estimates() -> None:
    """Where hit and stray agree to thirty digits, the estimate is wild, but a number."""
    share = Kary("1e-30").estimate([1, 1, 0])
    assert share.value == pytest.approx((2 / 3 - 1 / 2) * 2e30, rel=1e-6)
    assert Kary("1e-30").variance("0.5", 3) == pytest.approx(1 / 4 / 3 * 4e60, rel=1e-6)


def test_no_report_is_printed_and_ragged_answers_are_refused() -> None:
    assert str(Kary(1).rehearse([], Seeded(1))).startswith("no report  (")
    with pytest.raises(Refused):
        Kary(1).rehearse([[1], [0, 1]], Seeded(1))
