"""A pair of laws on finitely many outputs: randomized response, and any other finite table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, cmp_to_key, partial
from typing import NamedTuple

from flint import arb

from tacit.errors import Refused
from tacit.exact import Number, exact, nonnegative, probability
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss
from tacit.loss.families.precision import sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.neyman_pearson import BestTests, ExponentialSum
from tacit.loss.pairs.pair import Pair
from tacit.noise.ball import Ball, ball, down, up


class Atom(NamedTuple):
    """One output: its mass under P is weight_p·e^exponent_p, under Q likewise, both before normalising."""

    weight_p: Fraction
    exponent_p: Fraction
    weight_q: Fraction
    exponent_q: Fraction

    @property
    def p(self) -> ExponentialSum:
        return ExponentialSum.of([(self.exponent_p, self.weight_p)])

    @property
    def q(self) -> ExponentialSum:
        return ExponentialSum.of([(self.exponent_q, self.weight_q)])


@frozen(repr=False)
class FinitePair(Pair):
    """The exact loss of (P, Q) on a finite set of outputs, in both directions, each computed for itself.

    Claim: a release whose neighbours' outputs are, in one order or the other, post-processings of P and Q costs
    at most this; the author of the table states the neighbour relation. By Neyman and Pearson the best test
    accepts the outputs in the order of p/q, so every answer is an optimum over those few sets. Masses are rational
    multiples of rational powers of e, so the order, and every comparison, is decided exactly.
    """

    atoms: tuple[Atom, ...]

    def __post_init__(self) -> None:
        if not (
            isinstance(self.atoms, Sequence) and all(isinstance(atom, tuple) and len(atom) == 4 for atom in self.atoms)
        ):
            why = "Each output is four numbers."
            raise Refused("a table that is no list of atoms", why, "a tuple of `Atom`s.")
        read = [_read(*atom) for atom in self.atoms]
        object.__setattr__(self, "atoms", tuple(atom for atom in read if atom.weight_p or atom.weight_q))
        if not (any(atom.weight_p for atom in read) and any(atom.weight_q for atom in read)):
            raise Refused("a law without mass", "It cannot be normalised.", "a positive weight in each law.")

    @cached_property
    def directions(self) -> tuple[BestTests, BestTests]:
        """The best tests of P against Q, and of Q against P."""
        ordered = sorted(self.atoms, key=cmp_to_key(_compare_ratios))
        p_total, q_total = self._totals
        if p_total == q_total:
            masses, scale = [(atom.p, atom.q) for atom in ordered], p_total
        else:
            masses, scale = [(atom.p * q_total, atom.q * p_total) for atom in ordered], p_total * q_total
        return BestTests.of(masses, scale), BestTests.of([(q, p) for p, q in reversed(masses)], scale)

    @cached_property
    def _totals(self) -> tuple[ExponentialSum, ExponentialSum]:
        return (
            ExponentialSum.of((atom.exponent_p, atom.weight_p) for atom in self.atoms),
            ExponentialSum.of((atom.exponent_q, atom.weight_q) for atom in self.atoms),
        )

    @cached_property
    def closed(self) -> Approx:
        """The largest finite loss, and the δ of outputs that only one law gives: one (ε, δ) that the pair satisfies."""
        loss = max(way.largest_loss() for way in self.directions)
        giveaway = max(way.giveaway() for way in self.directions)
        return Approx(loss, giveaway) if giveaway else Pure(loss)

    @property
    def pure_epsilon(self) -> Fraction | None:
        return None if self.closed.exact_delta else self.closed.exact_epsilon

    def satisfies(self, epsilon: Number, delta: Number) -> bool:
        """Whether the pair is (ε, δ)-private: decided exactly, ties included."""
        at, allowed = nonnegative(epsilon, "epsilon"), probability(delta, "delta")
        return not any((way.advantage(at) - way.scale.scaled(allowed)).is_positive() for way in self.directions)

    def delta_ball(self, epsilon: Fraction) -> Ball:
        forth, back = (way.advantage(epsilon).ball() / way.scale.ball() for way in self.directions)
        return forth.max(back)

    def delta(self, epsilon: Number) -> float:
        at = nonnegative(epsilon, "epsilon")
        low, high = self.delta_between(at)
        return _least_float(low, high, lambda delta: self.satisfies(at, delta))

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        if self.satisfies(0, allowed):
            return 0.0
        forth, back = (sharp(partial(way.epsilon_ball, allowed)) for way in self.directions)
        worst = forth.max(back)
        return _least_float(max(0.0, down(worst)), up(worst), lambda epsilon: self.satisfies(epsilon, allowed))

    def tradeoff(self, alpha: Number) -> float:
        """The lower of the two directions' curves: each convex, the lower of them perhaps not."""
        at = probability(alpha, "alpha")
        return max(0.0, min(down(sharp(partial(way.miss_ball, at))) for way in self.directions))

    def rdp_ball(self, order: Fraction) -> Ball:
        p_log, q_log = (total.ball().log() for total in self._totals)
        forth, back = arb(0), arb(0)
        for atom in self.atoms:
            if not (atom.weight_p and atom.weight_q):
                return arb.pos_inf()
            p = ball(atom.weight_p).log() + ball(atom.exponent_p) - p_log
            q = ball(atom.weight_q).log() + ball(atom.exponent_q) - q_log
            forth += (p + ball(order - 1) * (p - q)).exp()
            back += (q + ball(order - 1) * (q - p)).exp()
        return forth.max(back).log() / ball(order - 1)

    def core(self) -> tuple[Fraction, Loss]:
        """Set apart the outputs that only one law gives; without them a pair of finite loss is left."""
        shared = tuple(atom for atom in self.atoms if atom.weight_p and atom.weight_q)
        return self.closed.exact_delta, FinitePair(shared) if shared else Pure(0)

    def zcdp(self) -> Zcdp:
        return self.closed.zcdp()

    def group(self, people: int) -> Approx:
        """The closed bound for any release with the pair's own (ε, δ).

        The pair alone says nothing about longer chains.
        """
        return self.closed.group(people)

    def __str__(self) -> str:
        return f"a pair of finite laws, {self.closed}"


def _read(weight_p: Number, exponent_p: Number, weight_q: Number, exponent_q: Number) -> Atom:
    return Atom(
        nonnegative(weight_p, "weight_p"),
        exact(exponent_p, "exponent_p"),
        nonnegative(weight_q, "weight_q"),
        exact(exponent_q, "exponent_q"),
    )


def _compare_ratios(left: Atom, right: Atom) -> int:
    """Negative where p/q is larger on the left, 0 where it is the same: cross-multiplied, the normalisers cancel."""
    difference = left.p * right.q - right.p * left.q
    return 0 if not difference.terms else -1 if difference.is_positive() else 1


def _least_float(low: float, high: float, claim: Callable[[Fraction], bool]) -> float:
    """The least float at which a claim holds, known to lie between two floats a few steps apart.

    The claim is tested for the value of the float, not for the decimal that it is written as.
    """
    while low < high and not claim(Fraction(low)):
        low = math.nextafter(low, math.inf)
    return low
