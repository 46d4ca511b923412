"""Quantiles by inverse sensitivity: depth, loss and law against brute force over all small data sets."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.mechanisms.robust.inverse_median import InverseMedian
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

FIVE = PublicRange(0, 4, Grid(0))
HALF = Fraction(1, 2)
QUANTILES = (HALF, Fraction(1, 4), Fraction(2, 3), Fraction(9, 10))
Data = tuple[int, ...]


def data_of(size: int) -> list[Data]:
    return list(combinations_with_replacement(range(5), size))


def replaced(first: Data, second: Data) -> int:
    """How many records must be replaced to get from one to the other."""
    return len(first) - (Counter(first) & Counter(second)).total()


def changed(first: Data, second: Data) -> int:
    """How many records must be added or removed."""
    a, b = Counter(first), Counter(second)
    return (a - b).total() + (b - a).total()


def is_quantile(y: int, data: Data, q: Fraction) -> bool:
    below, upto = sum(x < y for x in data), sum(x <= y for x in data)
    return below <= q * len(data) <= upto


def depth_of(mechanism: InverseMedian, data: Data, y: int) -> int:
    starts, widths, depths = mechanism.pieces(np.array(data))
    return int(depths[np.flatnonzero((starts <= y) & (y < starts + widths))[0]])


@cache
def law_of(mechanism: InverseMedian, data: Data) -> Law:
    return {y: float(mechanism.probability(np.array(data), y)) for y in range(5)}


def neighbours(relation: Relation, largest: int) -> list[tuple[Data, Data]]:
    if relation is Relation.REPLACE:
        sets = data_of(largest)
        return [(a, b) for i, a in enumerate(sets) for b in sets[:i] if replaced(a, b) == 1]
    sizes = [(a, b) for n in range(largest) for a in data_of(n) for b in data_of(n + 1)]
    return [(a, b) for a, b in sizes if changed(a, b) == 1]


@pytest.mark.parametrize("q", QUANTILES)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_depth_is_the_number_of_replacements(q: Fraction, size: int) -> None:
    mechanism = InverseMedian(1, FIVE, Relation.REPLACE, q)
    sets = data_of(size)
    for y in range(5):
        good = [data for data in sets if is_quantile(y, data, q)]
        for data in sets:
            assert depth_of(mechanism, data, y) == min(replaced(data, other) for other in good)


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_depth_of_the_median_is_the_number_of_additions_and_removals(size: int) -> None:
    mechanism = InverseMedian(1, FIVE, Relation.ADD_REMOVE)
    sets = [data for n in range(2 * size + 1) for data in data_of(n)]
    for y in range(5):
        good = [data for data in sets if is_quantile(y, data, HALF)]
        for data in data_of(size):
            assert depth_of(mechanism, data, y) == min(changed(data, other) for other in good)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("q", QUANTILES)
def test_the_loss_holds_between_all_neighbours(relation: Relation, q: Fraction) -> None:
    for epsilon in ("0.3", 2):
        mechanism = InverseMedian(epsilon, FIVE, relation, q)
        pairs = [(law_of(mechanism, a), law_of(mechanism, b)) for a, b in neighbours(relation, 3)]
        assert violations(mechanism.loss, pairs) == []
        assert isinstance(mechanism.loss, BoundedRange)


@pytest.mark.parametrize("relation", list(Relation))
def test_broken_twins_are_caught(relation: Relation) -> None:
    doubled = InverseMedian(2, FIVE, relation)
    pairs = [(law_of(doubled, a), law_of(doubled, b)) for a, b in neighbours(relation, 3)]
    assert violations(BoundedRange(Fraction(1)), pairs)

    def only_records(data: Data) -> Law:  # the gaps forgotten: whose value came out was somebody's
        law = {y: p for y, p in law_of(InverseMedian(1, FIVE, relation), data).items() if y in data}
        return {y: p / math.fsum(law.values()) for y, p in law.items()}

    pairs = [(only_records(a), only_records(b)) for a, b in neighbours(relation, 2) if a and b]
    assert violations(Pure(1), pairs)


def test_under_add_remove_the_score_of_replace_would_waste_half() -> None:
    """One record moves the median's rank by ½, so the rate per rank is ε, not ε/2."""
    assert InverseMedian(1, FIVE, Relation.ADD_REMOVE).rate * 2 == 1
    assert InverseMedian(1, FIVE, Relation.REPLACE).rate == HALF


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("data", [(), (2,), (0, 0, 4), (1, 2, 2, 3)])
def test_the_code_follows_the_law(relation: Relation, data: Data) -> None:
    """Chi-square on 1,200 draws, false-alarm rate FALSE_ALARM."""
    mechanism, bits = InverseMedian(1, FIVE, relation), Seeded(len(data))
    draws = Counter(mechanism.rehearse(np.array(data), bits).value for _ in range(1200))
    law = law_of(mechanism, data)
    assert set(draws) <= set(law)
    assert math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
    assert chisquare([draws[y] for y in law], [1200 * p for p in law.values()]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("q", [HALF, Fraction(1, 4)])
@pytest.mark.parametrize("confidence", ["0.6", "0.9", "0.99"])
def test_error_is_a_bound_on_the_rank(relation: Relation, q: Fraction, confidence: str) -> None:
    mechanism = InverseMedian(2, FIVE, relation, q)
    error = mechanism.error(confidence)
    for data in (data for n in (1, 2, 3, 4) for data in data_of(n)):
        law = law_of(mechanism, data)
        missed = {
            y: max(0, sum(x < y for x in data) - q * len(data), q * len(data) - sum(x <= y for x in data))
            for y in range(5)
        }
        assert math.fsum(p for y, p in law.items() if missed[y] <= error) >= float(confidence) - 1e-12


def test_error_is_attained_by_equal_records() -> None:
    """2t equal records put all other points at depth t exactly: no smaller bound holds for all data."""
    mechanism = InverseMedian(2, FIVE, Relation.REPLACE)
    for confidence in ("0.6", "0.9", "0.99"):
        depth = int(mechanism.error(confidence))
        assert law_of(mechanism, (2,) * (2 * depth))[2] < float(confidence)
        assert law_of(mechanism, (2,) * (2 * depth + 2))[2] >= float(confidence)
    errors = [mechanism.error(confidence) for confidence in ("0.6", "0.9", "0.99")]
    assert all(a <= b for a, b in pairwise(errors))


def test_the_published_bound_holds() -> None:
    """Depth ≤ (2/ε)·ln(|O|/β) with probability 1 − β (002, 003), to a whole number."""
    for epsilon, miss in ((Fraction(1, 10), Fraction(1, 20)), (Fraction(2), Fraction(1, 1000))):
        mechanism = InverseMedian(epsilon, PublicRange(-100, 100, Grid(-6)), Relation.REPLACE)
        assert mechanism.error(1 - miss) <= 2 / epsilon * math.log(mechanism.span.size / miss)


def test_a_million_records_on_a_fine_grid() -> None:
    span = PublicRange(0, 1000, Grid(-20))
    values = np.random.Generator(np.random.PCG64(1)).normal(500, 50, 10**6)
    for relation in Relation:
        mechanism = InverseMedian("0.1", span, relation, Fraction(9, 10))
        found = mechanism.rehearse(values, Seeded(1)).value
        assert abs((values < found).mean() - 0.9) * 10**6 <= mechanism.error("0.9999")


@pytest.mark.parametrize("relation", list(Relation))
def test_totality(relation: Relation) -> None:
    mechanism = InverseMedian(1, PublicRange(-1, 1, Grid(-4)), relation)
    for values in ([], [np.nan], [np.inf, -np.inf], [1e308, -0.0], [np.nan] * 5, [2**60, -(2**60)]):
        assert -1 <= mechanism.rehearse(values, Seeded(1)).value <= 1
    assert list(mechanism.span.steps([np.nan, -5.0, 5.0, 0.03])) == [0, -16, 16, 0]
    assert list(PublicRange(2, 3, Grid(0)).steps([np.nan, 2**80, -(2**80)])) == [2, 3, 2]
    alone = InverseMedian(1, PublicRange(2, 2, Grid(0)), relation)
    assert alone.rehearse([7.0], Seeded(1)).value == 2
    assert alone.error() == 0


def test_the_answer_says_ranks() -> None:
    answer = InverseMedian(1, FIVE, Relation.REPLACE).release([1, 2, 3])
    assert "ranks" in str(answer)
    assert "ε = 1" in str(answer)
    with pytest.raises(Refused):
        answer.interval()


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            InverseMedian(wrong, FIVE, Relation.REPLACE)
    for wrong in (0, 1, -1, float("nan"), True, Fraction(1, 3**30)):
        with pytest.raises(Refused):
            InverseMedian(1, FIVE, Relation.REPLACE, wrong)
    for values in (np.array(["a"]), np.array([[1.0]]), 1.0, {1.0}, np.ma.array([1.0], mask=[True])):
        with pytest.raises(Refused):
            InverseMedian(1, FIVE, Relation.REPLACE).rehearse(values, Seeded(1))
    for lower, upper, grid in ((1, 0, Grid(0)), ("0.1", "0.2", Grid(0)), (0, 1, Grid(-100)), ("nan", 1, Grid(0))):
        with pytest.raises(Refused):
            PublicRange(lower, upper, grid)
    for wrong in ("replace", "add/remove", None, 1):
        with pytest.raises(Refused):
            InverseMedian(1, FIVE, wrong)
    with pytest.raises(Refused):
        InverseMedian(1, (0, 4), Relation.REPLACE)
    for grid in (0.5, -10):
        with pytest.raises(Refused):
            PublicRange(0, 1, grid)


@pytest.mark.parametrize("odd", [None, "a", True, [1.0], Fraction(1, 3), Decimal("sNaN"), np.timedelta64(3), 2j])
def test_no_single_record_is_refused(odd: object) -> None:
    """A record that is no number goes to zero, for itself alone: whether it is there must not show (R26)."""
    expected = [2, 1, 0 if not isinstance(odd, (bool, Fraction)) else round(odd)]
    assert list(FIVE.steps([2, 1.0, odd])) == expected
    assert list(FIVE.steps(np.array([2, 1.0, None], object))) == [2, 1, 0]
    InverseMedian(1, FIVE, Relation.ADD_REMOVE).rehearse([2, 1.0, odd], Seeded(1))


def test_every_point_of_a_range_is_a_float() -> None:
    """Else a point would move when it is placed, and two of them apart by more than the steps between them."""
    with pytest.raises(Refused):
        PublicRange(0, 2**54 + 3, Grid(0))
    widest = PublicRange(-(2**53), 2**53, Grid(0))
    assert widest.place(widest.last - 1) == 2**53 - 1


def test_a_range_without_a_grid_has_about_a_million_points() -> None:
    assert 1 << 20 <= PublicRange(0, 110).size <= 1 << 22
    with pytest.raises(Refused):
        PublicRange(5, 5)
