"""The privacy loss of a release: a bound on every test between two neighbouring data sets, and the neighbour relation.

`Loss` is the base class of every family. `Relation` says which two data sets are neighbours: the change that a release
hides. All losses of one sum must be stated under one relation (`demand_one_relation`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from tacit.errors import Refused
from tacit.exact import Number, probability
from tacit.frozen import frozen

if TYPE_CHECKING:
    from tacit.loss.families.approx import Approx
    from tacit.loss.families.gdp import Gdp
    from tacit.loss.families.zcdp import Zcdp

_First = TypeVar("_First")
_Second = TypeVar("_Second")


class Loss(ABC):
    """The cost of one release.

    Every answer is a sound bound: `epsilon`, `delta` and `rdp` are rounded up, `tradeoff` is rounded
    down. Both orders of the neighbouring pair are covered. Subclasses are frozen dataclasses whose
    parameters are exact fractions.
    """

    @abstractmethod
    def delta(self, epsilon: Number) -> float:
        """The least known δ for which the release is (ε, δ)-private; rounded up, at most 1."""

    @abstractmethod
    def epsilon(self, delta: Number) -> float:
        """The least known ε for which the release is (ε, δ)-private; rounded up, `inf` where there is none."""

    @abstractmethod
    def tradeoff(self, alpha: Number) -> float:
        """The least miss rate of any membership test with false-alarm rate α; rounded down."""

    @abstractmethod
    def rdp(self, order: Number) -> float:
        """The Rényi divergence of this order (> 1) in the worse direction; rounded up, `inf` where there is none."""

    @abstractmethod
    def group(self, people: int) -> Loss:
        """What the release costs a group of this many people, all hidden at once."""

    def delta_between(self, epsilon: Number) -> tuple[float, float]:
        """A bracket (lower, upper) of the worst δ at ε that this description permits.

        The lower end is 0 where a family knows only an upper bound.
        """
        return 0.0, self.delta(epsilon)

    def approx(self, delta: Number) -> Approx:
        """The same release as an (ε, δ) at the given δ, with ε rounded up; it is never tighter than the loss itself."""
        from tacit.loss.families.approx import Approx  # Approx is itself a Loss, so it cannot be imported above

        exact_delta = probability(delta, "delta")
        epsilon = self.epsilon(exact_delta)
        if not epsilon < math.inf:
            raise Refused(
                f"({self}) as (ε, δ) at δ = {float(exact_delta):g}",
                "No finite ε is known at this δ.",
                "a larger δ.",
            )
        return Approx(Fraction(epsilon), exact_delta, relation=demand_one_relation([self]))

    def zcdp(self) -> Zcdp:
        """The same release as (approximate) zCDP, where a ρ is known; it is never tighter than the loss itself."""
        from tacit.loss.families.approx import Pure  # as above

        worst = self.epsilon(0)
        if not worst < math.inf:
            raise Refused(
                f"({self}) as zCDP",
                "No ρ is known that bounds it at every Rényi order.",
                "a pure ε, an (ε, δ), or a family that states its ρ; or `rdp(order)` at the orders you need.",
            )
        return Pure(Fraction(worst), relation=demand_one_relation([self])).zcdp()

    def gdp(self) -> Gdp:
        """A Gaussian loss that dominates this one at every ε, where one is known."""
        from tacit.loss.families.approx import Pure  # as above

        worst = self.epsilon(0)
        if not worst < math.inf:
            raise Refused(
                f"({self}) as Gaussian privacy",
                "No μ is known whose curve lies above this one at every ε.",
                "a Gdp, or a loss with a finite pure ε.",
            )
        return Pure(Fraction(worst), relation=demand_one_relation([self])).gdp()

    def composed(self) -> tuple[tuple[Loss, int], ...]:
        """The releases that this loss is the composition of, each with its repetitions; itself where it is one."""
        return ((self, 1),)

    def core(self) -> tuple[Fraction, Loss]:
        """(δ, rest): outside an event of probability at most δ in each world, the release costs only `rest`."""
        return Fraction(0), self

    @property
    def relations(self) -> frozenset[Relation]:
        """The only neighbour relations that this loss is proven for; empty if its caller must state the relation.

        Every conversion of the loss has the same ones.
        """
        return frozenset()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def in_order(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """The losses sorted by family and exact parameters, so that the result does not depend on their order."""
    return tuple(sorted(losses, key=lambda loss: (type(loss).__name__, repr(sorted(vars(loss).items())))))


def a_loss(value: Loss) -> Loss:
    """The loss itself; anything else is refused."""
    if not isinstance(value, Loss):
        raise Refused(f"a loss of type {type(value).__name__}", "It is no loss.", "a `Loss`, such as Pure(1).")
    return value


def in_list(losses: Iterable[Loss]) -> list[Loss]:
    """The losses as a list; anything else is refused."""
    if not isinstance(losses, Iterable):
        raise Refused(f"losses of type {type(losses).__name__}", "They cannot be listed.", "a list of losses.")
    return [a_loss(loss) for loss in losses]


def in_pairs(pairs: Iterable[tuple[_First, _Second]], accepted: str) -> list[tuple[_First, _Second]]:
    """The pairs as a list; anything else is refused."""
    listed = list(pairs) if isinstance(pairs, Iterable) and not isinstance(pairs, str) else None
    if listed is None or not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in listed):
        raise Refused(f"a {type(pairs).__name__} that does not list pairs", "It cannot be read.", accepted)
    return listed


class Relation(Enum):
    """The neighbour relation a loss is stated under; the two give different numbers and are never mixed."""

    ADD_REMOVE = "add/remove"
    """One person is in the data or is not. How many people there are is itself private."""

    REPLACE = "replace"
    """One person's record becomes any other. How many people there are is public; a histogram moves by 2."""

    def __str__(self) -> str:
        return self.value


@frozen(init=False, repr=False, eq=False)
class Stated(Loss):
    """A loss that is known by its numbers.

    `relation` is set where the numbers come from a loss that is proven for one relation only, such as one on a sample:
    a conversion keeps it. It is None where the caller states the relation with the numbers. Two losses with equal
    numbers and different relations are different.
    """

    relation: Relation | None

    def _state(self, relation: Relation | None) -> None:
        if not (relation is None or isinstance(relation, Relation)):
            raise Refused(
                f"relation of type {type(relation).__name__}", "It is no neighbour relation.", "a `Relation`, or None."
            )
        object.__setattr__(self, "relation", relation)

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset() if self.relation is None else frozenset({self.relation})


def demand_one_relation(losses: Iterable[Loss], relation: Relation | None = None) -> Relation | None:
    """The relation that the losses state, or the one given; refused where there are two. None if no loss states one.

    A loss on a sample knows its relation. Under the other one its theorem is false, and its pair has a world with
    the person and one without: where one person leaves one sample and enters another, two such pairs meet in opposite
    orders, which can cost more than any product of them in the same order.
    """
    stated = {found for loss in losses for found in loss.relations} | ({relation} if relation else set())
    if not len(stated) <= 1:
        raise Refused(
            "losses on samples under both add/remove and replace",
            "A sum of losses hides one kind of change, and each of these losses is proven for its own kind only.",
            "losses that are all stated under one `Relation`.",
        )
    return next(iter(stated), None)
