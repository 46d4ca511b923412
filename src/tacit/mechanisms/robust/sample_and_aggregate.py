"""Sample and aggregate: any function of people's records, run on random blocks; the results are combined privately."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.mechanism import Answer, Mechanism
from tacit.mechanisms.robust.inverse_median import InverseMedian, QuantileAnswer
from tacit.mechanisms.robust.public_range import PublicRange, check_span
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow, permutation


@frozen
class SampleAndAggregate(Mechanism[Sequence[Any], Answer]):
    """Splits people at random into `blocks` blocks, runs `function` on each, and combines the results privately.

    Claim: the release costs what `aggregate` costs when one of its `blocks` inputs is replaced, whatever `function`
    does (Nissim, Raskhodnikova and Smith 2007). Proof: the split is independent of the records, so couple the splits of
    two neighbours and condition on them; then one result at most differs, and divergences are jointly (quasi-)convex.
    Under replace the split is a uniformly random one into blocks of equal size (within one), the same for both. Under
    add/remove each person draws a block independently, so that the others' blocks do not depend on who is in the data.
    (A split into equal sizes would not do: its sizes change with the number of people, and where the newcomer is not in
    the block that grew, somebody else has moved: two results differ.)

    `function` must depend on its block alone: no state, no output of its own. What it raises or returns that is not a
    number counts as zero; results go to the nearest point of the range. `error` is about the
    combined result of the blocks, not about the function of all people.
    """

    function: Callable[[Any], Any]
    blocks: int
    span: PublicRange
    relation: Relation
    aggregate: InverseMedian | Laplace

    def __post_init__(self) -> None:
        super().__post_init__()
        check_span(self.span)
        object.__setattr__(self, "blocks", whole(self.blocks, "blocks", 1))
        if not callable(self.function):
            kind = type(self.function).__name__
            raise Refused(f"a function of type {kind}", "It cannot be called on a block.", "a function of a block.")
        sound = isinstance(self.aggregate, Mechanism) and self.aggregate.relation is Relation.REPLACE
        if isinstance(self.aggregate, Laplace):
            sound &= self.aggregate.grid is None and self.aggregate.sensitivity >= self.span.size - 1
        else:
            sound &= isinstance(self.aggregate, InverseMedian) and self.aggregate.span == self.span
        if not sound:
            raise Refused(
                "an aggregate that was made for something else",
                "One block's result may become any other in the range.",
                "by_median or by_mean, which make it.",
            )

    @classmethod
    def by_median(
        cls, epsilon: Number, function: Callable[[Any], Any], blocks: int, span: PublicRange, relation: Relation
    ) -> SampleAndAggregate:
        """Combines the blocks' results by a private median."""
        median = InverseMedian(positive(epsilon, "epsilon"), span, Relation.REPLACE)
        return cls(function, blocks, span, relation, median)

    @classmethod
    def by_mean(
        cls, epsilon: Number, function: Callable[[Any], Any], blocks: int, span: PublicRange, relation: Relation
    ) -> SampleAndAggregate:
        """Combines the blocks' results by their mean and Laplace noise."""
        check_span(span)
        total = Laplace.for_epsilon(epsilon, max(1, span.size - 1), Relation.REPLACE)
        return cls(function, blocks, span, relation, total)

    @property
    def loss(self) -> Loss:
        return self.aggregate.loss

    def error(self, confidence: Number = "0.95") -> float:
        """For a mean the exact quantile of the noise, in the results' unit; for a median its miss in ranks."""
        if isinstance(self.aggregate, InverseMedian):
            return self.aggregate.error(confidence)
        return float(Fraction(self.aggregate.error(confidence)) / self.blocks * self.span.grid.step)

    def split(self, people: int, bits: Bits) -> Integers:
        """The block of each person."""
        if self.relation is Relation.ADD_REMOVE:
            return UniformBelow(self.blocks).draw(people, bits)
        order = permutation(people, bits)
        blocks = np.empty(people, np.int64)
        blocks[order] = np.arange(people) % self.blocks
        return blocks

    def results(self, records: Sequence[Any], blocks: Integers) -> Integers:
        """The function's result on each block, in steps of the range."""
        found = [self._run(_pick(records, np.flatnonzero(blocks == block))) for block in range(self.blocks)]
        return self.span.steps(np.array(found, np.float64))

    def combine(self, results: Integers, bits: Bits) -> float:
        """The private summary of the blocks' results."""
        if isinstance(self.aggregate, InverseMedian):
            return self.aggregate.privatize(self.span.grid.place(results), bits)
        total = int(self.aggregate.privatize(sum(int(result) for result in results), bits))
        inside = min(max(Fraction(total, self.blocks), Fraction(self.span.first)), Fraction(self.span.last))
        return float(inside * self.span.grid.step)

    def privatize(self, value: Sequence[Any], bits: Bits) -> float:
        if not (isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim > 0)):
            kind = type(value).__name__
            raise Refused(f"records of type {kind}", "They cannot be taken one by one.", "a list, a tuple or an array.")
        return self.combine(self.results(value, self.split(len(value), bits)), bits)

    def answer(self, private: float) -> Answer:
        """The answer; for a median its error is in ranks."""
        return (QuantileAnswer if isinstance(self.aggregate, InverseMedian) else Answer)(private, self)

    def _run(self, block: Any) -> float:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return float(self.function(block))
        except KeyboardInterrupt:
            raise
        except BaseException:  # even SystemExit from the function must not reveal a record
            return float("nan")


def _pick(records: Sequence[Any] | NDArray[Any], places: Integers) -> Any:
    if isinstance(records, np.ndarray):
        return records[places]
    return [records[int(place)] for place in places]
