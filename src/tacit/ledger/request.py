"""A request to an account, the charge for it, and the release stored under the charge."""

from __future__ import annotations

import re
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import nonnegative, probability
from tacit.frozen import frozen
from tacit.ledger.breaker import Breaker
from tacit.loss.families.loss import Loss, Relation, a_loss

_DIGEST = re.compile(r"[!-~]{1,200}")


@frozen
class Terms:
    """The steward's terms for an analyst: `share` is the part of the budget that they may use, None for all of it.

    A request that costs less than `floor`, a part of the budget, is refused. So is a new question after the number of
    failures that the breaker allows: a failure is an answer that no price covers, so failures must be few.
    """

    share: Fraction | None
    floor: Fraction
    breaker: Breaker | None

    def __post_init__(self) -> None:
        if self.share is not None:
            object.__setattr__(self, "share", probability(self.share, "share"))
        object.__setattr__(self, "floor", probability(self.floor, "floor"))


@frozen
class Request:
    """The request for a release.

    `digest` identifies it: data version, unit, canonical plan below the noise, mechanisms. `accuracy` is
    greater for a better answer. A `fresh` request is paid for even where a stored release would answer it.
    `relation` is the change that the loss is stated for, where the loss itself does not state it. With
    `may_lose_stages`, a run whose process died while a stage drew goes on behind that stage, which is stored as empty.
    """

    digest: str
    accuracy: Fraction
    loss: Loss
    analyst: str
    words: str
    terms: Terms
    fresh: bool = False
    note: str = "query"
    relation: Relation | None = None
    may_lose_stages: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.digest, str) and _DIGEST.fullmatch(self.digest)):
            raise Refused(
                "a request without a digest", "Nothing would identify it.", "visible ASCII, such as hex digits."
            )
        if not (isinstance(self.analyst, str) and self.analyst.strip()):
            raise Refused("a request by nobody", "The ledger keeps who asked.", "the analyst's name.")
        if not (isinstance(self.words, str) and isinstance(self.note, str) and isinstance(self.fresh, bool)):
            raise Refused("a request that is not in words", "The ledger keeps what was asked.", "text.")
        object.__setattr__(self, "accuracy", nonnegative(self.accuracy, "accuracy"))
        a_loss(self.loss)


@frozen
class Charge:
    """A durable receipt: this one release has been paid for. It permits one stored release."""

    account: int
    number: int  # of the entry
    digest: str
    accuracy: Fraction
    loss: Loss  # in the account's currency
    hash: str  # of the entry, which seals the chain up to it


@frozen
class Stored:
    """A stored release, or the record that it failed. It never changes, and reading it again is free."""

    charge: Charge
    number: int  # of the entry that stored it
    hash: str
    payload: bytes
    is_failed: bool = False

    @property
    def accuracy(self) -> Fraction:
        return self.charge.accuracy
