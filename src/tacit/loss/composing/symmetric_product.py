"""The product of finite pairs that look the same from both worlds: several responses, exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from tacit.errors import Refused
from tacit.loss.pairs.finite_pair import Atom, FinitePair

_MOST_ATOMS = 600


def is_symmetric(pair: FinitePair) -> bool:
    """Whether swapping the two laws gives the same table, up to the order of its rows."""
    return Counter(pair.atoms) == Counter(Atom(a.weight_q, a.exponent_q, a.weight_p, a.exponent_p) for a in pair.atoms)


def symmetric_product(pairs: Iterable[FinitePair]) -> FinitePair:
    """(P₁×…×P_k, Q₁×…×Q_k), rows of equal likelihood ratio gathered: the exact cost of the k releases together.

    Claim: it dominates k releases with parameters fixed in advance (Zhu–Dong–Wang 2022). A pair may stand for its
    neighbours in either order; with symmetric pairs the order does not matter, and for others the orders of the parts
    might differ and the product would be too low: refused.
    """
    product = FinitePair((Atom(Fraction(1), Fraction(0), Fraction(1), Fraction(0)),))
    for pair in pairs:
        if not is_symmetric(pair):
            raise Refused(
                f"the product of ({pair}) with other pairs",
                "Its two directions differ, so a product must know which world is which.",
                "symmetric pairs, `Composition`, or the numeric accountant, which composes each direction.",
            )
        product = _times(product, pair)
        if not len(product.atoms) <= _MOST_ATOMS:
            raise Refused(
                f"a product of more than {_MOST_ATOMS} outputs",
                "Exact arithmetic on it would take too long.",
                "fewer parts, or the numeric accountant's bracket.",
            )
    return product


def _times(left: FinitePair, right: FinitePair) -> FinitePair:
    gathered: dict[tuple[Fraction, Fraction, Fraction | None], tuple[Fraction, Fraction]] = {}
    for a in left.atoms:
        for b in right.atoms:
            p, q = a.weight_p * b.weight_p, a.weight_q * b.weight_q
            if p or q:
                key = (a.exponent_p + b.exponent_p, a.exponent_q + b.exponent_q, p / q if q else None)
                before = gathered.get(key, (Fraction(0), Fraction(0)))
                gathered[key] = (before[0] + p, before[1] + q)
    return FinitePair(tuple(Atom(p, r, q, s) for (r, s, _), (p, q) in gathered.items()))
