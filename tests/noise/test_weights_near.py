"""The quick weights that tables are built from hold the true ones, and the tables are those of the true ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.noise import gaussian_law as rounded_gaussian
from tacit.noise.ball import Ball, ball, between, floor_down, precision
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.slabs import Slabs

WIDE = [Fraction(4) ** 24, Fraction(4) ** 29, Fraction(4) ** 40 / 3, Fraction(10) ** 20 + Fraction(1, 7)]


class _Slow(RoundedGaussian):
    def weight_near(self) -> Callable[[int], Ball]:
        return self.weight


@pytest.mark.parametrize("variance", WIDE)
def test_tables_are_those_of_the_true_weights(variance: Fraction) -> None:
    """R03: the same cells, and brackets that hold each boundary of the true weights."""
    quick, slow = Slabs(RoundedGaussian(variance)), Slabs(_Slow(variance))
    assert quick._owned == slow._owned
    assert (quick._lower <= slow._lower).all()
    assert (slow._upper <= quick._upper).all()
    assert (quick._upper - quick._lower <= 1).all()


@given(st.sampled_from(WIDE), st.floats(0, 8))
def test_a_quick_weight_holds_the_true_one(variance: Fraction, widths: float) -> None:
    """R03."""
    law = RoundedGaussian(variance)
    magnitude = int(law.width * widths)
    with precision(600):
        true, quick = law.weight(magnitude), law.weight_near()(magnitude)
        assert quick.contains(true)
        assert quick.rel_accuracy_bits() >= 88


def test_what_the_expansion_leaves_out_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twin that forgets it is caught; so is one that leaves an eighth of it."""
    law = RoundedGaussian(Fraction(4) ** 24)
    far = [int(law.width * k / 8) for k in range(65)]
    for kept in (Fraction(0), Fraction(13, 40)):
        monkeypatch.setattr(rounded_gaussian, "_REST", kept)
        with precision(600):
            near = law.weight_near()
            assert not all(near(magnitude).contains(law.weight(magnitude)) for magnitude in far)


def test_narrow_laws_and_far_tails_use_the_weight_itself() -> None:
    narrow, wide = RoundedGaussian(2**40), RoundedGaussian(2**48)
    with precision(200):
        assert narrow.weight_near() == narrow.weight
        beyond = 8 * 2**24 + 1
        assert wide.weight_near()(beyond).rel_accuracy_bits() > 100 > wide.weight_near()(beyond - 2).rel_accuracy_bits()


def test_the_whole_part_below_a_ball() -> None:
    halves = [Fraction(k, 2) for k in range(-7, 8)]
    with precision(100):
        for low, high in pairwise(halves):
            assert floor_down(ball(low)) == floor(low)
            assert floor_down(between(ball(low), ball(high))) <= floor(low)
