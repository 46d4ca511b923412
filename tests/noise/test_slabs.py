"""The slab sampler is exact: enumerated where bits can be enumerated, forged where they are rare, fitted elsewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chisquare
from tests.goodness import FALSE_ALARM, fit

from tacit.noise.ball import ball, precision
from tacit.noise.bits import Bits, Integers, Scripted, Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace, Geometric
from tacit.noise.gaussian_law import DiscreteGaussianLaw, RoundedGaussian
from tacit.noise.grid import Draws
from tacit.noise.law import Law
from tacit.noise.slabs import Slabs, slabs

NARROW: list[Law] = [
    DiscreteLaplace(1),
    DiscreteLaplace("7/3"),
    DiscreteLaplace(20),
    DiscreteLaplace("1/9"),
    RoundedGaussian(1),
    RoundedGaussian("1/10"),
    RoundedGaussian(50),
    DiscreteGaussianLaw(1),
    DiscreteGaussianLaw("1/10"),
    DiscreteGaussianLaw(50),
    Geometric(2),
    Geometric("1/3"),
]
HALF = 1 << 15


def enumerate_first_word(law: Law) -> tuple[dict[int, int], int]:
    """How many of the 65,536 first words decide each output, and how many leave it open."""
    cells: dict[int, int] = {}
    undecided = 0
    for word in (np.arange(HALF), np.arange(HALF, 2 * HALF)):
        # What follows decides the open ones: once all zeros, once all ones. An output that both agree on without
        # asking is decided by its first word.
        script = word.astype("<u2").tobytes()
        reader = Scripted(script + b"\x55" * (1 << 22))
        outputs = law.draw(HALF, reader)
        open_words = np.flatnonzero(slabs(law)._cell[word] == np.iinfo(np.int16).min)
        undecided += open_words.size
        decided = np.delete(outputs, open_words)
        for value, count in zip(*np.unique(decided, return_counts=True), strict=True):
            cells[int(value)] = cells.get(int(value), 0) + int(count)
    return cells, undecided


def enumerate_second_word(law: Law) -> tuple[dict[int, int], int]:
    """Given an open first word: how many of 65,536 leading parts of the second word decide each output."""
    open_word = np.full(HALF, 65_535, "<u2").tobytes()
    decided: dict[int, int] = {}
    undecided = 0
    for lead in (np.arange(HALF), np.arange(HALF, 2 * HALF)):
        low = lead.astype(np.uint64) << np.uint64(48)
        high = low | np.uint64((1 << 48) - 1)
        outputs = [
            law.draw(HALF, Scripted(open_word + words.astype("<u8").tobytes() + b"\x55" * (1 << 20)))
            for words in (low, high)
        ]
        same = outputs[0] == outputs[1]
        undecided += int((~same).sum())
        for value, count in zip(*np.unique(outputs[0][same], return_counts=True), strict=True):
            decided[int(value)] = decided.get(int(value), 0) + int(count)
    return decided, undecided


@pytest.mark.parametrize("law", NARROW, ids=str)
def test_every_mass_lies_in_its_enumerated_bracket(law: Law) -> None:
    """R01: the first 16 bits, and given those the next 16, run through all values; each output's mass is bracketed."""
    first, left = enumerate_first_word(law)
    second, ties = enumerate_second_word(law)
    assert sum(first.values()) + left == 65_536
    bulk = slabs(law)._bin
    for value in range(int(bulk.min()), int(bulk.max()) + 1):
        certain = Fraction(first.get(value, 0), 65_536) + Fraction(left * second.get(value, 0), 65_536**2)
        possible = certain + Fraction(left * ties, 65_536**2)
        with precision(256):
            # The law is the sampler's given that no tail point is thrown back, which happens with less than 2^-30.
            slack = Fraction(1, 2**30)
            assert ball(certain - slack) <= law.mass(value)
            assert law.mass(value) <= ball(possible + slack)


def test_the_bracket_catches_a_scale_that_is_a_tenth_of_a_percent_off() -> None:
    first, left = enumerate_first_word(DiscreteLaplace("7/3"))
    claimed = DiscreteLaplace(Fraction(7, 3) * Fraction(1001, 1000))
    assert any(
        not claimed.mass(value) <= ball(Fraction(first[value] + left, 65_536))
        or not ball(Fraction(first[value], 65_536)) <= claimed.mass(value)
        for value in first
    )


WIDE: list[Law] = [
    DiscreteLaplace(64),
    DiscreteLaplace("1234.5"),
    DiscreteLaplace(10**6),
    RoundedGaussian(64**2),
    RoundedGaussian(10**6),
    RoundedGaussian(10**12),
    DiscreteGaussianLaw(64**2),
    DiscreteGaussianLaw(10**6),
    DiscreteGaussianLaw(10**12),
    Geometric(100),
    Geometric(10**5),
]


def bulk(law: Law) -> tuple[int, int]:
    return law.quantile("0.0005"), law.quantile("0.9995")


@pytest.mark.parametrize("law", NARROW + WIDE, ids=str)
def test_draws_fit_the_law(law: Law) -> None:
    assert fit(law.draw(400_000, Seeded(1)), law, *bulk(law)) > FALSE_ALARM


