"""Which private keys are shown where nothing else is asked: each with the best probability that (ε, δ) permits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.lowering.clamp import Cut, one_where

if TYPE_CHECKING:
    from tacit.mechanisms.selection.key_selection import KeySelection


@frozen
class GeometricRule:
    """The truncated-geometric rule: a key that n people hold is shown with probability π(n), see `KeySelection`.

    Whoever holds more than `most` keys does not count. Claim: the keys shown are (ε, δ)-private, by `KeySelection`,
    since the emitted SQL counts each person at most once in at most `most` keys.
    """

    target: Approx
    relation: Relation
    most: int

    @cached_property
    def selection(self) -> KeySelection:
        from tacit.mechanisms.selection.key_selection import KeySelection  # few queries need it

        return KeySelection(self.target, self.relation, self.most)

    def weight(self, keys: str) -> Cut:
        """Whether a person who holds this many keys counts."""
        return one_where(f"{keys} <= {self.most}")

    def shown(self, people: NDArray[np.int64], bits: Bits) -> NDArray[np.bool_]:
        """Which keys are shown, from the number of their people."""
        return self.selection.kept(people, bits)

    def people(self) -> int:
        """How many people a key needs to be shown as often as not."""
        return self.selection.surely("0.5")
