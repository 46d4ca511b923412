"""A control: a broken mechanism, and the stage that is expected to find it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tacit.audit.subject import AdditiveStructure, AuditSubject, Data, Outputs
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.noise.bits import Bits

Many = Callable[[Data, int, Bits], Outputs]


@frozen(eq=False)
class Control:
    """A subject with a fault, named in its note, and the cheapest stage that must find it."""

    subject: AuditSubject
    found_by: str


def broken(
    name: str,
    note: str,
    found_by: str,
    claim: Loss | Number,
    release: Callable[[Data, Bits], Any],
    pairs: Sequence[tuple[Data, Data]],
    *,
    relation: Relation = Relation.ADD_REMOVE,
    many: Many | None = None,
    additive: AdditiveStructure | None = None,
    universe: Sequence[Any] = (),
) -> Control:
    """A control; a number as the claim is a pure ε."""
    loss = claim if isinstance(claim, Loss) else Pure(claim)
    return Control(AuditSubject(name, loss, relation, release, pairs, many, additive, universe, note), found_by)


def one_of_many(many: Many) -> Callable[[Data, Bits], Any]:
    """The release that is the only row of an array of one."""
    return lambda data, bits: many(data, 1, bits)[0]


def floats(bits: Bits) -> np.random.Generator:
    """NumPy's generator, as the broken ones use it, seeded from the bits so that an audit can be repeated."""
    return np.random.Generator(np.random.PCG64(bits.integer(64)))


CLASSIC = Approx(1, "1e-5")
"""The claim that the Gaussian controls make."""