def fit_within_bins(law: Law, draws: Integers) -> float:
    """The p-value of the places that non-negative draws take within their bins, all bins laid over each other."""
    bits = slabs(law)._low_bits
    parts = min(8, 1 << bits)
    part = (1 << bits) // parts
    edges = np.arange(0, int(slabs(law)._bin.max() + 1) << bits, part, dtype=object)
    tails = np.array([float(law.tail(int(edge))) for edge in [*edges, edges[-1] + part]])
    expected = -np.diff(tails).reshape(-1, parts).sum(axis=0)
    observed = np.bincount((draws[draws >= 0] % (1 << bits)) // part, minlength=parts)
    return float(chisquare(observed, expected / expected.sum() * observed.sum()).pvalue)


@pytest.mark.parametrize("law", WIDE, ids=str)
def test_within_bins_draws_fit_the_law(law: Law) -> None:
    """The slope inside the bins is the wedges' work."""
    assert fit_within_bins(law, law.draw(1_000_000, Seeded(2))) > FALSE_ALARM


def test_a_wedge_that_keeps_everything_would_be_seen() -> None:
    class Careless(Slabs):
        def _is_under(self, drawn: Draws, bins: NDArray[np.intp], bits: Bits) -> NDArray[np.bool_]:
            return np.ones(drawn.size, bool)

    law = DiscreteLaplace(1024)
    assert fit_within_bins(law, Careless(law).draw(4_000_000, Seeded(2))) < FALSE_ALARM


@pytest.mark.parametrize("law", [DiscreteLaplace(640), RoundedGaussian(100**2), DiscreteGaussianLaw(100**2)], ids=str)
def test_floats_decide_as_exact_arithmetic_does(law: Law) -> None:
    """R03: with the margin opened so wide that Arb decides every wedge, the same bits give the same draws."""

    class Doubting(type(law)):  # type: ignore[misc]
        @property
        def margin(self) -> float:
            return 2.0

    doubting = object.__new__(Doubting)
    doubting.__dict__.update(law.__dict__)
    assert np.array_equal(Slabs(law).draw(100_000, Seeded(3)), Slabs(doubting).draw(100_000, Seeded(3)))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([DiscreteLaplace, RoundedGaussian, DiscreteGaussianLaw]),
    st.fractions(min_value=40, max_value=10**7),
    st.integers(0, 2**32),
)
def test_relative_weights_err_by_less_than_their_margin(kind: type, parameter: Fraction, seed: int) -> None:
    law = kind(parameter if kind is DiscreteLaplace else parameter**2)
    tables = Slabs(law)
    generator = np.random.default_rng(seed)
    for index in generator.integers(0, tables._bin.size, 20):
        far, near = tables._partition.ends(int(tables._bin[index]))
        magnitude = int(generator.integers(near, far + 1))
        floating = law.relative(np.array([float(magnitude)]), np.array([float(near)]))[0]
        with precision(256):
            assert abs(law.weight(magnitude) / law.weight(near) - ball(float(floating))) < law.margin


@pytest.mark.parametrize("kind", [DiscreteLaplace, RoundedGaussian, DiscreteGaussianLaw, Geometric])
@pytest.mark.parametrize("reach", [0.1, 1.0, 2.5])
def test_tails_are_drawn_not_cut(kind: type, reach: float) -> None:
    """Where the bulk ends is a matter of speed alone: ended early, the tail envelope must do the work exactly."""

    class Short(kind):  # type: ignore[misc]
        @property
        def reach(self) -> float:
            return reach

    law = kind(40)
    short = Short(40)
    draws = Slabs(short).draw(6_000, Seeded(4)).astype(np.int64)
    assert fit(draws, law, *bulk(law), cells=24) > FALSE_ALARM


def test_a_cut_tail_would_be_seen() -> None:
    law = DiscreteLaplace(40)
    draws = Slabs(law).draw(6_000, Seeded(4))
    assert fit(np.clip(draws, -80, 80), law, *bulk(law), cells=24) < FALSE_ALARM


@pytest.mark.parametrize("law", NARROW + WIDE, ids=str)
def test_forged_ties_are_broken_by_further_bits(law: Law) -> None:
    """A second word equal to a boundary's own word: zeros after it fall below the boundary, ones above."""
    tables = slabs(law)
    interior = np.flatnonzero(np.diff(tables._lower.astype(object)) > 1)[::100]
    for index in interior:
        assert tables._lower[index] == tables._upper[index]
        words = tables._lower[index : index + 1]
        below = tables._pick(words, Scripted(bytes(64)))
        above = tables._pick(words, Scripted(b"\xff" * 64))
        assert below[0] <= index < above[0]


def test_brackets_stay_sorted_and_sound_when_areas_vanish() -> None:
    tables = slabs(DiscreteLaplace("1e-300"))
    assert (np.diff(tables._lower.astype(object)) >= 0).all()
    assert (np.diff(tables._upper.astype(object)) >= 0).all()
    assert (tables._lower <= tables._upper).all()


def test_each_draw_consumes_its_own_bits() -> None:
    """R13: no draw is broadcast: a million draws are not fewer distinct ones than chance allows."""
    draws = DiscreteLaplace(10**15).draw(100_000, Seeded(5))
    assert np.unique(draws).size > 99_990


def test_a_draw_wider_than_64_bits_saturates_only_after_it_was_added() -> None:
    law = DiscreteLaplace(2**70)
    noise = slabs(law).draw(200, Seeded(6))
    assert max(abs(int(cell)) for cell in noise) > 2**64
    values = np.full(200, -(2**62), np.int64)
    expected = [min(max(int(cell) - 2**62, -(2**63)), 2**63 - 1) for cell in noise]
    assert law.add(values, Seeded(6)).tolist() == expected


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**32))
def test_sums_at_the_ends_of_64_bits_saturate(value: int, seed: int) -> None:
    """R05."""
    law = DiscreteLaplace(2**20)
    noise = slabs(law).draw(1, Seeded(seed))
    total = law.add(np.array([value], np.int64), Seeded(seed))
    assert int(total[0]) == min(max(value + int(noise[0]), -(2**63)), 2**63 - 1)
