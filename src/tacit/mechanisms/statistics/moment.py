"""A moment of bounded values: what the mean and the variance have in common."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Self

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.relation import Relation
from tacit.mechanisms.statistics.bounds import Bounds
from tacit.mechanisms.statistics.public_size import check_people
from tacit.mechanisms.statistics.tally import Tally
from tacit.noise.grid import Grid


@frozen
class Moment(Tally):
    """A statistic of one value a person within declared bounds; `people` is the public n, under replace only."""

    lower: Number
    upper: Number
    people: int | None = None
    grid: Grid | None = None

    fineness: ClassVar[int]
    """How many bits of a value's place between the bounds are kept, where no grid is named."""

    def __post_init__(self) -> None:
        check_people(self.people, self.relation)
        super().__post_init__()

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, relation: Relation, lower: Number, upper: Number, people: int | None = None
    ) -> Self:
        """The statistic with the least noise that is ε-private."""
        return cls(Pure(epsilon), relation, lower, upper, people)

    @cached_property
    def bounds(self) -> Bounds:
        return Bounds.of(self.lower, self.upper, self.grid, self.fineness)
