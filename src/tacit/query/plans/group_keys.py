"""Group keys: the public values of keys, and the rules that show private keys.

`KeyRule` shows keys that, by their noisy weight, certainly belong to several people. `GeometricRule` shows each key
with the best probability that (ε, δ) permits, where a query asks for keys only.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import isqrt, prod
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.ball import ball, first_true, less
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.clamp import Cut, one_where, spread
from tacit.schema.kind import Key, Kind

if TYPE_CHECKING:
    from tacit.mechanisms.selection.key_selection import KeySelection

MOST_GROUPS = 1_000_000


@frozen
class KeyColumn:
    """An expression of GROUP BY. `domain` lists all its values, NULL among them if it can occur; None: private."""

    name: str  # its canonical SQL
    sql: str
    kind: Kind
    scale: int
    domain: tuple[Key | None, ...] | None
    column: str | None = None  # the column's name where the key is a bare column


def public_groups(keys: Iterable[KeyColumn]) -> list[tuple[Key | None, ...]] | None:
    """Every combination of public keys, in their order; None if any key is private."""
    domains = [key.domain for key in keys]
    known = [domain for domain in domains if domain is not None]
    if len(known) < len(domains):
        return None
    size = prod(len(domain) for domain in known)
    if not size <= MOST_GROUPS:
        raise Refused(
            f"a table of {size:,} groups",
            "Every combination of public keys is shown, empty ones too.",
            f"at most {MOST_GROUPS:,} combinations: coarser keys, or fewer of them.",
        )
    return list(product(*known))


FULL = 256  # the weight of a person who holds one key, in its own units
MOST_KEYS = 512  # the most keys of one person, unless the steward declares another number


@frozen
class KeyRule:
    """Each person spreads a weight of ℓ₂ norm at most 1 over the keys they hold: ⌊256/√k⌋ units on each of k keys.

    A person with more than `most` keys has no weight. A key is shown if its weight plus Gaussian noise reaches the
    threshold; a key of weight 0 is never shown. Claim, under add/remove and under replace: (a) one person's weights
    have norm at most the radius of `noise`; (b) keys that one person alone holds are shown, any of them, with
    probability at most δ. Outside that event neighbours show the same keys from the same list, which is
    post-processing of the noisy weights.

    Proof of (b): a person with k ≤ most keys puts at most w = 256/√k on each, so some key is shown with probability
    at most k·P(w + noise ≥ threshold) = (256/w)²·tail(threshold − w), by the very predicate that shows keys. Its
    logarithm is convex in w as long as w ≤ √2·σ, for there −2·ln w bends more than the normal tail does (whose
    hazard rate never rises faster than 1); so it is largest at one of the ends, k = 1 and k = most, and the threshold
    is the least at which both are at most δ. Beyond √2·σ, where weights dwarf the noise, every k is tried.
    """

    noise: NoiseShare
    delta: Fraction
    most: int = MOST_KEYS

    @property
    def unit(self) -> int:
        """Units of the law for one unit of weight."""
        return self.noise.radius // FULL

    @cached_property
    def threshold(self) -> int:
        """The least noisy weight that is shown, in units of the law."""
        law = self.noise.law
        if not isinstance(law, RoundedGaussian):
            raise TypeError("keys are chosen with Gaussian noise")
        return _threshold(law, self.unit, self.delta, self.most)

    def weight(self, keys: str) -> Cut:
        """The weight on each key of a person who holds this many."""
        return spread(FULL, keys).scaled(self.unit, 1).where(f"{keys} <= {self.most}")

    def shown(self, weights: NDArray[np.int64], bits: Bits) -> NDArray[np.bool_]:
        """Which keys are shown, from their weights."""
        noisy = saturated_sum(weights.copy(), slabs(self.noise.law).draw(weights.size, bits))
        return (weights > 0) & (noisy >= self.threshold)

    def people(self) -> int:
        """The approximate number of people with only this key at which it is shown with probability ½."""
        return -(-self.threshold // (FULL * self.unit))


def weight_up(keys: int, unit: int) -> int:
    """The largest weight of one of so many keys, 256/√k in units of the law, rounded up."""
    return isqrt((FULL * unit) ** 2 // keys) + 1


@lru_cache(maxsize=256)
def _threshold(law: RoundedGaussian, unit: int, delta: Fraction, most: int) -> int:
    is_convex = (FULL * unit) ** 2 <= 2 * law.variance
    held = {1, most} if is_convex else range(1, most + 1)
    return max(_least(law, weight_up(keys, unit), delta / keys) for keys in held)


def _least(law: RoundedGaussian, weight: int, chance: Fraction) -> int:
    """The least threshold that one key of this weight reaches with at most this probability."""
    guess = weight - round(NormalDist(0, law.width).inv_cdf(float(chance))) - 2 - int(law.width) // 2**44

    def holds(threshold: int) -> bool:
        return less(lambda: law.tail(threshold - weight), lambda: ball(chance))

    return guess + first_true(lambda extra: holds(guess + extra))


@frozen
class GeometricRule:
    """The truncated-geometric rule: a key that n people hold is shown with probability π(n), see `KeySelection`.

    A person with more than `most` keys does not count. Claim: the keys shown are (ε, δ)-private, by `KeySelection`,
    since the emitted SQL counts each person at most once in at most `most` keys.
    """

    target: Approx
    relation: Relation
    most: int

    @cached_property
    def selection(self) -> KeySelection:
        from tacit.mechanisms.selection.key_selection import KeySelection  # imported late, because few queries need it

        return KeySelection(self.target, self.relation, self.most)

    def weight(self, keys: str) -> Cut:
        """Whether a person who holds this many keys counts."""
        return one_where(f"{keys} <= {self.most}")

    def shown(self, people: NDArray[np.int64], bits: Bits) -> NDArray[np.bool_]:
        """Which keys are shown, from the number of their people."""
        return self.selection.kept(people, bits)

    def people(self) -> int:
        """The number of people at which a key is shown with probability ½."""
        return self.selection.surely("0.5")
