"""The subject of an audit: a mechanism that releases answers about data, its claim, and its known structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.neighbours import Domain
from tacit.audit.worlds import SampledLosses, Worlds
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss, Relation
from tacit.noise.bits import Bits, Integers
from tacit.noise.law import Law

Data: TypeAlias = Any
Outputs: TypeAlias = NDArray[Any]
Norm: TypeAlias = Literal["l1", "l2", "linf"]


@frozen
class AdditiveStructure:
    """The structure of an additive mechanism: integers that depend on the data, plus noise that does not."""

    statistic: Callable[[Data], Sequence[int]]
    """The integers that noise is added to, in grid steps."""

    sensitivity: Fraction
    """Their declared sensitivity, in this norm."""

    norm: Norm

    law: Law
    """The claimed law of each coordinate's noise."""

    noise: Callable[[int, Bits], Integers]
    """Draws of the noise that is added."""


@frozen
class Raised:
    """An error instead of an answer, as an observer sees it."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


@frozen(eq=False)
class AuditSubject:
    """A mechanism under audit.

    `release` makes one answer from data and bits; code with its own randomness may ignore the bits. `many` makes an
    array of independent answers, one per row, where that is faster. `pairs` are neighbouring data to try; stages that
    search for worse ones start there. `additive` is its structure; a black box has none.
    """

    name: str
    claim: Loss
    relation: Relation
    release: Callable[[Data, Bits], Any]
    pairs: Sequence[tuple[Data, Data]]
    many: Callable[[Data, int, Bits], Outputs] | None = None
    additive: AdditiveStructure | None = None
    universe: Sequence[Any] = ()
    """The possible rows, where data are lists of rows: stages that enumerate neighbours use them."""
    note: str = ""
    """Its known fault, for controls."""
    domain: Domain | None = None
    """All neighbours of the claim, where they can be generated, for the search for bad ones."""
    worlds: Worlds | SampledLosses | None = None
    """The laws of the answers on some pair of neighbours, where they can be enumerated or sampled with their loss."""

    ladder: Sequence[tuple[Data, Data]] = ()
    """Further pairs, for the stages in which a pair is cheap."""

    def sample(self, data: Data, count: int, bits: Bits) -> Outputs:
        """So many independent answers, one per row."""
        if self.many is not None:
            return self.many(data, count, bits)
        answers = self.answers(data, count, bits)
        try:
            return np.asarray(answers)
        except ValueError:  # answers of different lengths
            return np.fromiter(answers, object, count)

    def answers(self, data: Data, count: int, bits: Bits) -> list[Any]:
        """So many answers as a list, each with its own type; an error is an answer too."""
        if self.many is not None:
            return list(self.many(data, count, bits).tolist())
        return [self._answered(data, bits) for _ in range(count)]

    def _answered(self, data: Data, bits: Bits) -> Any:
        try:
            return self.release(data, bits)
        except (Exception, SystemExit) as error:  # an exception of the audited code is part of its output
            return Raised(type(error).__name__, str(error))
