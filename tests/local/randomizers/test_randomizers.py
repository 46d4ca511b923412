"""Local randomizers: exact ratios over the whole alphabet (R45), draws enumerated over all scripts, broken twins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.enumeration import OCTETS, broken_brackets
from tests.goodness import FALSE_ALARM
from tests.local.randomizers.laws import is_private, totals, worst_ratio

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer, WeightTable, below, odds_within
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection
from tacit.noise.ball import ball, less
from tacit.noise.bits import ENTROPY, Bits, Seeded

WARNER = WeightTable.of([["3/4", "1/4"], ["1/4", "3/4"]])
FORCED = WeightTable.of([["5/6", "1/6"], ["1/6", "5/6"]])
UNEVEN = WeightTable.of([["1/2", "3/10", "1/5"], ["1/5", "2/5", "2/5"], ["1/3", "1/3", "1/3"]])
EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(8)]
WITHIN = [
    (randomizer, epsilon)
    for epsilon in EPSILONS
    for randomizer in (
        KaryResponse.within(epsilon, 2),
        KaryResponse.within(epsilon, 17),
        SubsetSelection(2, 1, odds_within(epsilon)),
        SubsetSelection(7, 3, odds_within(epsilon)),
        SubsetSelection(9, 8, odds_within(epsilon)),
    )
]
SMALL: Sequence[Randomizer[Any]] = [
    WARNER,
    FORCED,
    UNEVEN,
    KaryResponse(5, Fraction(7, 2)),
    SubsetSelection(4, 2, Fraction(3)),
    SubsetSelection(5, 4, Fraction(5, 2)),
    SubsetSelection(3, 1, Fraction(2)),
]


@pytest.mark.parametrize(("randomizer", "epsilon"), WITHIN, ids=str)
def test_every_report_is_private_over_the_whole_alphabet(randomizer: Randomizer[Any], epsilon: Fraction) -> None:
    assert totals(randomizer) == [1] * randomizer.answers
    assert is_private(randomizer, epsilon)
    assert not is_private(randomizer, epsilon * (1 - Fraction(1, 10**6))), "hardly any of ε is wasted"
    assert randomizer.loss.epsilon(0) == pytest.approx(float(epsilon), rel=1e-8)
    assert randomizer.loss.epsilon(0) <= epsilon


@pytest.mark.parametrize("randomizer", SMALL, ids=str)
def test_the_loss_is_that_of_the_worst_pair(randomizer: Randomizer[Any]) -> None:
    ratio = worst_ratio(randomizer)
    assert ratio is not None
    found = Fraction(randomizer.loss.epsilon(0))
    assert not less(lambda: ball(found).exp(), lambda: ball(ratio))
    assert is_private(randomizer, found)
    assert found == pytest.approx(float(ball(ratio).log()))


@pytest.mark.parametrize("randomizer", [each for each in SMALL if not isinstance(each, SubsetSelection)], ids=str)
def test_draws_have_the_stated_law_over_all_scripts(randomizer: Randomizer[Any]) -> None:
    """Every first byte, for every answer: masses within certified brackets, nothing sampled."""
    for answer in range(randomizer.answers):
        law = {report: randomizer.probability(answer, report) for report in randomizer.alphabet()}
        assert broken_brackets(lambda bits, a=answer: randomizer.draw(a, bits), [OCTETS], law, Fraction(1, 8)) == []


@pytest.mark.parametrize("randomizer", [each for each in SMALL if isinstance(each, SubsetSelection)], ids=str)
def test_sets_have_the_stated_law(randomizer: SubsetSelection) -> None:
    """Chi-square of 5,000 seeded sets for each answer; false-alarm rate FALSE_ALARM each."""
    bits = Seeded(3)
    reports = list(randomizer.alphabet())
    for answer in range(randomizer.answers):
        drawn = Counter(randomizer.rehearse(answer, bits) for _ in range(5_000))
        observed = [drawn[report] for report in reports]
        expected = [5_000 * float(randomizer.probability(answer, report)) for report in reports]
        assert sum(observed) == 5_000
        assert chisquare(observed, expected).pvalue > FALSE_ALARM


@pytest.mark.parametrize("randomizer", [WARNER, UNEVEN, KaryResponse(5, Fraction(7, 2))], ids=str)
def test_many_at_once_have_the_same_law(randomizer: WeightTable | KaryResponse) -> None:
    for answer in range(randomizer.answers):
        drawn = randomizer.draw_many(np.full(50_000, answer), Seeded(answer))
        observed = np.bincount(drawn, minlength=len(list(randomizer.alphabet())))
        expected = [50_000 * float(randomizer.probability(answer, report)) for report in randomizer.alphabet()]
        assert chisquare(observed, expected).pvalue > FALSE_ALARM


@frozen
class NeverFlipped(WeightTable):
    """The twin of pure-ldp's client: a true yes is always reported as yes."""

    def probability(self, answer: int, report: int) -> Fraction:
        return Fraction(int(report == 1)) if answer == 1 else super().probability(answer, report)


@frozen
class OffByOne(SubsetSelection):
    """The twin that fills up one option short where the truth is left out: its sets tell by their size."""

    def alphabet(self) -> Any:
        yield from super().alphabet()
        yield from SubsetSelection(self.options, self.size - 1, self.odds).alphabet()

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        if (answer in report) != (len(report) == self.size):
            return Fraction(0)
        share = Fraction(self.within if answer in report else self.without, self.within + self.without)
        ways = sum(1 for each in self.alphabet() if (answer in each) == (answer in report) and len(each) == len(report))
        return share / ways


def test_broken_twins_are_caught() -> None:
    assert worst_ratio(NeverFlipped(WARNER.weights)) is None
    assert worst_ratio(OffByOne(5, 2, Fraction(3))) is None
    assert not is_private(KaryResponse(4, odds_within(1) * Fraction(1001, 1000)), Fraction(1))


def test_odds_are_below_and_close() -> None:
    for epsilon in EPSILONS:
        found = odds_within(epsilon)
        assert less(lambda e=epsilon, f=found: ball(f), lambda e=epsilon: ball(e).exp())
        assert less(lambda e=epsilon: ball(e).exp(), lambda f=found: ball(f * (1 + Fraction(1, 2**30))))


@pytest.mark.parametrize("epsilon", [0, -1, "nan", 41, "1e-12"])
def test_odds_of_no_use_are_refused(epsilon: Any) -> None:
    with pytest.raises(Refused):
        odds_within(epsilon)


def test_answers_are_checked_without_being_named() -> None:
    with pytest.raises(Refused, match="none of those offered") as caught:
        WARNER.report(1234)
    assert "1234" not in str(caught.value)
    with pytest.raises(Refused, match="rehearsal"):
        WARNER.rehearse(1, ENTROPY)  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [[["1", "0"]], [["1/2", "1/3"], ["1/2", "1/2"]], [["1/2", "1/2"], ["1"]]])
def test_tables_that_are_none_are_refused(rows: Any) -> None:
    with pytest.raises(Refused, match="table"):
        WeightTable.of(rows)


def test_below_is_uniform_over_all_bytes() -> None:
    def draw(bits: Bits) -> int:
        return below(5, bits)

    assert broken_brackets(draw, [OCTETS], {value: Fraction(1, 5) for value in range(5)}, Fraction(1, 100)) == []
