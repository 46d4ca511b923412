"""A plan: the question below the noise, its limits, and how its price is shared out. Data-free and printable.

A limit is how much of one person counts in one part, and who said so. A scaling turns a person's total within its
limit into units of the noise's law.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Distinct, Measure, Part, Ranks
from tacit.query.plans.group_keys import MOST_KEYS, public_groups
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.sql.clamp import WORD, Cut, cut
from tacit.schema.kind import Key

KEYS = Fraction(1, 2)  # what choosing private keys weighs, beside a column
FINDING = Fraction(1, 10)  # of the price, where limits must be found


class IntervalKind(Enum):
    """What an interval is about: it chooses limits, so it is a part of what is released."""

    USUAL = "usual"  # the answer on all rows, if nobody has far more than the people that can be seen
    GUARANTEED = "guaranteed"  # the answer on all rows cut to the most that one person can have, whatever they are
    BOUNDED = "bounded"  # the answer on rows cut to the limits: the noise alone

    @classmethod
    def named(cls, name: str) -> IntervalKind:
        """The kind of this name."""
        for kind in cls:
            if kind.value == name:
                return kind
        listed = " or ".join(kind.value for kind in cls)
        raise Refused(f"--interval {name}", "There is no such interval.", f"--interval {listed}.")


@frozen
class Plan:
    """What is counted, how much of one person counts, and what part of the price each block of noise takes."""

    question: Question
    relation: Relation
    unit: str  # the words of what is hidden
    limits: Mapping[Part, Limit]
    most_keys: int = MOST_KEYS  # that one person may hold and still help to show a private key
    interval: IntervalKind = IntervalKind.BOUNDED
    at_most: Mapping[Part, Fraction] = field(
        default_factory=dict
    )  # the norm of the most that a person can have, if known

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
    def has_found(self) -> bool:
        """Whether a share of the price goes, or went, into finding limits."""
        return any(limit.origin is Origin.FOUND for limit in self.limits.values())

    @property
    def has_at_most(self) -> bool:
        """Whether a limit is the most that one person can have."""
        return any(limit.origin is Origin.AT_MOST for limit in self.limits.values())

    @cached_property
    def groups(self) -> list[tuple[Key | None, ...]] | None:
        """All groups where every key is public; None where the keys that are shown are chosen privately."""
        return public_groups(self.question.keys)

    @property
    def is_selecting(self) -> bool:
        return self.groups is None

    def share(self, part: Part | str) -> Fraction:
        """The part of the price that a block takes: "finding", "tally", "keys", or a part's own.

        Each column that is counted weighs the same, the choice of keys half as much. A tally's columns share one
        vector, so equal weights make the sum of their relative variances least.
        """
        if part == "finding":
            return FINDING if self.has_found else Fraction(0)
        if part == "keys":
            return self.each * KEYS
        return self.each * len(self.measures) if part == "tally" else self.each

    @property
    def each(self) -> Fraction:
        columns = len(self.question.parts) + (KEYS if self.is_selecting else 0)
        return (1 - self.share("finding")) / columns

    def with_limits(self, found: Mapping[Part, Fraction]) -> Plan:
        """The plan with limits that were found."""
        limits = {**self.limits, **{part: Limit(norm, Origin.FOUND) for part, norm in found.items()}}
        return replace(self, limits=limits)

    def strength(self, price: Price) -> Fraction:
        """How strong a price makes the noise on each column: more is better."""
        return price.strength * self.each

    def identity(self, part: Part) -> str:
        """What a part is: the same wherever the same is counted. A limit chosen privately goes with the price.

        Where a limit cuts, the kind of interval is a part of it, for it says how the limit is chosen and the answer
        read. Bounded intervals are not named: all releases were so before there were kinds. What holds by construction
        cuts nothing, and is one release under all of them.
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
        return _digest([type(part).__name__, fields, norm, limit.origin.value, *kind])[:32]

    @cached_property
    def family(self) -> str:
        """What the plan counts over: rows, unit, keys. Plans of one family differ in their parts alone."""
        rows = self.question.rows
        keys = [[key.sql, str(key.kind), key.scale, _listed(key.domain)] for key in self.question.keys]
        most = self.most_keys if self.is_selecting else 0
        return _digest([self.unit, str(self.relation), rows.sql, rows.ownership.value, keys, most])

    @cached_property
    def identities(self) -> frozenset[str]:
        """What the plan counts, part by part."""
        return frozenset(self._identities.values())

    @cached_property
    def digest(self) -> str:
        """What the plan counts in all."""
        return _digest([self.family, sorted(self.identities)])


def _digest(tree: object) -> str:
    return hashlib.sha256(json.dumps(tree, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _listed(domain: tuple[Key | None, ...] | None) -> list[str] | None:
    return None if domain is None else [repr(value) for value in domain]


_FAR = 2**45


class Origin(Enum):
    """Where a limit comes from. None of them looks at data for free."""

    CONSTRUCTION = "by construction"
    DECLARED = "declared by the steward"
    PROFILE = "chosen from the private profile"
    FOUND = "found with a share of this query's price"
    AT_MOST = "declared as the most that one person can have"


@frozen
class Limit:
    """The largest norm, over all groups, of what one person adds to a part, in its steps; None until it is found."""

    norm: Fraction | None
    origin: Origin


@frozen
class Scaling:
    """A person's total in one group, cut to ±cap, as units of the noise's law: times `times`, over `over`.

    Claim: whatever the total, the result is an integer within ±room of `scaling`.
    """

    cap: int
    times: int
    over: int

    @property
    def scale(self) -> Fraction:
        """Units of the law for one step."""
        return Fraction(self.times, self.over)

    def near(self, total: str) -> Cut:
        """The scaled total of one person and group."""
        return self.of(cut(total, -self.cap, self.cap))

    def far(self, total: str) -> Cut:
        """The same, cut only far beyond the limit: within ±2^45, whose squares add up in 128 bits over 2^36 groups."""
        far = min(_FAR * self.over // self.times, WORD)
        return cut(total, -far, far).scaled(self.times, self.over)

    def of(self, value: Cut) -> Cut:
        """The same of a value that is cut to bounds of its own: to ±cap where these are wider."""
        return value.within(self.cap).scaled(self.times, self.over)


def scaling(norm: Fraction, room: int) -> Scaling:
    """The finest whole scaling under which a total of up to `norm` steps fits into ±room (room ≥ 2)."""
    cap = min(max(1, floor(norm)), WORD)  # beyond it a total is cut, whatever its limit: it must fit 64 bits
    if room >= norm:
        return Scaling(cap, max(1, floor(room / max(norm, Fraction(1)))), 1)
    return Scaling(cap, 1, ceil(norm / (room - 1)))
