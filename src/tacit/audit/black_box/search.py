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

_KEPT = (8, 3, 1)
_CANDIDATES = 24
_TREES = 6
_FEWEST = 2_000  # samples a pair, below which a look says too little


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
    taken = 0
    for turn, kept in enumerate(_KEPT):
        if len(pairs) == 1:
            break
        each = max(_FEWEST, samples // (len(_KEPT) * len(pairs)))
        found = []
        for pair in pairs[: max(1, samples // (len(_KEPT) * _FEWEST))]:
            _, rows, labels = drawn(subject, pair, each, bits)
            taken += len(labels)
            found.append(learn(rows, labels, claims, fresh, alarm_rate, trees=_TREES if turn else 0).excess)
        best = [pairs[at] for at in np.argsort(found)[::-1][:kept]]
        if domain is None or kept == 1 or (early and max(found) > 0):
            pairs = best[:1] if early and max(found) > 0 else best
            continue
        changed = [domain.changed(pair, generator) for pair in best for _ in range(_CANDIDATES // len(best))]
        pairs = best + changed
    return pairs[0], taken
