"""MWEM: the exact law of its releases over all neighbours, its draws, its price; and the fitted histogram."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, islice

import numpy as np
import pytest
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.weights.table_rounds import SIZES, TABLES, RoundLaws, neighbours, output_of

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.weights.hypothesis import Hypothesis, margins
from tacit.mechanisms.weights.mwem import Measured, Mwem
from tacit.noise.bits import Seeded

ADD, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
HISTOGRAMS = [[0, 2, 0, 1], [2, 0, 0, 1], [0, 3, 0, 0]]


def made(relation: Relation, rounds: int, selection: object, measurement: Loss) -> Mwem:
    people = 3 if relation is REPLACE else None
    return Mwem(SIZES, TABLES, relation, rounds, selection, measurement, people)  # type: ignore[arg-type]


CASES = [
    (made(REPLACE, 1, 3, Zcdp("1/2")), 11),
    (made(REPLACE, 2, 2, Zcdp(5)), 2),
    (made(ADD, 1, 2, Zcdp(1)), 6),
    (made(REPLACE, 1, 2, Pure(6)), 10),
]


def exceeded(mechanism: Mwem, reach: int, claimed: Loss, rate: float | None = None) -> list[str]:
    """Where the claimed loss is exceeded on some neighbours."""
    laws = RoundLaws(mechanism, reach, rate=rate)
    is_small = mechanism.rounds == 1 and mechanism.relation is REPLACE
    found = islice(neighbours(mechanism.relation, HISTOGRAMS), None if is_small else 3)
    return violations(claimed, [(laws.law(one), laws.law(other)) for one, other in found])


@pytest.mark.parametrize(("mechanism", "reach"), CASES)
def test_no_pair_of_neighbours_costs_more_than_the_loss(mechanism: Mwem, reach: int) -> None:
    assert exceeded(mechanism, reach, mechanism.loss) == []


def test_broken_twins_are_caught() -> None:
    mechanism, reach = CASES[0]
    unpaid = Gdp(mechanism.noise.loss.gdp().mu_squared)  # the selection is not charged
    assert exceeded(mechanism, reach, unpaid)
    faint = replace(mechanism, measurement=Zcdp(2))  # half the scale
    assert exceeded(faint, reach, mechanism.loss)
    sharp = replace(mechanism, measurement=Zcdp("1/100"))  # so much noise that only the selection tells
    other = float(sharp.selection) / 2  # the score's sensitivity under add/remove
    tables_alone = violations(
        sharp.selector.loss,
        [
            tuple(dict(enumerate(laws._choice(one, ()))) for one in pair)
            for laws in [RoundLaws(sharp, 1, rate=other)]
            for pair in neighbours(REPLACE, HISTOGRAMS)
        ],
    )
    assert tables_alone


def test_draws_follow_the_law() -> None:
    """Chi-square, 2,000 releases; outputs expected fewer than five times are one. False-alarm rate FALSE_ALARM."""
    mechanism, histogram, bits = made(REPLACE, 2, 2, Zcdp(2)), np.array([[2, 0], [0, 1]]), Seeded(1)
    law = RoundLaws(mechanism, 1).law(histogram)
    drawn = Counter(output_of(mechanism.privatize(histogram, bits)[0]) for _ in range(2000))
    usual = [output for output, mass in law.items() if mass * 2000 >= 5]
    counts, masses = [drawn[output] for output in usual], [law[output] for output in usual]
    assert len(usual) > 30
    assert p_value([*counts, 2000 - sum(counts)], [*masses, 1 - math.fsum(masses)]) > FALSE_ALARM


@pytest.mark.parametrize("target", [Pure(1), Zcdp("0.1"), Approx(1, "1e-6")])
@pytest.mark.parametrize("relation", Relation)
def test_the_price_is_the_one_asked_for(target: Loss, relation: Relation) -> None:
    people = 100 if relation is REPLACE else None
    mechanism = Mwem.for_loss(target, (2, 3), [(0,), (1,)], relation, 5, people=people)
    loss = mechanism.loss
    if isinstance(target, Zcdp):
        assert 0.999 < float(loss.zcdp().rho / target.rho) <= 1
    elif target.exact_delta == 0:
        assert loss.pure_epsilon == target.exact_epsilon
    else:
        assert 0.95 < loss.epsilon(target.exact_delta) <= 1
    assert sum(part == mechanism.selector.loss for part in loss.parts) == 5


def test_the_fit_comes_near_tables_that_were_never_measured() -> None:
    """With almost no noise, all pairs of four attributes from eight rounds; even shares are far off."""
    rng = np.random.default_rng(1)
    people = rng.multinomial(10_000, np.array([0.4, 0.3, 0.2, 0.1]), size=4)
    shares = np.einsum("i,j,k,l->ijkl", *people / 10_000)
    histogram = rng.multinomial(10_000, shares.ravel()).reshape(4, 4, 4, 4)
    pairs = list(combinations(range(4), 2))
    answer = Mwem.for_loss(Zcdp(100), (4,) * 4, pairs, ADD, 8).rehearse(histogram, Seeded(2))
    even = Hypothesis.uniform((4,) * 4, 10_000)

    def off(tables: list[np.ndarray]) -> float:
        return sum(float(np.abs(one - two).sum()) for one, two in zip(tables, margins(histogram, pairs), strict=True))

    assert off([answer.table(pair) for pair in pairs]) < 0.05 * off(even.tables(pairs))
    assert answer.value.min() >= 0
    assert answer.value.sum() == pytest.approx(answer.measured.people)
    assert "no interval" in str(answer)


def test_margins_are_the_sums_over_all_other_axes() -> None:
    histogram = np.random.default_rng(3).integers(0, 9, (2, 3, 4, 2))
    tables = [each for size in range(5) for each in combinations(range(4), size)]
    for table, found in zip(tables, margins(histogram, tables), strict=True):
        others = tuple(place for place in range(4) if place not in table)
        assert np.array_equal(found, histogram.sum(axis=others))


def test_counts_of_any_size_are_taken_and_told_by_nothing() -> None:
    """The content of a cell is never refused, only type and shape."""
    mechanism = Mwem.for_epsilon(1, (2, 2), TABLES, ADD, 2)
    for extreme in (2**63 - 1, -(2**63)):
        assert np.isfinite(mechanism.rehearse(np.full((2, 2), extreme), Seeded(1)).value).all()
    for bad in (np.zeros((2, 2)), np.zeros((4,), np.int64), [[1, 2]], np.ma.masked_array(np.zeros((2, 2), np.int64))):
        with pytest.raises(Refused):
            mechanism.release(bad)


def test_what_cannot_be_is_refused() -> None:
    good = {"sizes": (2, 2), "tables": TABLES, "relation": ADD, "rounds": 1, "selection": 1, "measurement": Zcdp(1)}
    bad = {
        "sizes": [(0,), (), (2**25,), (True,)],
        "tables": [(), ((2,),), ((1, 0),), ((0, 0),)],
        "relation": ["add/remove", None],
        "rounds": [0, -1, True, 1.5],
        "selection": [0, -1, math.nan, math.inf],
        "measurement": [1, Zcdp(0), Pure(0)],
        "people": [3],
    }
    for name, values in bad.items():
        for value in values:
            with pytest.raises(Refused):
                Mwem(**{**good, name: value})
    with pytest.raises(Refused):
        Mwem(**{**good, "relation": REPLACE})  # without a public number of people
    with pytest.raises(Refused):
        Mwem.for_loss(Gdp(1), (2, 2), TABLES, ADD, 1)
    with pytest.raises(Refused):
        Mwem(**good).error()
    assert Mwem(**good).hypothesis(Measured(-5, ())).people == 1
