"""One number released, after warm-up: Tacit against OpenDP."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from bench.claims import Claim, report
from bench.clock import ask_peer, take_turns
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace

CALLS = 2000


def release_often(mechanism: Laplace | Gaussian) -> None:
    for _ in range(CALLS):
        mechanism.release(5)


def main() -> None:
    peer = ask_peer("opendp_noise.py")
    claims = []
    for mechanism, rival in (
        (Laplace(Fraction(1), Relation.ADD_REMOVE, scale=Fraction(2)), "laplace"),
        (Gaussian(Fraction(1), Relation.ADD_REMOVE, variance=Fraction(4)), "gaussian"),
    ):
        (total,) = take_turns([partial(release_often, mechanism)])
        ours, theirs = total / CALLS, peer[f"{rival} scalar"]
        detail = f"{ours * 1e6:.1f} µs against {theirs * 1e6:.1f} µs"
        claims.append(Claim(f"{type(mechanism).__name__}.release(5) / OpenDP", ours / theirs, 0.3, True, detail))
    report("One release", claims)
