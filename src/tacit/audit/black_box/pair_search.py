"""The search for the worst pair of neighbours: a race of many pairs in which the less promising half drops out in turn.

Answers are drawn about one data set of a pair or the other by a fair coin, in batches. The bound that they promise
ranks the pairs. The most promising pair is then studied longer, and its rules are chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tacit.audit.black_box.features import AnswerReader, Matrix
from tacit.audit.black_box.guess_rule import Aim, Rule
from tacit.audit.black_box.learner import Learned
from tacit.audit.black_box.scores import Labels
from tacit.audit.neighbours import Domain, Pair, RowLists
from tacit.audit.subject import AuditSubject, Outputs
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits

_BATCH = 200_000


def draw(subject: AuditSubject, pair: Pair, count: int, bits: Bits) -> Iterator[tuple[Outputs, Labels]]:
    """Batches of answers with 1 where they are about the first data; the order within a batch has no meaning."""
    while count > 0:
        size = min(count, _BATCH)
        coins = np.unpackbits(bits.octets(-(-size // 8)))[:size]
        sizes = int(coins.sum()), size - int(coins.sum())
        sides = [subject.sample(data, many, bits) for data, many in zip(pair, sizes, strict=True) if many]
        labels = np.repeat([1.0, 0.0], sizes)
        yield _joined(sides), labels
        count -= size


def drawn(subject: AuditSubject, pair: Pair, count: int, bits: Bits) -> tuple[AnswerReader, Matrix, Labels]:
    """This many answers at once, shuffled, with their reader."""
    parts = list(draw(subject, pair, count, bits))
    reader = AnswerReader.of(
        _joined([outputs[:1_000] for outputs, _ in parts] + [outputs[-1_000:] for outputs, _ in parts])
    )
    rows = np.concatenate([reader.read(outputs) for outputs, _ in parts])
    labels = np.concatenate([part for _, part in parts])
    order = np.random.Generator(np.random.PCG64(bits.integer(64))).permutation(len(labels))
    return reader, rows[order], labels[order]


def _joined(parts: list[Outputs]) -> Outputs:
    """One array; answers of different shapes as a list of objects."""
    if len({part.shape[1:] for part in parts}) == 1:
        return np.concatenate(parts)
    every = [row for part in parts for row in part.tolist()]
    return np.fromiter(every, object, len(every))


CAUTIOUS = 3.0
"""Standard errors by which a rule is discounted in the choice among many pairs."""


@frozen(eq=False)
class Studied:
    """A pair, the reader of its answers, and what was learned from them."""

    pair: Pair
    reader: AnswerReader
    learned: Learned
    samples: int

    @classmethod
    def of(cls, subject: AuditSubject, pair: Pair, samples: int, bits: Bits, *, trees: int = 0) -> Studied:
        reader, rows, labels = drawn(subject, pair, samples, bits)
        return cls(pair, reader, Learned.of(rows, labels, trees=trees), samples)

    def more(self, subject: AuditSubject, samples: int, bits: Bits) -> Studied:
        """The pair after more answers: the scores stay, their tallies grow."""
        learned = self.learned
        for outputs, labels in draw(subject, self.pair, samples, bits):
            learned = learned.more(self.reader.read(outputs), labels)
        return replace(self, learned=learned, samples=self.samples + samples)

    def promise(self, aim: Aim) -> float:
        """A cautious estimate of the bound minus the claim."""
        return self.learned.rule(aim, CAUTIOUS).excess


_BEST, _CHANGED = 2, 2
"""The number of pairs kept, and of changed ones tried beside the patterns."""
_FEWEST = 1_000  # the least number of samples per pair for a look
# with fewer samples, a pair that was changed or studied briefly could not be distinguished from lucky ones
_ENOUGH = 500_000


def domain_of(subject: AuditSubject) -> Domain | None:
    """The subject's own, or lists of the rows of its universe; without either, only its own pairs are tried."""
    if subject.domain is not None:
        return subject.domain
    sizes = {len(side) for pair in subject.pairs for side in pair if isinstance(side, (list, tuple))}
    if len(subject.universe) < 2 or not sizes or (subject.relation is Relation.REPLACE and len(sizes) > 1):
        return None
    return RowLists(subject.universe, subject.relation, max(sizes))


def worst_pairs(
    subject: AuditSubject, aim: Aim, samples: int, bits: Bits, *, early: bool = False
) -> tuple[list[Pair], int]:
    """The pairs that promise the highest bounds, and the number of samples used.

    This choice has no claim: it is made on samples that no bound uses. With `early`, one that promises to
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


_TREES = 20
_DOUBTS = (CAUTIOUS, 2.0, 1.5)
"""The discounts of rules in standard errors: safe, likely and optimistic."""


@frozen(eq=False)
class Trained:
    """A pair, the reader of its answers, and rules for them, one for each doubt."""

    pair: Pair
    reader: AnswerReader
    rules: Sequence[Rule]


def train(subject: AuditSubject, pairs: Sequence[Pair], aim: Aim, shared: int, own: int, bits: Bits) -> Trained:
    """The best of the pairs, with rules for it.

    Some samples are shared by the pairs, to learn scores and to choose; the others are the best pair's own, to cut its
    scores where few answers lie.
    """
    found = [Studied.of(subject, pair, shared // len(pairs), bits, trees=_TREES) for pair in pairs]
    best = max(found, key=lambda studied: studied.promise(aim)).more(subject, own, bits)
    return Trained(best.pair, best.reader, best.learned.rules(aim, _DOUBTS))
