"""Norms, factors and sums of gradients against float64: each step of the proof, with numbers that attack it."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from tests.learn.sgd.networks import MAKERS, autograd_gradients, batch_of, exact_gradients, sums_of, whole_numbers

from tacit.learn.sgd.clipped_sums import PeopleBatch
from tacit.learn.sgd.error_bound import ErrorBound, gamma, most_people
from tacit.learn.sgd.gradient_parts import PartSize, ProductPart

pytestmark = pytest.mark.xdist_group("torch")


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("rows_each", [1, 5])
def test_gradients_are_those_of_torch(name: str, rows_each: int) -> None:
    sums, batch = sums_of(name, 7, rows_each), batch_of(name, 7, rows_each, 4)
    found, truth = exact_gradients(sums, batch), autograd_gradients(sums, batch)
    assert float((found - truth).norm() / truth.norm()) < 1e-5
    squared = sum(part.squared for part in sums.parts(batch))
    assert torch.allclose(squared.double(), truth.square().sum(1), rtol=1e-4)
    absolute = sum(part.absolute for part in sums.parts(batch))
    assert (absolute >= squared * (1 - 1e-5)).all()


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("rows_each", "clip"), [(1, "0.01"), (5, "0.01"), (5, "10")])
def test_sums_are_within_the_proven_error(name: str, rows_each: int, clip: str) -> None:
    """Factors keep norms below `inner`, and whole numbers are as near to the exact sum as steps 2 and 4 say."""
    sums = sums_of(name, 32, rows_each, clip)
    bound = sums.bound
    for seed in range(3):
        batch = batch_of(name, 32, rows_each, seed, size=10.0**seed)
        gradients = exact_gradients(sums, batch)
        factors = sums.factors(sums.parts(batch), batch)[0].double()
        assert float((factors * gradients.norm(dim=1)).max()) <= bound.inner
        truth = (factors[:, None] * gradients).sum(0) / float(bound.step)
        error = float((whole_numbers(sums, batch).double() - truth).norm())
        allowed = bound.eta / 2 * Fraction(bound.inner) / bound.step
        assert error <= float(allowed) + bound.dimension**0.5 / 2


def test_rows_that_cancel_are_clipped_by_what_they_could_be() -> None:
    """Two rows whose gradients differ in the last bit: a norm in float32 is noise, and its bound still holds."""
    sums = sums_of("dense", 4, 2, "0.5")
    maker = torch.Generator().manual_seed(1)
    given, own = torch.randn(4, 1, 6, generator=maker), 1e4 * torch.randn(4, 1, 8, generator=maker)
    part = ProductPart(torch.cat([given, given * (1 + 2.0**-20)], 1), torch.cat([own, -own], 1))
    batch = PeopleBatch(torch.zeros(4, 2, 6), torch.zeros(4, 2, dtype=torch.int64), torch.ones(4, 2))
    factors = sums.factors([part], batch)[0].double()
    exact = torch.einsum("pso,psi->poi", part._gradient.double(), part._given.double()).flatten(1).norm(dim=1)
    absolute = (part._gradient.double().norm(dim=2) * part._given.double().norm(dim=2)).sum(1)
    assert (exact < absolute / 1e5).all()
    assert float((factors * exact).max()) <= sums.bound.inner
    assert float((factors * absolute).max()) <= sums.bound.reach * sums.bound.inner
    assert float((factors * absolute).max()) > 0.99 * sums.bound.reach * sums.bound.inner


def test_a_sum_in_the_worst_order_is_within_gamma() -> None:
    """Large numbers that cancel in a sum of 1,024: the error exceeds one rounding, and not γ of as many."""
    maker = torch.Generator().manual_seed(2)
    for _ in range(20):
        given = torch.randn(1024, 1, 3, generator=maker) * 10 ** (4 * torch.rand(1024, 1, 1, generator=maker))
        own = torch.randn(1024, 1, 2, generator=maker)
        found = ProductPart(given, own).summed(torch.ones(1024), None).double()
        exact = torch.einsum("pso,psi->oi", own.double(), given.double())
        absolute = torch.einsum("pso,psi->oi", own.double().abs(), given.double().abs())
        assert bool(((found - exact).abs() <= float(gamma(1025)) * absolute).all())


def test_the_clip_inside_is_what_the_claim_needs() -> None:
    """inner·(1 + η) + √d·step + underflow is the clip, and no more; η stays below 2% where the size is chosen."""
    for sizes, dimension in (([PartSize(1, 1_024)], 318_000), ([PartSize(12, 64), PartSize(0, 512)], 5_000)):
        for clip in (Fraction(1, 1000), Fraction(1), Fraction(50)):
            bound = ErrorBound(clip, most_people(sizes, dimension, clip), tuple(sizes), dimension)
            whole = Fraction(bound.inner) * (1 + bound.eta) / bound.step
            assert 0 <= bound.sensitivity - whole - Fraction(dimension**0.5) < bound.sensitivity / 10**6
            assert bound.eta <= Fraction(1, 50)
            assert 2**-11 < dimension**0.5 * bound.step / clip <= 1 / 2**10
