"""The number of runs: its draws have its masses, its moments are exact, and what it does not allow is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.enumeration import OCTETS, broken_brackets

from tacit.errors import Refused
from tacit.noise.capped_geometric import CappedGeometric


@pytest.mark.parametrize(("stop", "most"), [("1/2", 3), ("1/2", 7), ("1/3", 3), ("9/10", 2), ("1/4", 1)])
def test_draws_have_the_masses(stop: str, most: int) -> None:
    law = CappedGeometric(stop, most)
    masses = {value: law.share(value) for value in range(most + 2)}
    assert sum(masses.values()) == 1
    undecided = Fraction(1, 5)  # a word beyond the last multiple is drawn again
    assert broken_brackets(law.draw_one, [OCTETS], masses, undecided) == []
    if most > 1:  # broken twins: one run too few, another law
        shifted = {value - 1: mass for value, mass in masses.items()}
        other = CappedGeometric(Fraction(stop) / 2, most)
        assert broken_brackets(law.draw_one, [OCTETS], shifted, undecided)
        assert broken_brackets(law.draw_one, [OCTETS], {v: other.share(v) for v in masses}, undecided)


@pytest.mark.parametrize(("stop", "most"), [("1/2", 4), ("1/14", 28), ("1/62", 124)])
def test_moments_are_those_of_the_masses(stop: str, most: int) -> None:
    law, gamma = CappedGeometric(stop, most), Fraction(stop)
    weights = [(1 - gamma) ** (value - 1) for value in range(1, most + 1)]
    assert [law.share(value) for value in range(1, most + 1)] == [weight / sum(weights) for weight in weights]
    assert law.mean == sum(value * law.share(value) for value in range(1, most + 1)) < 1 / gamma
    assert law.missed(Fraction(1)) == 0
    assert law.missed(Fraction(0)) == 1
    for value in (0, 1, 2, most, most + 1, most + 9):
        left = sum((law.share(each) for each in range(max(value, 1), most + 1)), Fraction(0))
        assert abs(float(law.tail(value).mid()) - float(left)) < 1e-15
    assert law.quantile("0.999999999999999999999999") == most


@pytest.mark.parametrize(("stop", "most"), [(0, 3), (1, 3), ("1/2", 0), ("1/2", 5000), (-1, 2)])
def test_other_laws_are_refused(stop: object, most: int) -> None:
    with pytest.raises(Refused):
        CappedGeometric(stop, most)
