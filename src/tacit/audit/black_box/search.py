"""The search for bad neighbours: many pairs on few samples each, of which the most promising are kept."""

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

_BEST, _CHANGED = 2, 2
"""How many pairs are kept, and how many changed ones are tried beside the patterns."""
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


def worst_pairs(
    subject: Subject,
    claims: Sequence[Claimed],
    samples: int,
    fresh: int,
    alarm_rate: float,
    bits: Bits,
    *,
    early: bool = False,
) -> tuple[list[Pair], int]:
    """The pairs that promise the highest bounds on so many fresh samples, and how many samples it took to find them.

    Nothing is claimed of them: they are chosen on samples that no bound will use. With `early`, one that promises to
    contradict the claim is enough.
    """
    generator = np.random.Generator(np.random.PCG64(bits.integer(64)))
    domain = domain_of(subject)
    pairs = [*subject.pairs, *(domain.patterns() if domain is not None else ())]
    pairs = pairs[: max(1, samples // _FEWEST)]
    if domain is not None and samples >= _ENOUGH:
        pairs += [domain.changed(pairs[-1 - at % len(pairs)], generator) for at in range(_CHANGED)]
    if len(pairs) == 1:
        return pairs, 0
    each, taken, found = max(_FEWEST, samples // len(pairs)), 0, []
    for pair in pairs:
        _, rows, labels = drawn(subject, pair, each, bits)
        taken += len(labels)
        found.append(learn(rows, labels, claims, fresh, alarm_rate, trees=0)[0].excess)
    order = np.argsort(found)[::-1]
    return [pairs[at] for at in order[: 1 if early and max(found) > 0 else _BEST]], taken
