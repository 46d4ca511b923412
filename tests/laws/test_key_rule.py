"""A key that one person alone holds is shown with probability at most δ, by the predicate that shows keys (R06)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.laws.databases import engine_session

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.ball import ball, less
from tacit.noise.bits import Bits, Seeded
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans import group_keys as key_rule
from tacit.query.plans.group_keys import FULL, MOST_KEYS, KeyRule
from tacit.query.plans.price import NoiseShare, noise_share, price_of

_ALL = 65536
_DELTA = Fraction(1, 10**6)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def weights_of(rule: KeyRule, session: DuckDBSession, most: int) -> dict[int, int]:
    """The weight on each key of a person with 1, 2, … keys, as the engine computes it."""
    sql = f"SELECT n, {rule.weight('n')} FROM (SELECT unnest(range(1, {most + 1})) AS n) AS t"
    return dict(session.connection.execute(sql).fetchall())


def is_private(rule: KeyRule, threshold: int, weights: dict[int, int]) -> bool:
    """Whether nobody's own keys are shown, any of them, with more than δ: of equal weights, most keys are the worst."""
    worst = {weight: keys for keys, weight in sorted(weights.items()) if weight > 0}
    return all(
        less(lambda: ball(1 - rule.delta), lambda keys=keys, weight=weight: _none_shown(rule, threshold, weight, keys))
        for weight, keys in worst.items()
    )


def _none_shown(rule: KeyRule, threshold: int, weight: int, keys: int) -> object:
    return (1 - rule.noise.law.tail(threshold - weight)) ** keys


def share(epsilon: str, relation: Relation) -> NoiseShare:
    budget = budget_from(8, Fraction(1, 10**5))
    price = price_of(budget, Approx(8, Fraction(1, 10**5)), epsilon, None, True)
    return noise_share(price, Fraction(1, 3), relation)


@pytest.mark.parametrize("most", [1, 3, 40, MOST_KEYS, _ALL])
@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "8"])
def test_no_key_of_one_person_is_shown_with_more_than_delta(session: DuckDBSession, epsilon: str, most: int) -> None:
    """R06: every number of keys, with the weights that the engine computes and the law's exact tails."""
    rule = KeyRule(share(epsilon, Relation.ADD_REMOVE), _DELTA, most)
    weights = weights_of(rule, session, _ALL)
    assert is_private(rule, rule.threshold, weights)
    assert all(weight == 0 for keys, weight in weights.items() if keys > most)
    step = int(rule.noise.law.width) >> 10
    assert not is_private(rule, rule.threshold - 64 * step, weights)  # the broken twin: a threshold a little lower


@pytest.mark.parametrize("relation", list(Relation))
def test_weights_stay_within_the_radius(session: DuckDBSession, relation: Relation) -> None:
    """R06, R18: k·w² ≤ radius² for every k, in exact integers; the twin that rounds up is beyond it."""
    rule = KeyRule(share("1", relation), _DELTA, _ALL)
    weights = weights_of(rule, session, _ALL)
    assert all(keys * weight**2 <= rule.noise.radius**2 for keys, weight in weights.items())
    assert all(weight == isqrt(_ALL // keys) * rule.unit for keys, weight in weights.items())
    rounded = {keys: (isqrt(_ALL // keys) + 1) * rule.unit for keys in weights}
    assert any(keys * weight**2 > rule.noise.radius**2 for keys, weight in rounded.items())


@pytest.mark.parametrize("variance", [Fraction(1), Fraction(9), Fraction(10**4), Fraction(10**6)])
@pytest.mark.parametrize("most", [1, 7, MOST_KEYS])
def test_off_by_one_shows_at_small_noise(session: DuckDBSession, variance: Fraction, most: int) -> None:
    """R06: the least threshold is found by search; one less, which is what pricing > and showing ≥ means, is caught."""
    rule = KeyRule(NoiseShare(RoundedGaussian(variance), FULL), _DELTA, most)
    weights = weights_of(rule, session, most)
    low, high = rule.threshold - 6 * isqrt(int(variance)) - 6, rule.threshold
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_private(rule, middle, weights) else (middle, high)
    assert is_private(rule, high, weights)
    assert not is_private(rule, high - 1, weights)
    assert high <= rule.threshold <= high + 2 + isqrt(int(variance)) // 50  # no more is withheld than must be


@dataclass(frozen=True)
class Constant:
    """Noise that is always the same."""

    value: int

    def draw(self, size: int, bits: Bits) -> NDArray[np.int64]:
        return np.full(size, self.value)


@pytest.mark.parametrize(("noise", "is_shown"), [(0, True), (-1, False)])
def test_keys_are_shown_by_the_priced_predicate(monkeypatch: pytest.MonkeyPatch, noise: int, is_shown: bool) -> None:
    """R06: a key is shown at the threshold, not below it, and never where nobody has weight."""
    rule = KeyRule(share("1", Relation.ADD_REMOVE), _DELTA)
    weights = np.array([rule.threshold, 0, 1], np.int64)
    monkeypatch.setattr(key_rule, "slabs", lambda law: Constant(noise))
    assert rule.shown(weights, Seeded(1)).tolist() == [is_shown, False, False]
    monkeypatch.setattr(key_rule, "slabs", lambda law: Constant(2 * rule.threshold))
    assert rule.shown(weights, Seeded(1)).tolist() == [True, False, True]
    assert weights.tolist() == [rule.threshold, 0, 1]
