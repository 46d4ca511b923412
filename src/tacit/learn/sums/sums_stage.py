"""A stage that releases bounded sums with exact noise: what is kept in the session, added up, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.learn.sums.bounded_sums import BoundedSums
from tacit.learn.sums.weighted_sums import WeightedSums
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Session, add_up
from tacit.query.execution.noisy_table import integers, key_columns
from tacit.query.plans.price import Price

Integers = NDArray[np.int64]

ONE_FACTOR: Final = "one factor a person scales all sums below a limit, however many rows, in the query itself"


def sums_law(limit: int, relation: Relation, price: Price, share: Fraction = Fraction(1)) -> RoundedGaussian:
    """The noise with which sums of a limited squared norm cost a share of a price.

    Claim: the release costs μ² = share·`price.strength` at most. Proof: neighbours differ by one person's vector, or
    under replace by two, so by a norm of √limit times 1 or 2; the Gaussian mechanism of variance v is then Gaussian
    differentially private with μ² = norm²/v, and v is rounded up. Rounding the noise is post-processing.
    """
    worlds = 2 if relation is Relation.REPLACE else 1
    return RoundedGaussian(Fraction(ceil(worlds**2 * limit / (price.strength * share))))


class SumsReader:
    """Sums of a session: rows are kept once, and so are the factors of people for one set of blocks."""

    def __init__(self, kept_sql: str) -> None:
        self._kept_sql = kept_sql
        self._session: Session | None = None
        self._factors: str | None = None

    def whole(self, session: Session, bounded: BoundedSums | WeightedSums) -> Integers:
        """All sums, block by block, cell by cell, value by value; a cell that the engine does not list has none."""
        if self._session is not session:
            session.keep(bounded.name, self._kept_sql)
            self._session, self._factors = session, None
        factors = bounded.factors_sql() if isinstance(bounded, BoundedSums) else None
        if isinstance(bounded, BoundedSums) and factors is not None and factors != self._factors:
            session.keep(bounded.factors_name, factors)
            self._factors = factors
        found = [np.zeros((block.cells, len(block.values)), np.int64) for block in bounded.blocks]
        for statement in bounded.statements():
            table = add_up(session, statement, is_few=True)
            blocks, cells = (np.array(column, np.intp) for column in key_columns(table, 2))
            for block in set(blocks.tolist()):
                own = blocks == block
                for place in range(found[block].shape[1]):
                    found[block][cells[own], place] = integers(table, f"y{place}")[own]
        return np.concatenate([each.ravel() for each in found])

    def noisy(
        self, session: Session, bounded: BoundedSums | WeightedSums, law: RoundedGaussian, bits: Bits
    ) -> Integers:
        """All sums plus noise, each its own draw."""
        whole = self.whole(session, bounded)
        return np.asarray(saturated_sum(whole, slabs(law).draw(whole.size, bits)), "<i8")


def read_sums(payloads: Sequence[bytes]) -> list[Integers]:
    """The noisy sums that stages stored."""
    return [np.frombuffer(each, "<i8") for each in payloads]
