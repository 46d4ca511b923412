"""A job: a release before it is made, as the door takes it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price


@frozen(eq=False)
class Job:
    """What identifies a release, what it costs and rests on, what it needs of the engine, and the stages that make it.

    Claim: all stages together cost `price`, where each stage may depend on what the ones before it released. A stage
    gets its own entropy, which is marked in the ledger before the first draw; what it gives is stored before the next
    begins, so that a run that died between two stages goes on from there.
    """

    digest: str
    accuracy: Fraction
    price: Price
    words: str
    note: str
    relation: Relation
    chooses_keys: bool
    grounds: bytes  # what the release rests on; stored in front of the last stage
    session: Callable[[], AbstractContextManager[Session]]
    statements: int  # about how many the engine will be sent
    stages: tuple[Stage, ...]
