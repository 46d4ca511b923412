"""A plan: the question below the noise, its limits, and the shares of its price. It has no data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from fractions import Fraction
from functools import cached_property

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Distinct, Measure, Part, Ranks
from tacit.query.aggregates.comoments import Comoment
from tacit.query.aggregates.moments import Mean
from tacit.query.aggregates.variance import Variance
from tacit.query.plans.group_keys import MOST_KEYS, public_groups
from tacit.query.plans.limit import CUTTING_NOBODY, AmountCounts, IntervalKind, Limit, Origin
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.sql.rows import Ownership
from tacit.schema.kind import Key

KEYS = Fraction(1, 2)  # the weight of choosing private keys, relative to a column
FINDING = Fraction(1, 10)  # share of the price to find limits
USUAL_FINDING = Fraction(2, 5)  # the same for usual intervals, which also need the clipping bias
BESIDE_PROFILE = Fraction(1, 4)  # the same where a profile provides part of it
_OF_SEVERAL = (Mean, Variance, Comoment)  # aggregates that are read from several sums together


@frozen
class Plan:
    """The parts counted, how much of one person counts, and the share of the price of each block of noise."""

    question: Question
    relation: Relation
    unit: str  # the unit in words
    limits: Mapping[Part, Limit]
    most_keys: int = MOST_KEYS  # the most keys of a person who counts in showing private keys
    interval: IntervalKind = IntervalKind.BOUNDED
    at_most: Mapping[Part, Fraction] = field(default_factory=dict)  # the norm of the most that a person can have
    evidence: Mapping[Part, AmountCounts] = field(default_factory=dict)  # what a profile says of people's amounts
    caps: Mapping[Part, AmountCounts] = field(default_factory=dict)  # the same of all rows, where some are asked for
    is_beside_profile: bool = False  # whether that is so much that a smaller share finds limits: it sets `strength`

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.question.measures

    @property
    def ranks(self) -> tuple[Ranks, ...]:
        return self.question.ranks

    @property
    def distincts(self) -> tuple[Distinct, ...]:
        return self.question.distincts

    @property
    def unknown(self) -> tuple[Part, ...]:
        """The parts whose limits must be found."""
        return tuple(part for part in self.question.parts if self.limits[part].norm is None)

    @property
    def binned(self) -> tuple[Part, ...]:
        """The parts for which people are counted by amount: to find limits, or what limits cut off."""
        if self.interval is not IntervalKind.USUAL:
            return self.unknown
        return tuple(part for part in self.question.parts if self.limits[part].origin not in CUTTING_NOBODY)

    @property
    def has_finding(self) -> bool:
        """Whether a share of the price is for counting people by amount."""
        return bool(self.binned) or any(limit.origin is Origin.FOUND for limit in self.limits.values())

    @property
    def has_at_most(self) -> bool:
        """Whether a limit is an at_most."""
        return any(limit.origin is Origin.AT_MOST for limit in self.limits.values())

    @cached_property
    def groups(self) -> list[tuple[Key | None, ...]] | None:
        """All groups where every key is public; None where the keys that are shown are chosen privately."""
        return public_groups(self.question.keys)

    @property
    def is_joint(self) -> bool:
        """Whether one factor shrinks all totals of a person: above and below the bar of a mean, and over groups.

        Where a person is one row it lies in one group, and each total is cut by itself, so that none shrinks another.
        Bounded sums are shrunk as they always were.
        """
        has_means = any(isinstance(each, _OF_SEVERAL) for each in self.question.aggregates.values())
        if self.interval is IntervalKind.BOUNDED:
            return has_means
        return self.question.rows.ownership is Ownership.MANY and (has_means or bool(self.question.keys))

    def is_whole(self, part: Part) -> bool:
        """Whether nothing is cut off a part: no limit of its own cuts anybody, and none that shrinks all totals."""
        rests = self.measures if self.is_joint and part not in self.apart else (part,)
        return all(self.limits[each].origin in CUTTING_NOBODY for each in (part, *rests))

    @property
    def apart(self) -> frozenset[Measure]:
        """The measures that a factor for means leaves as they are, where there is one group."""
        means = [each for each in self.question.aggregates.values() if isinstance(each, _OF_SEVERAL)]
        of_means = {part for each in means for part in each.parts}
        alone = [part for part in self.measures if self.limits[part].origin is Origin.CONSTRUCTION]
        return frozenset() if self.question.keys else frozenset(part for part in alone if part not in of_means)

    @property
    def is_selecting(self) -> bool:
        return self.groups is None

    def share(self, part: Part | str) -> Fraction:
        """The share of the price of a block: "finding", "tally", "keys", or a part's own.

        Each column that is counted weighs the same, the choice of keys half as much. A tally's columns share one
        vector, so equal weights make the sum of their relative variances least.
        """
        if part == "finding":
            return self._finding if self.has_finding else Fraction(0)
        if part == "keys":
            return self.each * KEYS
        return self.each * len(self.measures) if part == "tally" else self.each

    @property
    def _finding(self) -> Fraction:
        if self.interval is not IntervalKind.USUAL:
            return FINDING
        return BESIDE_PROFILE if self.is_beside_profile else USUAL_FINDING

    @property
    def each(self) -> Fraction:
        columns = len(self.question.parts) + (KEYS if self.is_selecting else 0)
        return (1 - self.share("finding")) / columns

    def with_limits(self, found: Mapping[Part, Fraction]) -> Plan:
        """The plan with limits that were found; their origins stay, and with them the shares of the price."""
        limits = {**self.limits, **{part: Limit(norm, self.limits[part].origin) for part, norm in found.items()}}
        return replace(self, limits=limits)

    def strength(self, price: Price) -> Fraction:
        """The strength of the noise on each column at a price: more is better."""
        return price.strength * self.each

    def enough(self, price: Price) -> Fraction:
        """The strength at which an earlier release answers at a price, so that a repeat at this price or below is free.

        It is the strength without a profile, because the effect of a profile depends on the price and on its time.
        """
        return replace(self, is_beside_profile=False).strength(price)

    def identity(self, part: Part) -> str:
        """The identity of a part: equal for equal counts. A limit that is chosen privately depends on the price.

        Where a limit cuts, the kind of interval is included, because the choice of the limit and the reading of the
        answer depend on it. Bounded intervals are not named, because older releases are all bounded. A limit by
        construction cuts nothing, so it is one release under all kinds. For a usual one at_most is included too: it may
        become the limit, and it bounds the tail.
        """
        return self._identities[part]

    @cached_property
    def _identities(self) -> Mapping[Part, str]:
        return {part: self._identify(part) for part in self.question.parts}

    def _identify(self, part: Part) -> str:
        limit = self.limits[part]
        norm = None if limit.origin in (Origin.FOUND, Origin.PROFILE) else str(limit.norm)
        fields = {name: str(value) for name, value in asdict(part).items()}
        is_unnamed = self.interval is IntervalKind.BOUNDED or limit.origin is Origin.CONSTRUCTION
        kind = [] if is_unnamed else [self.interval.value]
        if kind and self.interval is IntervalKind.USUAL and part in self.at_most:
            kind.append(str(self.at_most[part]))
        return _digest([type(part).__name__, fields, norm, limit.origin.value, *kind])[:32]

    @cached_property
    def family(self) -> str:
        """The rows, unit and keys of the plan. Plans of one family differ only in their parts."""
        rows = self.question.rows
        keys = [[key.sql, str(key.kind), key.scale, _listed(key.domain)] for key in self.question.keys]
        most = self.most_keys if self.is_selecting else 0
        return _digest([self.unit, str(self.relation), rows.sql, rows.ownership.value, keys, most])

    @cached_property
    def identities(self) -> frozenset[str]:
        """The identities of the parts."""
        return frozenset(self._identities.values())

    @cached_property
    def digest(self) -> str:
        """The digest of all that the plan counts."""
        return _digest([self.family, sorted(self.identities)])


def _digest(tree: object) -> str:
    return hashlib.sha256(json.dumps(tree, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _listed(domain: tuple[Key | None, ...] | None) -> list[str] | None:
    return None if domain is None else [repr(value) for value in domain]
