"""The best selection of private keys: (ε, δ) with equality, and no rule keeps more."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import binomtest
from tests.divergence import hockey_stick, violations
from tests.mechanisms.statistics.tally_law import neighbours

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Pure, Relation
from tacit.mechanisms.selection.key_selection import KeySelection
from tacit.mechanisms.selection.stability_histogram import StabilityHistogram
from tacit.noise.ball import Ball
from tacit.noise.bits import Scripted, Seeded

ADD, SWAP = Relation.ADD_REMOVE, Relation.REPLACE
FALSE_ALARM = 1e-6


def keeping(epsilon: float, delta: float, most: int) -> list[mpmath.mpf]:
    """The recursion, by an independent hand, in 60 digits."""
    with mpmath.workdps(60):
        chances = [mpmath.mpf(0)]
        for _ in range(most):
            last = chances[-1]
            grown, shrunk = mpmath.e**epsilon * last + delta, 1 - mpmath.e**-epsilon * (1 - last - delta)
            chances.append(min(grown, shrunk, mpmath.mpf(1)))
        return chances


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 2**-20), (0.125, 2**-7), (3, 0.25), (0.5, 2**-40)])
def test_keep_probabilities_against_an_independent_recursion(epsilon: float, delta: float) -> None:
    rule = KeySelection(Approx(epsilon, delta), ADD)
    oracle = keeping(epsilon, delta, len(rule.keeping) + 2)
    for people, chance in enumerate(oracle):
        assert float(rule.keep_probability(people)) == pytest.approx(float(chance), rel=1e-14)
    assert rule.keeping[-1] == 1
    assert rule.keep_probability(10**9) == 1


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 2**-20), (0.125, 2**-7), (3, 0.25)])
def test_private_with_equality_at_every_count(epsilon: float, delta: float) -> None:
    """Enumerated over all counts: δ is attained between every two of them until the key is certain."""
    rule = KeySelection(Approx(epsilon, delta), ADD)
    chances = [float(rule.keep_probability(people)) for people in range(len(rule.keeping) + 1)]
    laws = [{"kept": chance, "withheld": 1 - chance} for chance in chances]
    assert violations(rule.loss, pairwise(laws)) == []
    for one, other in pairwise(laws[:-2]):
        worst = max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))
        assert worst == pytest.approx(delta, rel=1e-6)


def _joint(rule: KeySelection, records: list[Any]) -> dict[frozenset[str], float]:
    subsets = [frozenset(kept) for kept in ([], ["a"], ["b"], ["a", "b"])]
    return {kept: float(rule.probability(records, kept)) for kept in subsets}


@pytest.mark.parametrize("relation", [ADD, SWAP], ids=str)
@pytest.mark.parametrize("most_keys", [1, 2])
def test_joint_laws_of_neighbours(relation: Relation, most_keys: int) -> None:
    rule = KeySelection(Approx(1, "0.1"), relation, most_keys)
    domain: list[Any] = ["a", "b"] if most_keys == 1 else ["a", ("a", "b"), ()]
    pairs = [(_joint(rule, one), _joint(rule, other)) for one, other in neighbours(domain, 5, relation)]
    assert violations(rule.loss, pairs) == []
    assert all(sum(law.values()) == pytest.approx(1) for pair in pairs for law in pair)


class _Greedy(KeySelection):
    """Counts δ twice."""

    def keep_probability(self, people: int) -> Ball:
        return super().keep_probability(people + 1) if people else super().keep_probability(0)


def test_a_greedier_rule_is_caught() -> None:
    rule = _Greedy(Approx(1, "0.1"), ADD)
    laws = [_joint(rule, ["a"] * n) for n in range(6)]
    assert violations(rule.loss, pairwise(laws))


def test_keeps_more_than_the_threshold() -> None:
    """At equal (ε, δ) no count's key is kept less often than by the thresholded histogram."""
    best, noisy = KeySelection(Approx(1, "1e-6"), ADD), StabilityHistogram(Approx(1, "1e-6"), ADD)
    for people in range(1, 30):
        kept = float(noisy.noise.law.tail(noisy.threshold - people))
        assert float(best.keep_probability(people)) >= kept - 1e-12


@pytest.mark.parametrize("people", [1, 2, 3, 5])
def test_draws_follow_the_law(people: int) -> None:
    rule, bits = KeySelection(Approx(1, "0.1"), ADD), Seeded(people)
    kept = sum(len(rule.rehearse(["k"] * people, bits).value) for _ in range(4000))
    assert binomtest(kept, 4000, float(rule.keep_probability(people))).pvalue > FALSE_ALARM


def test_many_keys_at_once_are_independent_and_sorted() -> None:
    rule = KeySelection(Approx(1, "0.1"), ADD)
    kept = rule.rehearse([f"k{n:04d}" for n in range(4000)], Seeded(5)).value
    assert list(kept) == sorted(kept)
    assert binomtest(len(kept), 4000, 0.1).pvalue > FALSE_ALARM


def test_a_tie_with_the_word_is_settled_by_more_bits() -> None:
    """The first word is π's own: what follows decides, on either side of π."""
    rule = KeySelection(Approx(1, "0.1"), ADD)
    word = int(Fraction(1, 10) * 2**64)
    for later, kept in ((b"\x00", ("k",)), (b"\xff", ())):
        assert rule.rehearse(["k"], Scripted(word.to_bytes(8, "little") + later * 64)).value == kept
    above = Scripted((word + 1).to_bytes(8, "little") + b"\x00" * 64)
    assert rule.rehearse(["k"], above).value == ()


def test_error_and_words() -> None:
    rule = KeySelection(Approx(1, "1e-6"), ADD)
    assert rule.surely() == 16
    assert rule.error() == 15
    assert float(rule.keep_probability(16)) >= 0.95 > float(rule.keep_probability(15))
    assert str(rule.release(["b"] * 40 + ["a"] * 40 + ["c"])) == (
        "a\nb\n(keys held by fewer than about 14 people are withheld, "
        "and one held by 16 or more appears with probability 95%; cost ε = 1, δ = 1e-06)"
    )
    assert str(rule.release([None, np.nan])).startswith("no key was common enough")
    assert rule.release([]).interval() == (0, 15)


@pytest.mark.parametrize(
    "target", [Pure(1), Gdp(1), Approx(0, "0.1"), Approx(1, 1), Approx("1e-9", "1e-9"), None, math.pi], ids=str
)
def test_refusals(target: Any) -> None:
    with pytest.raises(Refused):
        KeySelection(target, ADD)
