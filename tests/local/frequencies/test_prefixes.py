"""Heavy hitters by prefixes: exact privacy of the hashing, the stated false-positive rate, planted values found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chisquare
from tests.goodness import FALSE_ALARM
from tests.local.randomizers.laws import is_private, totals, worst_ratio

from tacit.errors import Refused
from tacit.local.frequencies.frequency_estimates import lower_ends
from tacit.local.frequencies.heavy_hitters import PrefixSearch
from tacit.local.frequencies.wide_hashing import WideHashing
from tacit.noise.bits import ENTROPY, Seeded

RATE = Fraction(3, 10)
SHORT = WideHashing(4, 3, Fraction(5, 2), prime=5, limb=2)


def test_every_report_of_a_short_hashing_is_private() -> None:
    """The whole alphabet: two slopes, a shift and a bucket, over a prime of 5."""
    assert totals(SHORT) == [1] * 16  # type: ignore[arg-type]
    assert worst_ratio(SHORT) == SHORT.odds  # type: ignore[arg-type]
    assert is_private(SHORT, Fraction(1))  # type: ignore[arg-type]
    assert SHORT.loss.epsilon(0) == pytest.approx(float(np.log(2.5)))


def test_support_of_a_short_hashing_is_exact() -> None:
    reports, values = list(SHORT.alphabet()), np.arange(16)
    held = np.array([SHORT.support(np.array([report]), values) for report in reports])
    for answer in (0, 6, 15):
        law = [SHORT.probability(answer, report) for report in reports]
        for value in values.tolist():
            rate = sum((mass for mass, row in zip(law, held, strict=True) if row[value]), Fraction(0))
            assert rate == (SHORT.hit if value == answer else SHORT.stray)


def test_rows_of_a_short_hashing_have_the_stated_law() -> None:
    rows = SHORT.randomize(np.full(60_000, 9), Seeded(1))
    codes = rows @ [75, 15, 3, 1]
    expected = [60_000 * float(SHORT.probability(9, report)) for report in SHORT.alphabet()]
    assert chisquare(np.bincount(codes, minlength=375), expected).pvalue > FALSE_ALARM


def people(generator: np.random.Generator, size: int, length: int) -> NDArray[np.int64]:
    """A tenth holds one of two values; the others one of 64 far apart."""
    spread = generator.integers(0, 64, size) << (length - 6)
    return np.where(generator.random(size) < 0.1, generator.integers(0, 2, size) * 77 + 1000, spread)


def false_alarms(times: int, *, union: bool = True) -> int:
    """In how many searches some value that nobody holds is listed."""
    search, alarms = PrefixSearch(12, Fraction(3), start=6, step=3, keep=6), 0
    for turn in range(times):
        values = people(np.random.default_rng(turn), 900, 12)
        reports = search.rehearse(values, Seeded(turn))
        if union:
            listed = search.find(reports, RATE).values
        else:
            candidates, counts = search._search(reports)
            last = search.levels[-1]
            listed = candidates[lower_ends(counts, len(reports[-1]), float(RATE)) > float(last.stray)]
        alarms += not set(listed.tolist()) <= set(values.tolist())
    return alarms


def test_values_that_nobody_holds_are_listed_no_more_often_than_stated() -> None:
    """300 searches; false-alarm rate 1e-4. Without the union bound over candidates the test fails."""
    assert binom.sf(false_alarms(300) - 1, 300, float(RATE)) > 1e-4
    assert binom.sf(false_alarms(60, union=False) - 1, 60, float(RATE)) < 1e-4


@pytest.mark.long
def test_values_that_nobody_holds_in_2000_searches() -> None:
    assert binom.sf(false_alarms(2000) - 1, 2000, float(RATE)) > 1e-4


def test_planted_values_are_found_among_2_to_the_48() -> None:
    generator = np.random.default_rng(3)
    values = generator.integers(0, 1 << 48, 30_000)
    values[:6000], values[6000:10_000] = 123_456_789_012, 5
    search = PrefixSearch(48, PrefixSearch.within(4, 48).odds, start=8, step=8, keep=8)
    found = search.find(search.rehearse(generator.permutation(values), Seeded(1)))
    assert found.values.tolist()[:2] == [123_456_789_012, 5]
    assert found.low[0] <= 0.2 <= found.high[0]
    assert found.low[1] <= 4 / 30 <= found.high[1]
    assert "123456789012" in str(found)
    assert search.find(search.rehearse(values, Seeded(2)), least="0.9").values.size == 0


def test_every_group_costs_epsilon() -> None:
    search = PrefixSearch.within(1, 62)
    assert search.loss.epsilon(0) <= 1
    assert all(level.loss.epsilon(0) == pytest.approx(1, rel=1e-6) for level in search.levels)
    assert [level.length for level in search.levels] == [8, *range(12, 62, 4), 62]
    assert [rows.shape[1] for rows in search.report(np.arange(100))][:1] == [3]


def test_what_cannot_be_searched_is_refused() -> None:
    search = PrefixSearch.within(1, 20)
    for values in ([1 << 20] * 9, [-1] * 9, [0.5] * 9, [1]):
        with pytest.raises(Refused):
            search.report(values)
    with pytest.raises(Refused, match="rehearsal"):
        search.rehearse([1] * 9, ENTROPY)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="groups"):
        search.find(search.report([1] * 9)[:-1])
    with pytest.raises(Refused, match="alphabet"):
        search.find(tuple(rows + (1 << 40) for rows in search.report([1] * 9)))
    for length in (0, 63):
        with pytest.raises(Refused):
            PrefixSearch.within(1, length)
