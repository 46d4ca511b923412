"""Training: for each of a few pairs, rules that guess which of the two an answer is about; the most promising stays."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.audit.black_box.drawing import drawn
from tacit.audit.black_box.learner import DOUBTS, learn
from tacit.audit.black_box.matrix import Reader
from tacit.audit.black_box.rule import Claimed, Rule
from tacit.audit.domain import Pair
from tacit.audit.subject import Subject
from tacit.frozen import frozen
from tacit.noise.bits import Bits

_TREES = 20


@frozen(eq=False)
class Trained:
    """A pair, how its answers are read, and rules for them, one for each doubt."""

    pair: Pair
    reader: Reader
    rules: Sequence[Rule]

    @property
    def promise(self) -> float:
        """By how much the first rule's bound is expected to exceed the claim."""
        return self.rules[0].excess


def train(
    subject: Subject,
    pairs: Sequence[Pair],
    claims: Sequence[Claimed],
    samples: int,
    fresh: int,
    alarm_rate: float,
    bits: Bits,
) -> Trained:
    """The best of the pairs, after an equal part of the samples for each, with rules for so many fresh answers."""
    found = []
    for pair in pairs:
        reader, rows, labels = drawn(subject, pair, samples // len(pairs), bits)
        found.append(Trained(pair, reader, learn(rows, labels, claims, fresh, alarm_rate, trees=_TREES, doubts=DOUBTS)))
    return max(found, key=lambda trained: trained.promise)
