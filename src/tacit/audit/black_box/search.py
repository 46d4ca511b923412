"""The search for bad neighbours: a race of many pairs, in which the less promising half drops out in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tacit.audit.black_box.rule import Aim
from tacit.audit.black_box.studied import Studied
from tacit.audit.domain import Domain, Pair, Rows
from tacit.audit.subject import Subject
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits

_BEST, _CHANGED = 2, 2
"""How many pairs are kept, and how many changed ones are tried beside the patterns."""
_FEWEST = 1_000  # samples a pair, below which a look says too little
_ENOUGH = 500_000  # samples, below which a pair that was changed or looked at briefly could not be told from lucky ones


def domain_of(subject: Subject) -> Domain | None:
    """The subject's own, or lists of the rows of its universe; with neither only its own pairs are tried."""
    if subject.domain is not None:
        return subject.domain
    sizes = {len(side) for pair in subject.pairs for side in pair if isinstance(side, (list, tuple))}
    if len(subject.universe) < 2 or not sizes or (subject.relation is Relation.REPLACE and len(sizes) > 1):
        return None
    return Rows(subject.universe, subject.relation, max(sizes))


def worst_pairs(subject: Subject, aim: Aim, samples: int, bits: Bits, *, early: bool = False) -> tuple[list[Pair], int]:
    """The pairs that promise the highest bounds, and how many samples it took to find them.

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
    rounds = max(1, math.ceil(math.log2(len(pairs) / _BEST))) if samples >= _ENOUGH and not early else 1
    each = samples // rounds
    field = [Studied.of(subject, pair, max(_FEWEST, each // len(pairs)), bits) for pair in pairs]
    taken = sum(studied.samples for studied in field)
    for _ in range(rounds - 1):
        field = _best(field, aim)[: max(_BEST, len(field) // 2)]
        field = [studied.more(subject, each // len(field), bits) for studied in field]
        taken += each // len(field) * len(field)
    best = _best(field, aim)
    return [studied.pair for studied in best[: 1 if early and best[0].promise(aim) > 0 else _BEST]], taken


def _best(field: Sequence[Studied], aim: Aim) -> list[Studied]:
    return sorted(field, key=lambda studied: studied.promise(aim), reverse=True)
