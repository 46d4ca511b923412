"""Exact integer noise against NumPy's inexact floats and OpenDP's exact integers: vectors of a million."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from time import perf_counter

import numpy as np

from bench.claims import Claim, report
from bench.clock import ask_peer, take_turns
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.gaussian import DiscreteGaussian as DiscreteGaussianMechanism
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.bits import ENTROPY
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import DiscreteGaussianLaw, RoundedGaussian
from tacit.noise.slabs import slabs

SIZE = 1_000_000
SCALES = (1, 10**3, 10**6)
FLOOR = np.random.default_rng()


def against_numpy() -> list[Claim]:
    claims = []
    for scale in SCALES:
        for law, floor, target, peer in (
            (DiscreteLaplace(scale), FLOOR.laplace, 1.0, "laplace"),
            (RoundedGaussian(scale**2), FLOOR.normal, 1.2, "normal"),
            (DiscreteGaussianLaw(scale**2), FLOOR.normal, 1.2, "normal"),
        ):
            ours, theirs = take_turns([partial(law.draw, SIZE, ENTROPY), partial(floor, 0.0, scale, SIZE)])
            name = f"{type(law).__name__} at {scale:,} / NumPy {peer}"
            detail = f"{ours / SIZE * 1e9:.1f} ns against {theirs / SIZE * 1e9:.1f} ns a draw"
            claims.append(Claim(name, ours / theirs, target, True, detail))
    return claims


def against_opendp() -> list[Claim]:
    peer = ask_peer("opendp_noise.py")
    zeros = np.zeros(SIZE, np.int64)
    claims = []
    for scale in SCALES:
        one = Fraction(1)
        for mechanism, rival in (
            (Laplace(one, Relation.ADD_REMOVE, scale=Fraction(scale)), "laplace"),
            (Gaussian(one, Relation.ADD_REMOVE, variance=Fraction(scale) ** 2), "gaussian"),
            (DiscreteGaussianMechanism(one, Relation.ADD_REMOVE, sigma_squared=Fraction(scale) ** 2), "gaussian"),
        ):
            (ours,) = take_turns([partial(mechanism.release, zeros)], 5)
            theirs = peer[f"{rival} {scale}"]
            name = f"OpenDP {rival} / {type(mechanism).__name__} release at {scale:,}"
            detail = f"{theirs * 1e9:,.0f} ns against {ours / SIZE * 1e9:.1f} ns a value"
            claims.append(Claim(name, theirs / (ours / SIZE), 300, False, detail))
    return claims


def first_use() -> list[Claim]:
    claims = []
    for law in (DiscreteLaplace("1234.567"), RoundedGaussian("1234.567e3"), DiscreteGaussianLaw("7654.321e9")):
        slabs.cache_clear()
        start = perf_counter()
        law.draw(1, ENTROPY)
        taken = perf_counter() - start
        name = f"first use of a new {type(law).__name__} / 100 ms"
        claims.append(Claim(name, taken / 0.1, 1, True, f"{taken * 1e3:.0f} ms"))
    return claims


def main() -> None:
    report("Noise", against_numpy() + against_opendp() + first_use())
