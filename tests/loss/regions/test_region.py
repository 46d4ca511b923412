"""Privacy regions: nesting, conjugacy, corners, composition, groups."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    Gdp,
    LaplacePair,
    Loss,
    Pure,
    Zcdp,
    binary_response,
    forced_response,
    kary_response,
    optimal_response,
    warner_response,
)
from tacit.loss.composition.region import Region, compose_regions, repeat_region
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.pairs.symmetric_tables import symmetric_product

EXACT: list[Loss] = [
    Pure(1),
    Approx("0.4", "0.1"),
    Gdp(1),
    LaplacePair(Fraction(1)),
    binary_response(1),
    kary_response(2, 5),
    optimal_response("0.4", "0.1"),
    RepeatedApprox("0.4", "0.1", 3),
]


@pytest.mark.parametrize("loss", EXACT, ids=str)
def test_the_boundary_is_convex_falls_and_is_its_own_inverse(loss: Loss) -> None:
    region = Region(loss)
    alphas = [Fraction(n, 40) for n in range(41)]
    values = [region.boundary(alpha) for alpha in alphas]
    assert values == sorted(values, reverse=True)
    assert all(b <= 1 - a + 1e-15 for a, b in zip(alphas, values, strict=True))
    assert all(
        2 * middle <= left + right + 1e-12 for left, middle, right in zip(values, values[1:], values[2:], strict=False)
    )
    for value in values:
        if value > 0:
            back = region.boundary(value)  # symmetric pairs: f(f(f(α))) = f(α)
            assert region.boundary(back) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("loss", EXACT, ids=str)
def test_conjugacy(loss: Loss) -> None:
    """δ(ε) = sup over α of 1−f(α)−e^ε α: every α stays below, and some α of a fine grid comes close."""
    region = Region(loss)
    grid = [Fraction(n, 300) for n in range(301)] + [Fraction(1, 2**n) for n in range(9, 24)]
    boundary = [(alpha, region.boundary(alpha)) for alpha in grid]
    for epsilon in (0.0, 0.3, 0.9, 1.5):
        reached = max(1 - f - math.exp(epsilon) * float(alpha) for alpha, f in boundary)
        assert reached <= loss.delta(epsilon) + 1e-12
        assert reached >= loss.delta(epsilon) - 0.01
        assert region.delta(epsilon) == loss.delta(epsilon)


NESTED: list[tuple[Loss, Loss]] = [
    (LaplacePair(Fraction(1)), Pure(1)),
    (kary_response(1, 5), binary_response(1)),
    (kary_response(1, 5), Pure(1)),
    (Gdp(1), Gdp(2)),
    (Pure(1), Approx(1, "0.1")),
    (Pure(1), Pure(1).gdp()),
    (RepeatedApprox("0.4", "0.1", 2), Approx("0.8", "0.19")),
]


@pytest.mark.parametrize(("inner", "outer"), NESTED, ids=str)
def test_regions_nest_as_they_should(inner: Loss, outer: Loss) -> None:
    assert Region(inner).lies_within(Region(outer))
    for alpha in (Fraction(n, 25) for n in range(26)):
        assert Region(inner).boundary(alpha) >= Region(outer).boundary(alpha) - 1e-12


def test_a_converse_that_fails_is_found() -> None:
    assert not Region(Pure(1)).lies_within(Region(LaplacePair(Fraction(1))))
    assert not Region(binary_response(1)).lies_within(Region(kary_response(1, 5)))
    assert not Region(Gdp(2)).lies_within(Region(Gdp(1)))
    assert not Region(RepeatedApprox("0.4", "0.1", 2)).lies_within(Region(Approx("0.8", "0.1899")))
    assert not Region(RepeatedApprox("0.4", "0.1", 2)).lies_within(Region(Approx("0.7999", "0.19")))


def test_the_same_region_told_differently_lies_within_itself_both_ways() -> None:
    """Ties at every corner, decided exactly."""
    told = [Approx("0.4", "0.1"), optimal_response("0.4", "0.1"), RepeatedApprox("0.4", "0.1", 1)]
    twice = [repeat_region(Region(one), 2) for one in told[:2]]
    for regions in ([Region(one) for one in told], twice):
        assert all(one.lies_within(other) for one in regions for other in regions)
        for vertices in zip(*(region.vertices() for region in regions), strict=True):
            for vertex in vertices:
                assert vertex == pytest.approx(vertices[0], abs=1e-15)


@pytest.mark.parametrize("truth", range(13))
def test_the_converse_of_data_processing(truth: int) -> None:
    """A coin's region contains another's iff the other is the first, blurred or turned: decided exactly, ties too."""
    for other in range(13):
        inner, outer = (Region(warner_response(Fraction(n, 12))) for n in (truth, other))
        assert inner.lies_within(outer) == (abs(truth - 6) <= abs(other - 6))


def test_more_releases_reach_further() -> None:
    one = Region(Approx("0.4", "0.1"))
    regions = [repeat_region(one, k) for k in range(1, 6)]
    for alpha in (Fraction(n, 20) for n in range(20)):
        values = [region.boundary(alpha) for region in regions]
        assert values == sorted(values, reverse=True)
    assert [len(region.vertices()) for region in regions] == [3, 4, 5, 6, 7]


def test_permits_is_a_proof_of_impossibility() -> None:
    region = Region(Pure(1))
    corner = 1 / (1 + math.e)
    assert region.permits(0.27, 0.27)
    assert not region.permits(corner - 1e-9, corner - 1e-9)
    assert not region.permits(1 - corner + 1e-9, 1 - corner + 1e-9)  # the same test, read the other way round
    assert region.permits("0.5", "0.5")
    assert region.permits(0, 1)
    with pytest.raises(Refused):
        region.permits(math.nan, 0)


@pytest.mark.parametrize("loss", EXACT, ids=str)
def test_the_bracket_contains_the_boundary_and_is_narrow(loss: Loss) -> None:
    lower, upper = Region(loss).bracket("0.4")
    assert lower <= loss.tradeoff("0.4") + 1e-15
    assert loss.tradeoff("0.4") <= upper + 1e-15
    assert upper - lower <= 1e-4


def test_a_bracket_is_wide_where_little_is_known() -> None:
    lower, upper = Region(Zcdp("0.1")).bracket("0.1")
    assert lower == Zcdp("0.1").tradeoff("0.1")
    assert upper == pytest.approx(0.9)  # nothing says that a release within ρ loses anything at all
    assert Region(Approx("0.4", "0.1")).bracket(0) == (pytest.approx(0.9), 1.0)
    with pytest.raises(Refused, match="not attained"):
        Region(Gdp(1), 2).bracket("0.1")


def test_responses_compose_exactly() -> None:
    together = compose_regions([Region(binary_response("0.4"))] * 3)
    theorem = RepeatedApprox("0.4", 0, 3)
    for found, known in zip(together.vertices(), theorem.vertices(), strict=True):
        assert found == pytest.approx(known, abs=1e-15)
    for alpha in ("0.01", "0.3", "0.8"):
        assert together.boundary(alpha) == pytest.approx(theorem.tradeoff(alpha), abs=1e-14)


def test_products_of_lopsided_pairs_are_refused() -> None:
    with pytest.raises(Refused, match="which world is which"):
        symmetric_product([forced_response("1/2", "1/4", "1/4"), forced_response("1/2", "1/3", "1/6")])
    with pytest.raises(Refused, match="too long"):
        symmetric_product([kary_response(Fraction(1, n), 3) for n in range(2, 12)])
    mixed = compose_regions([Region(forced_response("1/2", "1/3", "1/6")), Region(binary_response(1))])
    assert mixed.boundary("0.1") <= Region(forced_response("1/2", "1/3", "1/6")).boundary("0.1")


def test_gaussians_and_mixtures_of_families_compose() -> None:
    assert compose_regions([Region(Gdp(1)), Region(Gdp(3))]) == Region(Gdp(4))
    assert compose_regions([Region(Zcdp(1)), Region(Zcdp(2))]) == Region(Zcdp(3))
    assert compose_regions([]) == Region(Pure(0))
    both = compose_regions([Region(Gdp(1)), Region(Pure("0.1"))])
    assert both.boundary("0.1") <= Region(Gdp(1)).boundary("0.1")
    with pytest.raises(Refused, match="Group first"):
        compose_regions([Region(Gdp(1), 2), Region(Gdp(1))])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.fractions(0, 1, max_denominator=50))
def test_a_groups_curve_is_the_closed_one_where_there_is_one(people: int, alpha: Fraction) -> None:
    assert Region(Gdp(1), people).boundary(alpha) == pytest.approx(Gdp(people**2).tradeoff(alpha), abs=1e-12)
    laplace = LaplacePair(Fraction(1, 3))
    assert Region(laplace, people).boundary(alpha) == pytest.approx(laplace.group(people).tradeoff(alpha), abs=1e-12)
    assert Region(Pure(1)).group(people).boundary(alpha) >= Pure(people).tradeoff(alpha) - 1e-12


def test_a_groups_delta() -> None:
    part = Approx("0.4", "0.01")
    assert Region(part, 3).delta("0.8") < part.group(3).delta("0.8")
    for epsilon in ("0.5", "1.2"):
        assert Region(part, 3).delta(epsilon, looks=300) <= part.group(3).delta(epsilon)
        reached = max(
            1 - Region(part, 3).boundary(Fraction(n, 200)) - math.exp(float(epsilon)) * n / 200 for n in range(201)
        )
        assert Region(part, 3).delta(epsilon, looks=100) >= reached - 1e-12
    assert Region(Gdp(1), 2).delta(1) == Gdp(4).delta(1)
    assert Region(Gdp(1), 2).lies_within(Region(Gdp(1), 3))
    with pytest.raises(Refused, match="same loss"):
        Region(Gdp(1), 3).lies_within(Region(Gdp(1), 2))


def test_sampling_for_a_picture() -> None:
    points = Region(Gdp(1)).sample(11)
    assert points[0] == (0.0, 1.0)
    assert points[-1] == (1.0, 0.0)
    for alarms, misses in points[1:-1]:
        truth = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(alarms)) - 1)
        assert misses == pytest.approx(float(truth), abs=1e-9)
    assert Region(Approx("0.4", "0.1")).sample() == Region(Approx("0.4", "0.1")).vertices()
    with pytest.raises(Refused, match="straight lines"):
        Region(Gdp(1)).vertices()


def test_what_is_no_loss_is_refused() -> None:
    with pytest.raises(Refused):
        Region(1)  # type: ignore[arg-type]  # that is the point
    for people in (0, -1, 1.5, True):
        with pytest.raises(Refused):
            Region(Gdp(1), people)  # type: ignore[arg-type]  # likewise
