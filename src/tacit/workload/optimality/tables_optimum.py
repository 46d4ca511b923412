"""opt(W) of counts by public keys, in closed form: the best that any factorisation can do for tables.

Attributes i have n_i public values; cells are all combinations. Table A, a set of attributes, has a count for each
combination of their values, and weighs w_A: the error is Σ_A w_A·(total variance of table A). For a set B let

    p_B = Π_{i∈B} (n_i − 1)/n_i,   v_B = Σ_{A⊇B} w_A · Π_{i∈B} (n_i − 1) · Π_{i∈A∖B} 1/n_i.

Claim: opt(W) = (Σ_B √(v_B·p_B))², over all factorisations, not only over the residual basis (`unbiased` has opt).
Proof. The weighted workload has V = WᵀW = Σ_A w_A · ⊗_{i∈A} I ⊗_{i∉A} J, J all ones. Permuting the values of an
attribute changes neither V nor the constraint X_jj ≤ 1, and tr(V X⁻¹) is convex in X: so the average of an optimal X
over all such permutations is optimal too. It commutes with them. On each attribute the permutations leave but two
spaces invariant, the constants and their complement, and these are irreducible and different; so what commutes with
all is X = Σ_B x_B P_B with P_B = ⊗_{i∈B} (I − J/n_i) ⊗_{i∉B} J/n_i, the residual projectors. Let d_B = Π_B (n_i − 1)
be the rank of P_B, d the number of cells, λ_B = Σ_{A⊇B} w_A Π_{i∉A} n_i the eigenvalue of V. A diagonal entry of P_B
is d_B/d. So opt = min { Σ λ_B d_B/x_B : Σ x_B d_B/d ≤ 1 } = (Σ_B d_B √λ_B)²/d by Cauchy and Schwarz, and λ_B d_B²/d =
v_B·p_B. ∎

Under replace, one row a person, neighbours differ by w_j − w_i. Claim: then opt(W) ≥ (Σ_{B≠∅} √(v_B·p_B·f_B))², with
f_B = 2d/(d − 1) for every B, and with f_B = 2 − 2·Π_{i∈B} (−1/(n_i − 1)). Proof. As above X = Σ_B x_B P_B. In the mean
over all i ≠ j, and for i and j that differ in every attribute (of more than one value), (e_j − e_i)ᵀX(e_j − e_i) ≤ 1 is
Σ x_B·d_B·f_B/d ≤ 1 over B ≠ ∅: the rows of P_B add up to 0, those of P_∅ are alike, and where all values differ an
entry of P_B is d_B/d·Π_{i∈B} (−1/(n_i − 1)). Cauchy and Schwarz. ∎

A release is meant that takes every combination of values for possible. Where some are known not to be (structural
zeros), the symmetry is broken, and a release that uses it may be below this number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod

from tacit.errors import Refused
from tacit.exact import whole
from tacit.noise.ball import START_BITS, ball, fraction_down, precision


def residual_optimum_down(variances: Iterable[Fraction], prices: Iterable[Fraction]) -> Fraction:
    """(Σ √(v·p))² over the residuals, rounded down: opt(W), with the v and p of each."""
    pairs = list(zip(variances, prices, strict=True))
    if not (all(v >= 0 and p >= 0 for v, p in pairs) and any(v * p > 0 for v, p in pairs)):
        raise Refused(
            "these residuals", "A variance or a price is negative, or all are 0.", "v ≥ 0, p ≥ 0, some above."
        )
    with precision(START_BITS):
        return fraction_down(sum((ball(v * p).sqrt() for v, p in pairs), ball(0)) ** 2)


def tables_optimum_down(
    sizes: Sequence[int], weights: Mapping[tuple[int, ...], Fraction], *, is_replaced: bool = False
) -> Fraction:
    """opt(W) of tables, each named by the places of its attributes in `sizes`, rounded down; 0 says nothing."""
    known = [whole(size, "size", 1) for size in sizes]
    variances: dict[frozenset[int], Fraction] = {}
    for table, weight in weights.items():
        if not weight >= 0:
            raise Refused(f"a weight of {weight}", "It is not a weight.", "a number of at least 0.")
        for chosen in _subsets(table):
            own = weight * prod(known[i] - 1 for i in chosen) / prod(known[i] for i in table if i not in chosen)
            variances[chosen] = variances.get(chosen, Fraction(0)) + own
    prices = {each: Fraction(prod(known[i] - 1 for i in each), prod(known[i] for i in each)) for each in variances}
    if not is_replaced:
        return residual_optimum_down(variances.values(), prices.values())
    cells = prod(known[i] for i in {place for table in weights for place in table})
    moved = [each for each in variances if each and variances[each] * prices[each] > 0]
    if not moved:
        return Fraction(0)
    even = [Fraction(2 * cells, cells - 1) for _ in moved]
    apart = [2 - 2 * prod((Fraction(-1, known[i] - 1) for i in each), start=Fraction(1)) for each in moved]
    return max(
        residual_optimum_down(
            [variances[each] * factor for each, factor in zip(moved, factors, strict=True)],
            [prices[each] for each in moved],
        )
        for factors in (even, apart)
        if any(factors)
    )


def _subsets(table: Iterable[int]) -> Iterable[frozenset[int]]:
    places = sorted(set(table))
    return (frozenset(each) for size in range(len(places) + 1) for each in combinations(places, size))
