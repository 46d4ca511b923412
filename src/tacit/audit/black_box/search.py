"""The search for bad neighbours: many pairs on few samples each, the promising ones on more (successive halving)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.audit.black_box.drawing import drawn
from tacit.audit.black_box.learner import learn
from tacit.audit.black_box.rule import Claimed
from tacit.audit.domain import Domain, Pair, Rows
from tacit.audit.subject import Subject
from tacit.loss.relation import Relation
from tacit.noise.bits import Bits

_ROUNDS = ((3, 4), (1, 0))
"""How many pairs each round keeps, and how many changed ones join them."""
_FEWEST = 1_000  # samples a pair, below which a look says too little
_ENOUGH = 500_000  # samples, below which changed pairs could not be told from lucky ones


def domain_of(subject: Subject) -> Domain | None:
    """The subject's own, or lists of the rows of its universe; with neither only its own pairs are tried."""
    if subject.domain is not None:
        return subject.domain
    sizes = {len(side) for pair in subject.pairs for side in pair if isinstance(side, (list, tuple))}
    if len(subject.universe) < 2 or not sizes or (subject.relation is Relation.REPLACE and len(sizes) > 1):
        return None
    return Rows(subject.universe, subject.relation, max(sizes))


def worst_pair(
    subject: Subject,
    claims: Sequence[Claimed],
    samples: int,
    fresh: int,
    alarm_rate: float,
    bits: Bits,
    *,
    early: bool = False,
) -> tuple[Pair, int]:
    """The pair that promises the highest bound on so many fresh samples, and how many samples it took to find it.

    Nothing is claimed of it: it is chosen on samples that no bound will use. With `early`, the first round that
    promises to contradict the claim is the last.
    """
    generator = np.random.Generator(np.random.PCG64(bits.integer(64)))
    domain = domain_of(subject)
    pairs = [*subject.pairs, *(domain.patterns() if domain is not None else ())]
    pairs = pairs[: max(1, samples // _FEWEST)]
    taken, rounds = 0, len(_ROUNDS) if domain is not None and samples >= _ENOUGH else 1
    for kept, changed in _ROUNDS[:rounds]:
        if len(pairs) == 1:
            break
        each = max(_FEWEST, samples // (rounds * len(pairs)))
        found = []
        for pair in pairs:
            _, rows, labels = drawn(subject, pair, each, bits)
            taken += len(labels)
            found.append(learn(rows, labels, claims, fresh, alarm_rate, trees=0)[0].excess)
        pairs = [pairs[at] for at in np.argsort(found)[::-1][:kept]]
        if early and max(found) > 0:
            break
        if domain is not None:
            pairs += [domain.changed(pairs[at % len(pairs)], generator) for at in range(changed)]
    return pairs[0], taken
