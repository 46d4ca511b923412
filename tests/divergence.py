"""A test of a claimed loss on the exact output laws of all neighbours of a small domain (R10)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

from tacit.loss.families.loss import Loss

ROUND_OFF = 1e-12
EPSILONS = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
ORDERS = (1.25, 1.5, 2.0, 3.0, 8.0, 32.0)

Law = Mapping[Hashable, float]
"""Output → probability. Outputs left out must have less than ROUND_OFF mass altogether."""


def hockey_stick(p: Law, q: Law, epsilon: float) -> float:
    """The least δ at this ε, in one direction, over the listed outputs."""
    return math.fsum(max(0.0, mass - math.exp(epsilon) * q.get(output, 0.0)) for output, mass in p.items())


def renyi(p: Law, q: Law, order: float) -> float:
    """The Rényi divergence of this order, in one direction, over the outputs that carry any weight worth the float."""
    terms = []
    for output, mass in p.items():
        if mass < 1e-280:
            continue
        other = q.get(output, 0.0)
        if other == 0.0:
            return math.inf
        terms.append(order * math.log(mass) + (1 - order) * math.log(other))
    top = max(terms)
    return (top + math.log(math.fsum(math.exp(term - top) for term in terms))) / (order - 1)


def violations(loss: Loss, pairs: Iterable[tuple[Law, Law]]) -> list[str]:
    """The neighbours whose laws are farther apart than the loss permits; empty if the claim holds."""
    found = []
    deltas = {epsilon: loss.delta(epsilon) for epsilon in EPSILONS}
    divergences = {order: loss.rdp(order) for order in ORDERS}
    pure = loss.epsilon(0)
    for forward, backward in pairs:
        for p, q in ((forward, backward), (backward, forward)):
            found += [
                f"δ({epsilon}) = {hockey_stick(p, q, epsilon):.6g} > {bound:.6g}"
                for epsilon, bound in deltas.items()
                if not hockey_stick(p, q, epsilon) <= bound + ROUND_OFF
            ]
            found += [
                f"Rényi({order}) = {renyi(p, q, order):.6g} > {bound:.6g}"
                for order, bound in divergences.items()
                if bound < math.inf and not renyi(p, q, order) <= bound * (1 + 1e-9) + 1e-9
            ]
            if pure < math.inf and not hockey_stick(p, q, pure) <= ROUND_OFF:
                found.append(f"pure ε = {pure:.6g} exceeded")
    return found
